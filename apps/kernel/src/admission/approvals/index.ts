// SPDX-License-Identifier: Apache-2.0
export { Approvals } from './approvals.ts';
export { ApprovalsController } from './approvals.controller.ts';
export { ApprovalQueue } from './queue/approval-queue.ts';
export { ApprovalQueueController } from './queue/approval-queue.controller.ts';
export { CastVote } from './cast-vote.ts';
export { DecideApproval } from './decide-approval.ts';
export { SupplyValue } from './supply-value.ts';
export { EditCall, type ProposeCall } from './edit-call.ts';
export { EffectApproval, type EffectDependencies } from './effect-approval.ts';
export { type DecisionDependencies } from './judge-held.ts';
export { PreviewAgain } from './preview-again.ts';
export { HeldReevaluation } from './held-reevaluation.ts';
export { YourDecisions } from './your-decisions.ts';
