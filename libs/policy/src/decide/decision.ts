// SPDX-License-Identifier: Apache-2.0
import type { AppliedRedaction, ApproverDemand, AutonomyMode, Reason } from '@writ/contract';
import {
  stricterOf,
  type Approvers,
  type PolicyFault,
  type PolicyRequest,
  type PolicyDecision,
  type Supervision,
} from '../policy-request.ts';
import type { PolicyRule, PolicySet } from '../policy-set.ts';
import type { Answer } from './cedar.ts';
import type { SupervisionRequirement } from './corridor.ts';
import { approvalWords } from './format.ts';

/** How a decision came about, before its words. */
export interface DecisionTrace {
  readonly mode: AutonomyMode;
  /** the initial supervision */
  readonly least: AutonomyMode;
  /** requirements that do not come from the rules' text */
  readonly grounds: readonly SupervisionRequirement[];
  /** whether a soft gate was dropped, because the change was staged */
  readonly staged: boolean;
  readonly answers: readonly (readonly [Supervision, Answer])[];
  /** the rules that redact its result, by their ids */
  readonly redactions: readonly AppliedRedaction[];
  /** the rules that reserve its approval for groups, by their ids */
  readonly reserved: readonly string[];
  readonly errors: readonly string[];
  readonly fault: PolicyFault | null;
}

/** A trace that ends at once, because an input is unknown or a rule failed. */
export const failed = (errors: readonly string[], fault: PolicyFault = 'policy.error'): DecisionTrace => ({
  mode: 'no_go',
  least: 'no_go',
  grounds: [],
  staged: false,
  answers: [],
  redactions: [],
  reserved: [],
  errors,
  fault,
});

/** Something that decided: its id, its reason, and how many people it requires. */
interface DecisionFactor {
  readonly id: string;
  readonly reason: string;
  readonly quorum: number | null;
}

/** A factor against less supervision, and what would have passed it. */
interface OpposingFactor extends DecisionFactor {
  readonly would_pass: string;
}

const STAGED: DecisionFactor = {
  id: 'session.staged_change',
  reason: 'the change was staged and is applied with its token, so it was shown before',
  quorum: null,
};
const OBSERVED = 'policy.observed';

/** Phrases a decision, and determines what is enforced. */
export function decisionOf(set: PolicySet, ask: PolicyRequest, course: DecisionTrace): PolicyDecision {
  const { enforcement } = set.document;
  if (course.errors.length > 0) {
    const fault = course.fault ?? 'policy.error';
    const reasons = course.errors.map((message) => ({ code: fault, message }));
    return {
      mode: 'no_go',
      decided: 'no_go',
      enforcement,
      rule_ids: [],
      reasons,
      would_pass: [],
      approvers: null,
      redactions: [],
      errors: course.errors,
      fault,
    };
  }
  const against = opposingFactors(set, ask, course);
  const last = course.answers.at(-1)?.[1];
  const allowing = last?.allowed === true ? last.rules.map((id) => factorOf(set, id)) : [];
  const mode = enforcement === 'observe' ? enforcedOf(ask, course) : course.mode;
  const factors = [
    ...(enforcement === 'observe' ? [observed(course.mode)] : []),
    ...against,
    ...(course.staged ? [STAGED] : []),
    ...allowing,
    ...course.redactions.map((redaction) => redactingFactor(set, redaction)),
  ];
  const approvers = approversOf(set, mode, factors, course.reserved);
  return {
    mode,
    decided: course.mode,
    enforcement,
    rule_ids: [...new Set(factors.map(({ id }) => id))],
    reasons: factors.map(({ id, reason }): Reason => ({ code: id, message: reason })),
    would_pass: course.mode === 'autopilot' ? [] : wouldPass(ask, course, against, approvers),
    approvers,
    redactions: course.redactions,
    errors: [],
    fault: null,
  };
}

/** The factors against less supervision: requirements first, then rules in the order of evaluation. */
function opposingFactors(
  set: PolicySet,
  ask: PolicyRequest,
  { mode, least, grounds, answers }: DecisionTrace,
): OpposingFactor[] {
  const denying = new Set(answers.filter(([, { allowed }]) => !allowed).flatMap(([, { rules }]) => rules));
  const factors = [
    ...grounds.map(({ rule_id, reason, would_pass }): OpposingFactor => ({
      id: rule_id,
      reason,
      would_pass,
      quorum: null,
    })),
    ...[...denying].map((id) => ({
      ...factorOf(set, id),
      would_pass: set.rules.get(id)?.would_pass ?? `a call that \`${id}\` doesn't forbid`,
    })),
  ];
  if (mode !== 'no_go' || denying.size > 0 || grounds.some((ground) => ground.mode === 'no_go')) return factors;
  return [...factors, least === 'no_go' ? NOTHING_RUNS : unpermittedFactor(ask)];
}

const NOTHING_RUNS: OpposingFactor = {
  id: 'session.max_autonomy',
  reason: 'the session lets nothing run',
  would_pass: 'a session that lets something run',
  quorum: null,
};

const unpermittedFactor = ({ tool_id, category, session_mode }: PolicyRequest): OpposingFactor => {
  const what = `\`${tool_id}\` of category ${category} in a session that is ${session_mode}`;
  return {
    id: 'default.deny',
    reason: `no rule permits ${what}`,
    would_pass: `a rule that permits ${what}`,
    quorum: null,
  };
};

function factorOf({ rules }: PolicySet, id: string): DecisionFactor {
  const { reason, quorum } = rules.get(id) as PolicyRule;
  return { id, reason, quorum };
}

/** It requires nobody, and says which members of the result nobody sees. */
function redactingFactor(set: PolicySet, { rule, pointers }: AppliedRedaction): DecisionFactor {
  const shown = pointers.map((pointer) => `\`${pointer}\``).join(', ');
  return { id: rule, reason: `${factorOf(set, rule).reason}; of the result ${shown} is redacted`, quorum: null };
}

/**
 * What a set that observes still enforces: the session's own limit, calls that the risk table rules out, an emptied
 * workspace, redactions, and all decisions on admin tools. Checks outside of policy (token, budgets, revocation) apply
 * anyway.
 */
function enforcedOf(
  { category, risk_ceiling, max_autonomy }: PolicyRequest,
  { mode, grounds }: DecisionTrace,
): AutonomyMode {
  if (
    category === 'admin' ||
    risk_ceiling === 'no_go' ||
    grounds.some(({ rule_id }) => rule_id === 'effect.emptied_workspace')
  )
    return mode;
  return stricterOf('autopilot', max_autonomy ?? 'autopilot');
}

const observed = (mode: AutonomyMode): DecisionFactor => ({
  id: OBSERVED,
  reason: `the policy is observed only; it decides ${mode}`,
  quorum: null,
});

/** The largest quorum that any factor requires, and at least the set's own; and the groups that must approve. */
function approversOf(
  { document: { quorum }, rules }: PolicySet,
  mode: AutonomyMode,
  factors: readonly DecisionFactor[],
  reserved: readonly string[],
): Approvers | null {
  if (mode !== 'soft_gate' && mode !== 'escalated') return null;
  const groups = distinctDemands(reserved.flatMap((id) => rules.get(id)?.demands ?? []));
  const quorums = [...factors.map((voice) => voice.quorum ?? 0), ...groups.map(({ count }) => count)];
  return {
    count: quorums.reduce((most, one) => Math.max(most, one), quorum[mode]),
    role: mode === 'escalated' ? 'admin' : 'operator',
    ...(groups.length === 0 ? {} : { groups }),
  };
}

/** One demand for the same groups: the largest. */
function distinctDemands(demands: readonly ApproverDemand[]): ApproverDemand[] {
  const largest = new Map<string, ApproverDemand>();
  for (const demand of demands) {
    const key = demand.any_of.join();
    if ((largest.get(key)?.count ?? 0) < demand.count) largest.set(key, demand);
  }
  return [...largest.values()];
}

function wouldPass(
  { max_autonomy }: PolicyRequest,
  { mode, least }: DecisionTrace,
  against: readonly OpposingFactor[],
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
