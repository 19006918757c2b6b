// SPDX-License-Identifier: Apache-2.0
import type { AutonomyMode, Change, FsResource } from '@writ/contract';
import { stricterOf, supervisionsFrom, type PolicyAsk, type PolicyDecision, type Supervision } from '../ask.ts';
import { effectFacts, type EffectFacts } from '../effect.ts';
import type { PolicySet } from '../policy-set.ts';
import { questioner, type Answer } from './cedar.ts';
import { leastOf, riskGrounds, type Ground } from './corridor.ts';
import { decisionOf, failed, type Course } from './decision.ts';
import { brokenRules } from './history.ts';

/** Paths that one decision asks about one by one; more can't be decided by rules that look at paths. Each costs up to three asks of some 50 µs. */
const PATHS_MAX = 1000;

/** An ask with the effect of the call: what it changed, and the supervision that it already had. */
export interface EffectAsk extends PolicyAsk {
  readonly changes: readonly Pick<Change, 'path' | 'before' | 'after'>[];
  /** the mode under which the call ran; an effect isn't asked to need less */
  readonly granted: AutonomyMode;
}

/**
 * Decides what supervision the call needs: the least that risk, thresholds, history and the session leave possible and for which the rules allow every ask,
 * else `no_go`. Deny by default; a forbid wins. A session's `max_autonomy` only lowers. INVARIANT (error refuses): a rule that fails in any ask refuses
 * the call, observed or not; it may be a forbid that couldn't be read.
 */
export function decidePolicy(set: PolicySet, ask: PolicyAsk): PolicyDecision {
  return decisionOf(set, ask, courseOf(set, ask));
}

/**
 * Decides on the effect at commit by the same rules, told what was changed. The mode is at least the one that was granted; only a
 * stricter one asks for something more: a person, or the end of the call. History was asked about at admission, and the call is part of it by now.
 */
export function decideEffectPolicy(set: PolicySet, ask: EffectAsk): PolicyDecision {
  return decisionOf(set, ask, effectCourseOf(set, ask));
}

/** How a decision came about: what asked for supervision, and each ask with its answer. */
export function courseOf(set: PolicySet, ask: PolicyAsk): Course {
  const { broken, errors } = brokenRules(set, ask, ask.history);
  if (errors.length > 0) return failed(errors);
  return follow(set, ask, { granted: 'autopilot', broken, paths: ask.resources, effect: undefined });
}

export function effectCourseOf(set: PolicySet, ask: EffectAsk): Course {
  const written = ask.changes.map(({ path }): FsResource => ({ kind: 'fs', access: 'write', path }));
  return follow(set, ask, { granted: ask.granted, broken: [], paths: written, effect: effectFacts(ask.changes) });
}

interface Matter {
  readonly granted: AutonomyMode;
  readonly broken: readonly Ground[];
  readonly paths: readonly FsResource[];
  readonly effect: EffectFacts | undefined;
}

function follow(set: PolicySet, ask: PolicyAsk, { granted, broken, paths, effect }: Matter): Course {
  const slice = set.sliceFor(ask);
  if (!isRisk(ask.risk_milli)) return failed([`a risk of ${ask.risk_milli} thousandths isn't one`]);
  if (slice.reads.resource && paths.length > PATHS_MAX) return failed([`rules look at paths, and ${paths.length} are more than can be asked about`]);
  const risk = riskGrounds(set, ask);
  const standing = wasStaged(ask) ? risk.filter(({ mode }) => mode !== 'soft_gate') : risk;
  const grounds = [...standing, ...broken];
  const least = [granted, ask.max_autonomy ?? 'autopilot', leastOf(grounds)].reduce<AutonomyMode>(stricterOf, 'autopilot');
  const course = { least, grounds, staged: standing.length < risk.length, errors: [] };
  const asks = questioner({ ask, slice, risk_level: leastOf(risk), history_broken: broken.map(({ rule_id }) => rule_id), effect, paths });
  const answers: [Supervision, Answer][] = [];
  for (const supervision of supervisionsFrom(least)) {
    const answer = asks(supervision);
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

/** In a gateway session nobody can be asked; a change that was staged with a token was shown, which is what a soft gate is for. */
const wasStaged = ({ staged_change, session_mode, category }: PolicyAsk): boolean => staged_change && session_mode === 'gateway' && category === 'write';

