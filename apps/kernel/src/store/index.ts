// SPDX-License-Identifier: Apache-2.0
export { fittedPage, parseCursor } from './cursor.ts';
export { pageOf, type Listed, type RowPosition } from '@writ/paging';
export { DEPLOYMENT, frozenHint, frozenWords, type FreezeRow } from './freeze-row.ts';
export { badLink } from './link-targets.ts';
export {
  callKernel,
  callKernelUnawaited,
  isAgain,
  isKeyRetired,
  isTaken,
  isUncounted,
  quotaFault,
  unlessToolChanged,
} from './kernel-function.ts';
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
export {
  countVotes,
  readVotes,
  roleNeeded,
  votesByOperation,
  yesesOf,
  type VotedOperation,
  type VoteRole,
  type VoteRow,
} from './votes.ts';
export { WrappedKeyRows } from './wrapped-key-rows.ts';
export { readOperation, type FoundOperation } from './read-operation.ts';
