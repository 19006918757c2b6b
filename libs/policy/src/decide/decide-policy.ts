// SPDX-License-Identifier: Apache-2.0
import type { AutonomyMode, Change, FsResource } from '@writ/contract';
import type { EffectFinding } from '@writ/effect';
import { stricterOf, supervisionsFrom, type PolicyAsk, type PolicyDecision, type Supervision } from '../ask.ts';
import { effectFacts, type EffectFacts } from '../effect.ts';
import type { PolicySet } from '../policy-set.ts';
import { allAtOnce, questioner, type Answer, type Steps } from './cedar.ts';
import { findingGrounds, leastOf, riskGrounds, type Ground } from './corridor.ts';
import { decisionOf, failed, type Course } from './decision.ts';
import { brokenRules } from './history.ts';

/** An ask with the effect of the call: what it changed, and the supervision that it already had. */
export interface EffectAsk extends PolicyAsk {
  readonly changes: readonly Pick<Change, 'path' | 'before' | 'after'>[];
  /** the mode under which the call ran; an effect isn't asked to need less */
  readonly granted: AutonomyMode;
  /** what the rules on effects found in it */
  readonly findings: readonly EffectFinding[];
}

/**
 * Decides what supervision the call needs: the least that risk, thresholds, history and the session leave possible and
 * for which the rules allow every ask, else `no_go`. Deny by default; a forbid wins. A session's `max_autonomy` only
 * lowers. INVARIANT (error refuses): a rule that fails in any ask refuses the call, observed or not; it may be a forbid
 * that couldn't be read.
 */
export function decidePolicy(set: PolicySet, ask: PolicyAsk): PolicyDecision {
  return allAtOnce(decidePolicySteps(set, ask));
}

/**
 * The same in steps. Where rules look at paths, each path costs up to three asks of some 50 µs: who serves others too
 * MUST leave it in between.
 */
export function* decidePolicySteps(set: PolicySet, ask: PolicyAsk): Steps<PolicyDecision> {
  return decisionOf(set, ask, yield* courseOf(set, ask));
}

/**
 * Decides on the effect at commit by the same rules, told what was changed. The mode is at least the one that was
 * granted; only a stricter one asks for something more: a person, or the end of the call. History was asked about at
 * admission, and the call is part of it by now.
 */
export function decideEffectPolicy(set: PolicySet, ask: EffectAsk): PolicyDecision {
  return allAtOnce(decideEffectPolicySteps(set, ask));
}

/** The same in steps, as `decidePolicySteps`. */
export function* decideEffectPolicySteps(set: PolicySet, ask: EffectAsk): Steps<PolicyDecision> {
  return decisionOf(set, ask, yield* effectCourseOf(set, ask));
}

/** How a decision came about: what asked for supervision, and each ask with its answer. */
export function* courseOf(set: PolicySet, ask: PolicyAsk): Steps<Course> {
  const { broken, errors } = brokenRules(set, ask, ask.history);
  if (errors.length > 0) return failed(errors);
  return yield* follow(set, ask, { granted: 'autopilot', broken, paths: ask.resources, effect: undefined });
}

export function* effectCourseOf(set: PolicySet, ask: EffectAsk): Steps<Course> {
  const written = ask.changes.map(({ path }): FsResource => ({ kind: 'fs', access: 'write', path }));
  return yield* follow(set, ask, {
    granted: ask.granted,
    broken: findingGrounds(ask.findings),
    paths: written,
    effect: effectFacts(ask.changes),
  });
}

interface Matter {
  readonly granted: AutonomyMode;
  /** what asks for supervision beside risk: broken rules on history, findings on the effect */
  readonly broken: readonly Ground[];
  readonly paths: readonly FsResource[];
  readonly effect: EffectFacts | undefined;
}

function* follow(set: PolicySet, ask: PolicyAsk, { granted, broken, paths, effect }: Matter): Steps<Course> {
  const slice = set.sliceFor(ask);
  if (!isRisk(ask.risk_milli)) return failed([`a risk of ${ask.risk_milli} thousandths isn't one`]);
  const risk = riskGrounds(set, ask);
  const standing = wasStaged(ask) ? risk.filter(({ mode }) => mode !== 'soft_gate') : risk;
  const grounds = [...standing, ...broken];
  const least = [granted, ask.max_autonomy ?? 'autopilot', leastOf(grounds)].reduce<AutonomyMode>(
    stricterOf,
    'autopilot',
  );
  const course = { least, grounds, staged: standing.length < risk.length, errors: [] };
  const asks = questioner({
    ask,
    slice,
    risk_level: leastOf(risk),
    history_broken: effect === undefined ? broken.map(({ rule_id }) => rule_id) : [],
    effect,
    paths,
  });
  const answers: [Supervision, Answer][] = [];
  for (const supervision of supervisionsFrom(least)) {
    const answer = yield* asks(supervision);
    if (answer.errors.length > 0) return failed(answer.errors);
    answers.push([supervision, answer]);
    if (answer.allowed) return { ...course, mode: supervision, answers };
    // A forbid that doesn't look at the supervision forbids any.
    if (answer.rules.some((id) => slice.unsupervised.has(id))) break;
  }
  return { ...course, mode: 'no_go', answers };
}

/** Compared with thresholds, what isn't a number would pass them all. */
const isRisk = (milli: number): boolean => Number.isSafeInteger(milli) && milli >= 0 && milli <= 1000;

/**
 * In a gateway session nobody can be asked; a change that was staged with a token was shown, which is what a soft gate
 * is for.
 */
const wasStaged = ({ staged_change, session_mode, category }: PolicyAsk): boolean =>
  staged_change && session_mode === 'gateway' && category === 'write';
