// SPDX-License-Identifier: Apache-2.0
export { approvalExpiry, waitingColumns } from './approval-expiry.ts';
export { readDelegation, readStandingDelegations, unfitReason, type Delegation } from './delegations.ts';
export { areCovered, demandsColumn, isOfGroups, mergeDemands, viewDemands, type Demands } from './demands.ts';
export { storedArgumentsOf } from './held-arguments.ts';
export { hasRun } from './held-call.ts';
export {
  HeldCalls,
  unlessMoved,
  type ApprovalClosing,
  type ApprovedClosing,
  type ClosedApproval,
  type HeldOutcome,
} from './held-calls.ts';
export { isProposer, proposersOf } from './persons.ts';
export { Previews, type PreviewEnd } from './previews.ts';
export { newVote, type Right, type Vote } from './votes.ts';
