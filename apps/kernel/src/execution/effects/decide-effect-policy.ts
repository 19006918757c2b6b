// SPDX-License-Identifier: Apache-2.0
import {
  AUTONOMY_MODES,
  EFFECT_RULES,
  PERMITTED_EFFECTS,
  type AutonomyMode,
  type CapabilityToken,
  type Delta,
  type Reason,
  type ToolDefinition,
} from '@writ/contract';
import { listsTool } from '@writ/capability';
import type { EffectExamination } from '@writ/effect';
import { areCovered, type Demands } from '../held/demands.ts';
import { outcomeFault, type OutcomeFault } from '../outcomes/index.ts';
import { delegatorsOf, hintOf, isStaged, passReasons, personOf } from '../../judging/judgement/index.ts';
import type {
  ActivePolicy,
  JudgedEffect as EffectQuestion,
  PolicyWaiting,
  Supervision,
} from '../../judging/policies/policy-sets.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';

/** Prefix of the rule ids of a set that observes: see `cedarPolicy`. */
const OBSERVED = 'policy.observed';

/** An attempt whose effect is judged. */
export interface AttemptEffect {
  readonly operation: OperationRow;
  readonly chain: readonly CapabilityToken[];
  readonly tool: ToolDefinition;
  readonly args: Readonly<Record<string, unknown>>;
  readonly delta: Delta;
  /** of the session and the workspace */
  readonly labels: readonly string[];
  /** the supervision that the call has had */
  readonly granted: AutonomyMode;
  readonly examined: EffectExamination;
  /** whether persons approved this very effect */
  readonly isApproved: boolean;
}

/** An effect that may commit only if a person approves it, and that person has not. */
export interface MoreSupervision {
  readonly mode: 'soft_gate' | 'escalated';
  readonly reasons: readonly Reason[];
  readonly rule_ids: readonly string[];
  /** how it would have passed without a person, in words: one or none */
  readonly passes: readonly string[];
  /** of the policy that requires it */
  readonly policy_hash: string;
  /** how long it waits for a person, in milliseconds */
  readonly approval_ms: number;
  /** how many persons must approve it */
  readonly quorum: number;
  /** which groups they must be of; none: anybody may approve */
  readonly demands: Demands;
  /** what happens while it waits */
  readonly waiting: PolicyWaiting | null;
  /** whether findings on the effect require it: no earlier approval covers them */
  readonly requiresNewApproval: boolean;
}

/** What policy found about an effect, apart from its verdict: ids for the record and reasons for the caller. */
export interface EffectFindings {
  readonly rule_ids: readonly string[];
  readonly reasons: readonly Reason[];
}

/** Whether policy permits an effect: not at all (`fault`), with a person's approval (`asks`), or as it is. */
export interface EffectPolicy {
  readonly fault: OutcomeFault | null;
  readonly moreSupervision: MoreSupervision | null;
  /** null where it has nothing to add to its judgement of the call */
  readonly findings: EffectFindings | null;
}

/** The result for an effect that policy doesn't judge. */
export const NOT_JUDGED: EffectPolicy = { fault: null, moreSupervision: null, findings: null };

/**
 * How an effect that policy doesn't permit could pass where no person can be asked: an approval of the action covers no
 * finding.
 */
export function effectHint({
  requiresNewApproval,
  reasons,
}: Pick<MoreSupervision, 'requiresNewApproval' | 'reasons'>): string {
  const rule = requiresNewApproval
    ? PERMITTED_EFFECTS.find((each) => reasons.some(({ code }) => code === each))
    : undefined;
  return rule === undefined
    ? 'a call whose arguments name these files is judged before it runs'
    : `a token may permit \`${rule}\`, in the \`effects\` of its grant`;
}

/** How many persons have approved the call so far. A supervised call counts at least one. */
const approversOf = ({ approvers }: OperationRow, granted: AutonomyMode): number =>
  Math.max(approvers, granted === 'autopilot' ? 0 : 1);

/** The input of policy for an effect: every changed path is a write. */
function effectInputOf({ operation, chain, tool, args, delta, ...more }: AttemptEffect): EffectQuestion {
  const { labels, granted, examined, isApproved } = more;
  return {
    tenant_id: operation.tenant_id,
    agent_id: operation.agent_id,
    delegated_by: delegatorsOf(operation.agent_id, chain),
    workspace_id: operation.workspace_id ?? '',
    tool,
    args,
    resources: delta.changes.map(({ path }) => ({ kind: 'fs', access: 'write', path })),
    task_class: operation.task_class,
    session_mode: operation.session_mode,
    person: personOf(operation),
    job_lists_tool: listsTool(chain, operation.tool_id),
    max_autonomy: null,
    staged_change: isStaged(operation),
    labels,
    // Admission judged by history, and the call is part of it by now.
    history: null,
    past: null,
    changes: delta.changes,
    granted,
    examined,
    isApproved,
    permitted: PERMITTED_EFFECTS.filter((rule) => chain.every(({ grant }) => grant.effects?.includes(rule) === true)),
  };
}

/**
 * Has the policy in force judge the call's effect, as it judged the call's arguments. It permits an effect that needs
 * no more supervision than the call has had. A set that observes permits every effect; its decision is reported.
 */
export async function decideEffectPolicy(policy: ActivePolicy, effect: AttemptEffect): Promise<EffectPolicy> {
  const { operation, granted } = effect;
  const verdict = await policy.judgeEffect(effectInputOf(effect));
  if (verdict.effect === 'refuse')
    return { ...NOT_JUDGED, fault: outcomeFault('effect.out_of_scope', verdict.message, verdict.hint) };
  const { autonomy_mode: mode, rule_ids, reasons } = verdict;
  const quorum = mode === 'autopilot' ? 0 : (verdict.approvers?.count ?? 1);
  const hadSupervision = verdict.requiresNewApproval === true ? 'autopilot' : granted;
  const approvers = verdict.requiresNewApproval === true ? 0 : approversOf(operation, granted);
  const demands = verdict.approvers?.groups ?? [];
  const met = verdict.requiresNewApproval === true ? null : operation.demands_met;
  const isSupervised = AUTONOMY_MODES.indexOf(mode) <= AUTONOMY_MODES.indexOf(hadSupervision);
  if (isSupervised && quorum <= approvers && areCovered(demands, met))
    return { ...NOT_JUDGED, findings: observedOf(verdict) };
  if (mode === 'soft_gate' || mode === 'escalated') {
    const { hash: policy_hash, approvalMs: approval_ms, waiting } = policy;
    const passes = passReasons(verdict);
    const findings = { rule_ids, reasons: [...reasons, ...passes] };
    const requiresNewApproval = verdict.requiresNewApproval === true;
    return {
      ...NOT_JUDGED,
      findings,
      moreSupervision: {
        ...findings,
        mode,
        passes: passes.map(({ message }) => message),
        policy_hash,
        approval_ms,
        quorum,
        demands,
        waiting,
        requiresNewApproval,
      },
    };
  }
  const fault = outcomeFault(
    'effect.out_of_scope',
    reasons[0]?.message ?? 'the policy forbids this effect',
    hintOf(verdict, effectHint({ requiresNewApproval: verdict.requiresNewApproval === true, reasons })),
  );
  return { ...NOT_JUDGED, fault, findings: { rule_ids, reasons } };
}

/**
 * The findings on a permitted effect: those that are approved, permitted or only observed, and what a set that observes
 * would have enforced. Null where there is none. The reasons of a set that observes name the effect, since the call had
 * its own verdict.
 */
function observedOf({ autonomy_mode, decided, rule_ids, reasons }: Supervision): EffectFindings | null {
  const isFinding = (id: string): boolean => (EFFECT_RULES as readonly string[]).includes(id);
  if (!rule_ids.some((id) => id.startsWith(`${OBSERVED}:`))) {
    const found = rule_ids.filter(isFinding);
    return found.length === 0 ? null : { rule_ids: found, reasons: reasons.filter(({ code }) => isFinding(code)) };
  }
  const shownReasons =
    decided === autonomy_mode
      ? reasons.filter(({ code }) => isFinding(code))
      : reasons.map(({ code, message }) => ({
          code,
          message: code === OBSERVED ? `${message} of the effect` : message,
        }));
  return { rule_ids, reasons: shownReasons };
}
