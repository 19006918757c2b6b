// SPDX-License-Identifier: Apache-2.0
export { argumentsOf } from './held-arguments.ts';
export type { ApprovalRow, HeldCall } from './held-call.ts';
export { approvalColumns, HeldCalls, unlessMoved, type ApprovalClosing, type HeldEnding } from './held-calls.ts';
