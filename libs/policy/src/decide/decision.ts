// SPDX-License-Identifier: Apache-2.0
import type { AutonomyMode, Reason } from '@writ/contract';
import { stricterOf, type Approvers, type PolicyAsk, type PolicyDecision, type Supervision } from '../ask.ts';
import type { PolicyRule, PolicySet } from '../policy-set.ts';
import type { Answer } from './cedar.ts';
import type { Ground } from './corridor.ts';
import { approvalWords } from './words.ts';

/** How a decision came about, before it is put in words. */
export interface Course {
  readonly mode: AutonomyMode;
  /** the supervision with which asking began */
  readonly least: AutonomyMode;
  /** what asked for supervision outside of the rules' text */
  readonly grounds: readonly Ground[];
  /** whether a soft gate was left out, the change having been staged */
  readonly staged: boolean;
  readonly answers: readonly (readonly [Supervision, Answer])[];
  readonly errors: readonly string[];
}

/** A course that ends at once: something can't be known or evaluated. */
export const failed = (errors: readonly string[]): Course => ({
  mode: 'no_go',
  least: 'no_go',
  grounds: [],
  staged: false,
  answers: [],
  errors,
});

/** One thing that decided: its id, its reason, how many people it asks for. */
interface Voice {
  readonly id: string;
  readonly reason: string;
  readonly quorum: number | null;
}

/** One that stood in the way of less supervision, and what would have passed it. */
interface Opposing extends Voice {
  readonly would_pass: string;
}

const STAGED: Voice = {
  id: 'session.staged_change',
  reason: 'the change was staged and is applied with its token, so it was shown before',
  quorum: null,
};
const OBSERVED = 'policy.observed';

/** Puts a course in words, and says what is enforced of it. */
export function decisionOf(set: PolicySet, ask: PolicyAsk, course: Course): PolicyDecision {
  const { enforcement } = set.document;
  if (course.errors.length > 0) {
    const reasons = course.errors.map((message) => ({ code: 'policy.error', message }));
    return {
      mode: 'no_go',
      decided: 'no_go',
      enforcement,
      rule_ids: [],
      reasons,
      would_pass: [],
      approvers: null,
      errors: course.errors,
    };
  }
  const against = opposing(set, ask, course);
  const last = course.answers.at(-1)?.[1];
  const allowing = last?.allowed === true ? last.rules.map((id) => voiceOf(set, id)) : [];
  const mode = enforcement === 'observe' ? enforcedOf(ask, course) : course.mode;
  const voices = [
    ...(enforcement === 'observe' ? [observed(course.mode)] : []),
    ...against,
    ...(course.staged ? [STAGED] : []),
    ...allowing,
  ];
  const approvers = approversOf(set, mode, voices);
  return {
    mode,
    decided: course.mode,
    enforcement,
    rule_ids: [...new Set(voices.map(({ id }) => id))],
    reasons: voices.map(({ id, reason }): Reason => ({ code: id, message: reason })),
    would_pass: course.mode === 'autopilot' ? [] : wouldPass(ask, course, against, approvers),
    approvers,
    errors: [],
  };
}

/** What stood in the way of less supervision: grounds first, then rules in the order in which they were met. */
function opposing(set: PolicySet, ask: PolicyAsk, { mode, least, grounds, answers }: Course): Opposing[] {
  const denying = new Set(answers.filter(([, { allowed }]) => !allowed).flatMap(([, { rules }]) => rules));
  const voices = [
    ...grounds.map(({ rule_id, reason, would_pass }): Opposing => ({ id: rule_id, reason, would_pass, quorum: null })),
    ...[...denying].map((id) => ({
      ...voiceOf(set, id),
      would_pass: set.rules.get(id)?.would_pass ?? `a call that \`${id}\` doesn't forbid`,
    })),
  ];
  if (mode !== 'no_go' || denying.size > 0 || grounds.some((ground) => ground.mode === 'no_go')) return voices;
  return [...voices, least === 'no_go' ? NOTHING_RUNS : unpermitted(ask)];
}

const NOTHING_RUNS: Opposing = {
  id: 'session.max_autonomy',
  reason: 'the session lets nothing run',
  would_pass: 'a session that lets something run',
  quorum: null,
};

const unpermitted = ({ tool_id, category, session_mode }: PolicyAsk): Opposing => {
  const what = `\`${tool_id}\` of category ${category} in a session that is ${session_mode}`;
  return {
    id: 'default.deny',
    reason: `no rule permits ${what}`,
    would_pass: `a rule that permits ${what}`,
    quorum: null,
  };
};

function voiceOf({ rules }: PolicySet, id: string): Voice {
  const { reason, quorum } = rules.get(id) as PolicyRule;
  return { id, reason, quorum };
}

/**
 * What a set that observes still enforces: the session's own limit, what the risk table rules out, an emptied
 * workspace, and all that it decides of admin tools. Everything outside of policy (token, budgets, revocation) is not
 * asked here and holds anyway.
 */
function enforcedOf({ category, risk_ceiling, max_autonomy }: PolicyAsk, { mode, grounds }: Course): AutonomyMode {
  if (
    category === 'admin' ||
    risk_ceiling === 'no_go' ||
    grounds.some(({ rule_id }) => rule_id === 'effect.emptied_workspace')
  )
    return mode;
  return stricterOf('autopilot', max_autonomy ?? 'autopilot');
}

const observed = (mode: AutonomyMode): Voice => ({
  id: OBSERVED,
  reason: `the policy is observed only; it decides ${mode}`,
  quorum: null,
});

/** The largest quorum that any voice asks for, and the set's own at least. */
function approversOf(
  { document: { quorum } }: PolicySet,
  mode: AutonomyMode,
  voices: readonly Voice[],
): Approvers | null {
  if (mode !== 'soft_gate' && mode !== 'escalated') return null;
  return {
    count: voices.reduce((most, voice) => Math.max(most, voice.quorum ?? 0), quorum[mode]),
    role: mode === 'escalated' ? 'admin' : 'operator',
  };
}

function wouldPass(
  { max_autonomy }: PolicyAsk,
  { mode, least }: Course,
  against: readonly Opposing[],
  approvers: Approvers | null,
): string[] {
  const session =
    max_autonomy !== null && max_autonomy === least && mode !== 'no_go'
      ? [`a session that accepts less than ${max_autonomy}`]
      : [];
  return [
    ...new Set([
      ...(approvers === null ? [] : [approvalWords(approvers)]),
      ...against.map(({ would_pass }) => would_pass),
      ...session,
    ]),
  ];
}
