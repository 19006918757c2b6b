// SPDX-License-Identifier: Apache-2.0
import type { AutonomyMode, Change, FsResource } from '@writ/contract';
import type { EffectFinding } from '@writ/effect';
import {
  stricterOf,
  supervisionsFrom,
  type PolicyRequest,
  type PolicyDecision,
  type Supervision,
} from '../policy-request.ts';
import { effectFacts, type EffectFacts } from '../effect.ts';
import type { PolicySet } from '../policy-set.ts';
import { evaluator, factsOf, type Answer, type Question } from './cedar.ts';
import { decideRedactions } from './redacting-rules.ts';
import { decideReservations, reservationGround } from './reserving-rules.ts';
import { readArguments } from './read-arguments.ts';
import { runToCompletion, type Steps } from './steps.ts';
import { findingGrounds, leastOf, riskGrounds, type SupervisionRequirement } from './corridor.ts';
import { decisionOf, failed, type DecisionTrace } from './decision.ts';
import { brokenRules } from './history.ts';

/** A request with the effect of the call: its changes, and the supervision that it already had. */
export interface EffectRequest extends PolicyRequest {
  readonly changes: readonly Pick<Change, 'path' | 'before' | 'after'>[];
  /** the mode under which the call ran; its effect never needs less */
  readonly granted: AutonomyMode;
  /** the findings of the rules on effects */
  readonly findings: readonly EffectFinding[];
}

/**
 * Decides the supervision of a call: the least that risk, thresholds, history and the session allow and at which the
 * rules allow all its paths, else `no_go`. Deny by default; a forbid wins. A session's `max_autonomy` can only
 * restrict. INVARIANT (error refuses): a rule that fails in any evaluation refuses the call, observed or not, since it
 * may be a forbid.
 */
export function decidePolicy(set: PolicySet, ask: PolicyRequest): PolicyDecision {
  return runToCompletion(decidePolicySteps(set, ask));
}

/**
 * The same in steps. If rules read paths, each path costs up to three evaluations of some 50 µs, so a server MUST yield
 * to other work in between.
 */
export function* decidePolicySteps(set: PolicySet, ask: PolicyRequest): Steps<PolicyDecision> {
  return decisionOf(set, ask, yield* traceDecision(set, ask));
}

/**
 * Decides on the effect at commit by the same rules, with the changes. The mode is at least the granted one; only a
 * stricter one requires more: a person, or the end of the call. History was checked at admission, and includes the call
 * by now.
 */
export function decideEffectPolicy(set: PolicySet, ask: EffectRequest): PolicyDecision {
  return runToCompletion(decideEffectPolicySteps(set, ask));
}

/** The same in steps, as `decidePolicySteps`. */
export function* decideEffectPolicySteps(set: PolicySet, ask: EffectRequest): Steps<PolicyDecision> {
  return decisionOf(set, ask, yield* traceEffectDecision(set, ask));
}

/** How a decision came about: what required supervision, and each evaluation with its answer. */
export function* traceDecision(set: PolicySet, ask: PolicyRequest): Steps<DecisionTrace> {
  const { broken, errors } = brokenRules(set, ask, ask.history);
  if (errors.length > 0) return failed(errors);
  return yield* evaluateLevels(set, ask, { granted: 'autopilot', broken, paths: ask.resources, effect: undefined });
}

export function* traceEffectDecision(set: PolicySet, ask: EffectRequest): Steps<DecisionTrace> {
  const written = ask.changes.map(({ path }): FsResource => ({ kind: 'fs', access: 'write', path }));
  return yield* evaluateLevels(set, ask, {
    granted: ask.granted,
    broken: findingGrounds(ask.findings),
    paths: written,
    effect: effectFacts(ask.changes),
  });
}

interface EvaluationInputs {
  readonly granted: AutonomyMode;
  /** requirements beside risk: broken rules on history, findings on the effect */
  readonly broken: readonly SupervisionRequirement[];
  readonly paths: readonly FsResource[];
  readonly effect: EffectFacts | undefined;
}

function* evaluateLevels(
  set: PolicySet,
  ask: PolicyRequest,
  { granted, broken, paths, effect }: EvaluationInputs,
): Steps<DecisionTrace> {
  const slice = set.sliceFor(ask);
  if (!isRisk(ask.risk_milli)) return failed([`a risk of ${ask.risk_milli} thousandths isn't one`]);
  const risk = riskGrounds(set, ask);
  const remaining = wasStaged(ask) ? risk.filter(({ mode }) => mode !== 'soft_gate') : risk;
  const risk_level = leastOf(risk);
  const read = yield* readArguments(slice, ask, factsOf({ ask, risk_level, effect }));
  if (read !== null && !read.ok) return failed(read.errors, read.fault);
  const question: Question = {
    ask,
    slice,
    risk_level,
    history_broken: effect === undefined ? broken.map(({ rule_id }) => rule_id) : [],
    effect,
    paths,
    ...(read === null ? {} : { args: read.record }),
  };
  const { redactions, errors } = yield* decideRedactions(set, question);
  const reservations = yield* decideReservations(question);
  const failures = [...errors, ...reservations.errors];
  if (failures.length > 0) return failed(failures);
  const { reserved } = reservations;
  const grounds = [...remaining, ...broken, ...reserved.map((id) => reservationGround(set, id))];
  const least = [granted, ask.max_autonomy ?? 'autopilot', leastOf(grounds)].reduce<AutonomyMode>(
    stricterOf,
    'autopilot',
  );
  const staged = remaining.length < risk.length;
  const course = { least, grounds, staged, redactions, reserved, errors: [], fault: null };
  const evaluate = evaluator(question);
  const answers: [Supervision, Answer][] = [];
  for (const supervision of supervisionsFrom(least)) {
    const answer = yield* evaluate(supervision);
    if (answer.errors.length > 0) return failed(answer.errors);
    answers.push([supervision, answer]);
    if (answer.allowed) return { ...course, mode: supervision, answers };
    // A forbid that doesn't read the supervision forbids at every level.
    if (answer.rules.some((id) => slice.unsupervised.has(id))) break;
  }
  return { ...course, mode: 'no_go', answers };
}

/** A value that isn't a number would pass all comparisons with thresholds. */
const isRisk = (milli: number): boolean => Number.isSafeInteger(milli) && milli >= 0 && milli <= 1000;

/**
 * Nobody can be asked in a gateway session. But a change that was staged with a token was shown before, which is the
 * purpose of a soft gate.
 */
const wasStaged = ({ staged_change, session_mode, category }: PolicyRequest): boolean =>
  staged_change && session_mode === 'gateway' && category === 'write';
