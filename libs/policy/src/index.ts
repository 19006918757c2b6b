// SPDX-License-Identifier: Apache-2.0
export type { PolicyAsk, PolicyDecision, RiskCeiling, SessionMode, Supervision } from './ask.ts';
export { decideEffectPolicy, decidePolicy, type EffectAsk } from './decide-policy.ts';
export { DEFAULT_POLICY } from './default-policy.ts';
export { AREAS, effectFacts, type Area, type EffectFacts } from './effect.ts';
export { compilePolicySet, PolicySetError, type PolicyProblem, type PolicyRule, type PolicySet } from './policy-set.ts';
export { POLICY_SCHEMA_VERSION, policySchema } from './schema.ts';
