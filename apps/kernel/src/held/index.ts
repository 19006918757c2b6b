// SPDX-License-Identifier: Apache-2.0
export { approvalExpiry } from './approval-expiry.ts';
export { argumentsOf } from './held-arguments.ts';
export { hasRun, type ApprovalRow, type HeldCall, type PreviewRow } from './held-call.ts';
export { approvalColumns, HeldCalls, unlessMoved, type ApprovalClosing, type HeldEnding } from './held-calls.ts';
export { Previews, type PreviewEnd } from './previews.ts';
