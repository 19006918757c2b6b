// SPDX-License-Identifier: Apache-2.0
import { AUTONOMY_MODES, type AutonomyMode } from '@writ/contract';
import type { PolicyRequest, PolicyDecision, Supervision } from '../policy-request.ts';
import { thresholdsFor, type SupervisionRequirement } from '../decide/corridor.ts';
import { runToCompletion, type Steps } from '../decide/steps.ts';
import { traceDecision, traceEffectDecision, type EffectRequest } from '../decide/decide-policy.ts';
import { decisionOf, type DecisionTrace } from '../decide/decision.ts';
import type { Thresholds } from '../document/policy-document.ts';
import type { PolicyRule, PolicySet } from '../policy-set.ts';
import { changesOf } from './changes.ts';

/** A decision with everything that led to it, and the decisions on similar requests. It costs some forty decisions. */
export interface Explanation {
  readonly policy: { readonly name: string; readonly policy_hash: string; readonly enforcement: 'enforce' | 'observe' };
  readonly decision: PolicyDecision;
  /** the thresholds of the task class */
  readonly thresholds: Thresholds;
  /** the initial supervision */
  readonly began_at: AutonomyMode;
  /** requirements that do not come from the rules' text */
  readonly grounds: readonly SupervisionRequirement[];
  /** each evaluation of the rules, with those that allowed or forbade it; if it has none, nothing permitted the call */
  readonly asked: readonly {
    readonly supervision: Supervision;
    readonly allowed: boolean;
    readonly rule_ids: readonly string[];
  }[];
  /** the rules of the text that the decision names */
  readonly rules: readonly Pick<PolicyRule, 'id' | 'effect' | 'text'>[];
  /** rules that can apply to calls of this tool, of all in the set */
  readonly rules_met: number;
  readonly rules_total: number;
  /** single changes of the request with which the set requires less supervision */
  readonly would_pass: readonly { readonly with: string; readonly mode: AutonomyMode }[];
}

/** Explains a decision on a call, or on an effect if the request has `changes`. */
export function explainDecision(set: PolicySet, ask: PolicyRequest | EffectRequest): Explanation {
  return runToCompletion(explainDecisionSteps(set, ask));
}

/** The same in steps, as `decidePolicySteps`. */
export function* explainDecisionSteps(set: PolicySet, ask: PolicyRequest | EffectRequest): Steps<Explanation> {
  const course = yield* courseFor(set, ask);
  const decision = decisionOf(set, ask, course);
  const { name, enforcement } = set.document;
  const slice = set.sliceFor(ask);
  return {
    policy: { name, policy_hash: set.policy_hash, enforcement },
    decision,
    thresholds: thresholdsFor(set, ask.task_class),
    began_at: course.least,
    grounds: course.grounds,
    asked: course.answers.map(([supervision, { allowed, rules }]) => ({ supervision, allowed, rule_ids: rules })),
    rules: decision.rule_ids
      .flatMap((id) => set.rules.get(id) ?? [])
      .map(({ id, effect, text }) => ({ id, effect, text })),
    rules_met: slice.size + (slice.redactions?.size ?? 0) + (slice.reservations?.size ?? 0),
    rules_total: set.rules.size,
    would_pass: yield* betterWith(set, ask, course),
  };
}

const courseFor = (set: PolicySet, ask: PolicyRequest | EffectRequest): Steps<DecisionTrace> =>
  'changes' in ask ? traceEffectDecision(set, ask) : traceDecision(set, ask);
const rank = (mode: AutonomyMode): number => AUTONOMY_MODES.indexOf(mode);

function* betterWith(
  set: PolicySet,
  ask: PolicyRequest | EffectRequest,
  { mode, errors }: DecisionTrace,
): Steps<{ with: string; mode: AutonomyMode }[]> {
  if (mode === 'autopilot' || errors.length > 0) return [];
  const better: { with: string; mode: AutonomyMode }[] = [];
  for (const change of changesOf(set, ask)) {
    const other = yield* courseFor(set, change.ask);
    if (rank(other.mode) < rank(mode)) better.push({ with: change.words, mode: other.mode });
    yield;
  }
  return better;
}
