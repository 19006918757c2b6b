// SPDX-License-Identifier: Apache-2.0
export { askOf, cedarPolicy, riskHistory } from './cedar-policy.ts';
export { loadPolicyEngine, PolicyEngine, type ReadyPolicy } from './policy-engine.ts';
export { activeRow, enforcementOf, PolicyShelf, viewOf, type ActivationRow, type FoundSet, type SetRow } from './policy-shelf.ts';
export { StoredPolicySets, type PolicyTool } from './stored-policy-sets.ts';
