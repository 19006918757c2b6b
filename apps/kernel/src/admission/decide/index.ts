// SPDX-License-Identifier: Apache-2.0
export { Approvals } from './approvals.ts';
export { DecideController } from './decide.controller.ts';
export { CastVote } from './cast-vote.ts';
export { Decide } from './decide.ts';
export { SupplyValue } from './supply-value.ts';
export { Edit, type ProposeCall } from './edit.ts';
export { EffectApproval, type EffectParts } from './effect-approval.ts';
export { type DecisionParts } from './judge-held.ts';
export { PreviewAgain } from './preview-again.ts';
export { HeldReevaluation } from './held-reevaluation.ts';
