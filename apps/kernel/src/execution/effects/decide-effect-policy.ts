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
import { endingFault, type EndingFault } from '../outcomes/index.ts';
import { delegatorsOf, hintOf, passReasons } from '../../judging/judgement/index.ts';
import type { ActivePolicy, Supervision } from '../../judging/policies/policy-sets.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';

/** Begins what a set that observes says: see `cedarPolicy`. */
const OBSERVED = 'policy.observed';

/** An attempt whose effect is judged. */
export interface JudgedEffect {
  readonly operation: OperationRow;
  readonly chain: readonly CapabilityToken[];
  readonly tool: ToolDefinition;
  readonly args: Readonly<Record<string, unknown>>;
  readonly delta: Delta;
  /** of the session and the workspace */
  readonly labels: readonly string[];
  /** how much supervision the call has had */
  readonly granted: AutonomyMode;
  readonly examined: EffectExamination;
  /** whether persons approved this very effect */
  readonly isApproved: boolean;
}

/** An effect that a person may let pass, and the call has not had that person's yes. */
export interface MoreSupervision {
  readonly mode: 'soft_gate' | 'escalated';
  readonly reasons: readonly Reason[];
  readonly rule_ids: readonly string[];
  /** what would have let it be without anybody, in words: one or none */
  readonly passes: readonly string[];
  /** of the policy that asks */
  readonly policy_hash: string;
  /** how long it waits for a person, in milliseconds */
  readonly approval_ms: number;
  /** how many persons must approve it */
  readonly quorum: number;
  /** whether it is findings on the effect that ask: no yes that was given before covers them */
  readonly asksAnew: boolean;
}

/** What the policy says of an effect beside its verdict, for the record (ids) and for the caller (reasons). */
export interface SaidOfEffect {
  readonly rule_ids: readonly string[];
  readonly reasons: readonly Reason[];
}

/** Whether policy lets an effect be: not at all (`fault`), with a person's yes (`asks`), or as it is. */
export interface EffectPolicy {
  readonly fault: EndingFault | null;
  readonly asks: MoreSupervision | null;
  /** null where it has nothing to add to what it said of the call */
  readonly said: SaidOfEffect | null;
}

/** What there is to say of an effect that policy is not asked about. */
export const UNASKED: EffectPolicy = { fault: null, asks: null, said: null };

/** What helps an effect that policy doesn't let be, where nobody is asked: a yes to the action covers no finding. */
export function effectHint({ asksAnew, reasons }: Pick<MoreSupervision, 'asksAnew' | 'reasons'>): string {
  const rule = asksAnew ? PERMITTED_EFFECTS.find((each) => reasons.some(({ code }) => code === each)) : undefined;
  return rule === undefined
    ? 'a call whose arguments name these files is judged before it runs'
    : `a token may permit \`${rule}\`, in the \`effects\` of its grant`;
}

/** How many persons let the call go so far. Supervised is never less than one. */
const approversOf = ({ approvers }: OperationRow, granted: AutonomyMode): number =>
  Math.max(approvers, granted === 'autopilot' ? 0 : 1);

/**
 * Asks the policy in force about what the call did, as it was asked about what the call said: every changed path is a
 * write. It lets be what needs no more supervision than the call has had; a set that observes lets everything be, and
 * what it decides is said.
 */
export async function decideEffectPolicy(
  policy: ActivePolicy,
  { operation, chain, tool, args, delta, labels, granted, examined, isApproved }: JudgedEffect,
): Promise<EffectPolicy> {
  const asked = await policy.judgeEffect({
    tenant_id: operation.tenant_id,
    agent_id: operation.agent_id,
    delegated_by: delegatorsOf(operation.agent_id, chain),
    workspace_id: operation.workspace_id ?? '',
    tool,
    args,
    resources: delta.changes.map(({ path }) => ({ kind: 'fs', access: 'write', path })),
    task_class: operation.task_class,
    session_mode: operation.session_mode,
    job_lists_tool: listsTool(chain, operation.tool_id),
    max_autonomy: null,
    labels,
    // History was asked about at admission, and the call is part of it by now.
    history: null,
    past: null,
    changes: delta.changes,
    granted,
    examined,
    isApproved,
    permitted: PERMITTED_EFFECTS.filter((rule) => chain.every(({ grant }) => grant.effects?.includes(rule) === true)),
  });
  if (asked.effect === 'refuse')
    return { ...UNASKED, fault: endingFault('effect.out_of_scope', asked.message, asked.hint) };
  const { autonomy_mode: mode, rule_ids, reasons } = asked;
  const quorum = mode === 'autopilot' ? 0 : (asked.approvers?.count ?? 1);
  const had = asked.asksAnew === true ? 'autopilot' : granted;
  const approvers = asked.asksAnew === true ? 0 : approversOf(operation, granted);
  if (AUTONOMY_MODES.indexOf(mode) <= AUTONOMY_MODES.indexOf(had) && quorum <= approvers)
    return { ...UNASKED, said: observedOf(asked) };
  if (mode === 'soft_gate' || mode === 'escalated') {
    const { hash: policy_hash, approvalMs: approval_ms } = policy;
    const passes = passReasons(asked);
    const said = { rule_ids, reasons: [...reasons, ...passes] };
    const asksAnew = asked.asksAnew === true;
    return {
      ...UNASKED,
      said,
      asks: { ...said, mode, passes: passes.map(({ message }) => message), policy_hash, approval_ms, quorum, asksAnew },
    };
  }
  const fault = endingFault(
    'effect.out_of_scope',
    reasons[0]?.message ?? 'the policy forbids this effect',
    hintOf(asked, effectHint({ asksAnew: asked.asksAnew === true, reasons })),
  );
  return { ...UNASKED, fault, said: { rule_ids, reasons } };
}

/**
 * What is said of an effect that may be: findings that are approved, permitted or only observed, and what a set that
 * observes would have enforced. Null where there is nothing. The ids of a set that observes say that they are the
 * effect's: the call had a verdict of its own.
 */
function observedOf({ autonomy_mode, decided, rule_ids, reasons }: Supervision): SaidOfEffect | null {
  const isFinding = (id: string): boolean => (EFFECT_RULES as readonly string[]).includes(id);
  if (!rule_ids.some((id) => id.startsWith(`${OBSERVED}:`))) {
    const found = rule_ids.filter(isFinding);
    return found.length === 0 ? null : { rule_ids: found, reasons: reasons.filter(({ code }) => isFinding(code)) };
  }
  const said =
    decided === autonomy_mode
      ? reasons.filter(({ code }) => isFinding(code))
      : reasons.map(({ code, message }) => ({
          code,
          message: code === OBSERVED ? `${message} of the effect` : message,
        }));
  return { rule_ids, reasons: said };
}
