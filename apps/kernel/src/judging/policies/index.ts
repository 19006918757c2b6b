// SPDX-License-Identifier: Apache-2.0
export { CallReader } from './call-reader.ts';
export { policyInputOf, cedarPolicy } from './cedar-policy.ts';
export { loadPolicyEngine, PolicyEngine, type ReadyPolicy } from './policy-engine.ts';
export {
  activeRow,
  enforcementOf,
  PolicyRepository,
  viewOf,
  type ActivationRow,
  type FoundSet,
  type SetRow,
} from './policy-repository.ts';
export type { ProposedPolicy } from './check-policy.ts';
export { StoredPolicySets } from './stored-policy-sets.ts';
