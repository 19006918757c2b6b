// SPDX-License-Identifier: Apache-2.0
import { AUTONOMY_MODES, type AutonomyMode } from '@writ/contract';
import type { PolicyAsk, PolicyDecision, Supervision } from '../ask.ts';
import { thresholdsFor, type Ground } from '../decide/corridor.ts';
import { allAtOnce, type Steps } from '../decide/cedar.ts';
import { courseOf, effectCourseOf, type EffectAsk } from '../decide/decide-policy.ts';
import { decisionOf, type Course } from '../decide/decision.ts';
import type { Thresholds } from '../document/policy-document.ts';
import type { PolicyRule, PolicySet } from '../policy-set.ts';
import { changesOf } from './changes.ts';

/** A decision with everything that led to it, and what another ask would have got. Costs some forty decisions. */
export interface Explanation {
  readonly policy: { readonly name: string; readonly policy_hash: string; readonly enforcement: 'enforce' | 'observe' };
  readonly decision: PolicyDecision;
  /** the thresholds that held for the task class */
  readonly thresholds: Thresholds;
  /** the supervision with which asking began */
  readonly began_at: AutonomyMode;
  /** what asked for supervision outside of the rules' text */
  readonly grounds: readonly Ground[];
  /** each ask of the rules, with the rules that allowed or forbade it; neither means that nothing permitted it */
  readonly asked: readonly {
    readonly supervision: Supervision;
    readonly allowed: boolean;
    readonly rule_ids: readonly string[];
  }[];
  /** the rules of the text that the decision names, as they stand there */
  readonly rules: readonly Pick<PolicyRule, 'id' | 'effect' | 'text'>[];
  /** rules that could have met a call of this tool, of all that the set has */
  readonly rules_met: number;
  readonly rules_total: number;
  /** single changes of the ask, each decided anew, with which the set asks for less supervision */
  readonly would_pass: readonly { readonly with: string; readonly mode: AutonomyMode }[];
}

/** Explains a decision on a call, or on an effect if the ask has `changes`. */
export function explainDecision(set: PolicySet, ask: PolicyAsk | EffectAsk): Explanation {
  return allAtOnce(explainDecisionSteps(set, ask));
}

/** The same in steps, as `decidePolicySteps`. */
export function* explainDecisionSteps(set: PolicySet, ask: PolicyAsk | EffectAsk): Steps<Explanation> {
  const course = yield* courseFor(set, ask);
  const decision = decisionOf(set, ask, course);
  const { name, enforcement } = set.document;
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
    rules_met: set.sliceFor(ask).size,
    rules_total: set.rules.size,
    would_pass: yield* betterWith(set, ask, course),
  };
}

const courseFor = (set: PolicySet, ask: PolicyAsk | EffectAsk): Steps<Course> =>
  'changes' in ask ? effectCourseOf(set, ask) : courseOf(set, ask);
const rank = (mode: AutonomyMode): number => AUTONOMY_MODES.indexOf(mode);

function* betterWith(
  set: PolicySet,
  ask: PolicyAsk | EffectAsk,
  { mode, errors }: Course,
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
