// SPDX-License-Identifier: Apache-2.0
export { Assigner, NoAssigner, type Assigned, type Assignment } from './assigner.ts';
export { Bell } from './bell.ts';
export { Events, type OperationChange } from './events.ts';
export { Outbox } from './outbox.ts';
export { ValueStore, type NewSecret, type SealedSecret } from './value-store.ts';
export {
  PolicySets,
  type ActivePolicy,
  type CountNeeded,
  type JudgedAction,
  type JudgedEffect,
  type SessionPast,
  type Supervision,
} from './policy-sets.ts';
export { Receipts, type AwaitedRecord } from './receipts.ts';
