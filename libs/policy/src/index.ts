// SPDX-License-Identifier: Apache-2.0
export { argumentsType, type RecordType } from './arguments/argument-type.ts';
export type {
  Approvers,
  EgressFacts,
  PersonFacts,
  PolicyRequest,
  PolicyDecision,
  PolicyFault,
  RiskCeiling,
  SessionMode,
  Supervision,
  HistoryFacts,
} from './policy-request.ts';
export type { Steps } from './decide/steps.ts';
export {
  decideEffectPolicy,
  decideEffectPolicySteps,
  decidePolicy,
  decidePolicySteps,
  type EffectRequest,
} from './decide/decide-policy.ts';
export { historyNeeds, type HistoryNeed } from './decide/history.ts';
export { HistoryRule } from './document/history-rule.ts';
export {
  effectSettingsFor,
  POLICY_LIMITS,
  PolicyDocument,
  PolicySetSource,
  Thresholds,
} from './document/policy-document.ts';
export { groupsNamedIn } from './groups-named-in.ts';
export { AREAS, effectFacts, type Area, type EffectFacts } from './effect.ts';
export {
  checkPolicySet,
  compilePolicySet,
  policySetOf,
  type CheckedPolicySet,
  type PolicySetAge,
  type PolicyRule,
  type PolicySet,
} from './policy-set.ts';
export { PolicySetError, problemText, type PolicyProblem } from './problems.ts';
export { CONTEXT_ATTRIBUTES, POLICY_SCHEMA_VERSION, policySchema, type PolicyTool } from './rules/schema.ts';
export { checkDefinition, pendingCheck, type DefinitionCheck, type PendingCheck } from './rules/definition-check.ts';
export { DEFAULT_POLICY } from './sets/default-policy.ts';
export { OBSERVE_POLICY, observing } from './sets/observe-policy.ts';
export { STRICT_POLICY } from './sets/strict-policy.ts';
export { fillTemplate, POLICY_TEMPLATES } from './templates/fill-template.ts';
export { withFragments, type PolicyFragment, type PolicyTemplate } from './templates/fragment.ts';
export { diffSets, type PolicySetDiff, type RuleChange, type SettingChange } from './what-if/diff-sets.ts';
export { explainDecision, explainDecisionSteps, type Explanation } from './what-if/explain-decision.ts';
