// SPDX-License-Identifier: Apache-2.0
export { attenuate, type AttenuationRequest, type ChildToken } from './attenuate.ts';
export {
  callBudget,
  decideReservation,
  remaining,
  settledUse,
  type TokenAccount,
  type TokenReservation,
} from './budget.ts';
export { decideEffect, decideEffectSteps, type ScopedEffect } from './decide-effect.ts';
export { decideToken, decideValidity, listsTool, type TokenRequest } from './decide-token.ts';
export { coversPath, isScopePath, scopeOf, type FsAccess } from './fs-scope.ts';
export { narrowTo, type NarrowRequest } from './narrow-to.ts';
export { coversDomain, coversNet, describeHost, portsOf, reaches, reachesHost } from './net-scope.ts';
export { coversResource, listsResource } from './resource-pattern.ts';
export { decideSessionToken, isLikeApproved, type PendingCall, type SessionTokenRequest } from './session-approval.ts';
export { decideSpawn, type SpawnRequest } from './spawn.ts';
export { excessOf, isSubset, type Excess } from './subset.ts';
export { tenantScope } from './tenant-scope.ts';
export { coversPattern, matchesTool } from './tool-pattern.ts';
