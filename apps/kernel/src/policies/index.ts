// SPDX-License-Identifier: Apache-2.0
export { askOf, cedarPolicy } from './cedar-policy.ts';
export { loadPolicyEngine, PolicyEngine, type ReadyPolicy } from './policy-engine.ts';
export { StoredPolicySets } from './stored-policy-sets.ts';
