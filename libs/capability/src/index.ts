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
export { decideToken, decideValidity, listsTool, type TokenAsk } from './decide-token.ts';
export { coversPath, isScopePath, scopeOf, type FsAccess } from './fs-scope.ts';
export { narrowTo, type NarrowAsk } from './narrow-to.ts';
export { coversDomain, coversNet, reaches } from './net-scope.ts';
export { decideSessionToken, isLikeApproved, type AskedCall, type SessionTokenAsk } from './session-approval.ts';
export { decideSpawn, type SpawnAsk } from './spawn.ts';
export { excessOf, isSubset, type Excess } from './subset.ts';
export { coversPattern, matchesTool } from './tool-pattern.ts';
