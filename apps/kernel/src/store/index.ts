// SPDX-License-Identifier: Apache-2.0
export { fittedPage, pageOf, parseCursor, type Listed, type Place } from './cursor.ts';
export { DEPLOYMENT, frozenHint, frozenWords, type FreezeRow } from './freeze-row.ts';
export { badLink } from './link-targets.ts';
export { kernelSql } from './functions/index.ts';
export type { AccountRow, ApprovedSession, AssignedRows, Claim } from './functions/admission.ts';
export type { RedeemedCall, Released, RerunVerdict } from './functions/attempts.ts';
export type { OverdueApproval } from './functions/approvals.ts';
export type { Dispatched, DispatchedCall, Requeued, ReplacedVerdict } from './functions/dispatch.ts';
export type { SeenFreeze, FreezeFacts } from './functions/freezes.ts';
export type { PreviewVerdict } from './functions/previews.ts';
export type { SeriesRow } from './functions/outcomes.ts';
export type { ResourceVersions } from './functions/resources.ts';
export type { DrawnTokens } from './functions/tokens.ts';
export type {
  CallRef,
  EndVerdict,
  FactReply,
  FactRows,
  Head,
  RedeemedRows,
  RulesInForce,
  SeenOperation,
} from './attempt-rows.ts';
export type { ErasedBatch, ErasureRow } from './erasure-row.ts';
export type { ApprovalRow, HeldCall, PreviewRow, VotedOperation, VoteRole, VoteRow } from './held-rows.ts';
export { isAgain, isKeyRetired, isTaken, isUncounted, quotaFault, unlessToolChanged } from './kernel-errors.ts';
export { newId } from '@writ/nest-kit';
export type { OperationRow, ResolutionColumns } from './operation-row.ts';
export { lastRecordOf, viewOf, type ViewExtras } from './operation-view.ts';
export { OperationViews, type ViewOptions } from './operation-views.ts';
export { KERNEL_CONNECTIONS, TenantPool, CrossTenantPool } from './pools.ts';
export { definitionDigest, readDecidedTool, readToolInForce, readToolNames, readToolOf } from './tenant-tools.ts';
export { tokenOf, type TokenRow } from './token-row.ts';
export { profileFor, type StandingProfile } from './execution-profiles.ts';
export { requireSkill, skillAtHand, skillBytes } from './skills.ts';
export { publicJwkFrom, sandboxFor, verifiedSandbox, type UnverifiedSandbox } from './script-sandboxes.ts';
export { Sizes } from './sizes.ts';
export { Trees } from './trees.ts';
export { countVotes, readVotes, roleNeeded, votesByOperation, yesesOf } from './votes.ts';
export { WrappedKeyRows } from './wrapped-key-rows.ts';
export { readOperation, type FoundOperation } from './read-operation.ts';
