// SPDX-License-Identifier: Apache-2.0
import { AUTONOMY_MODES, type Delta, type Reason, type ToolDefinition } from '@writ/contract';
import { endingFault, type EndingFault } from '../endings/index.ts';
import type { ActivePolicy } from '../ports/index.ts';
import type { OperationRow } from '../store/index.ts';

/** An attempt whose effect is judged. */
export interface JudgedEffect {
  readonly operation: OperationRow;
  readonly tool: ToolDefinition;
  readonly args: Readonly<Record<string, unknown>>;
  readonly delta: Delta;
  /** of the session and the workspace */
  readonly labels: readonly string[];
}

/** An effect that a person may let pass, and the call has not had that person's yes. */
export interface MoreSupervision {
  readonly mode: 'soft_gate' | 'escalated';
  readonly reasons: readonly Reason[];
  /** of the policy that asks */
  readonly policy_hash: string;
  /** how long it waits for a person, in milliseconds */
  readonly approval_ms: number;
}

/**
 * Asks the policy in force about what the call did, as it was asked about what the call said: every changed path is a write. Null when the effect needs no
 * more supervision than the call has had.
 */
export function decideEffectPolicy(policy: ActivePolicy, { operation, tool, args, delta, labels }: JudgedEffect): EndingFault | MoreSupervision | null {
  const asked = policy.judgeEffect({
    tenant_id: operation.tenant_id,
    agent_id: operation.agent_id,
    workspace_id: operation.workspace_id ?? '',
    tool,
    args,
    resources: delta.changes.map(({ path }) => ({ kind: 'fs', access: 'write', path })),
    task_class: operation.task_class,
    session_mode: operation.session_mode,
    max_autonomy: null,
    labels,
    // History was asked about at admission, and the call is part of it by now.
    history: null,
    past: null,
    changes: delta.changes,
    granted: operation.autonomy_mode,
  });
  if (asked.effect === 'refuse') return endingFault('effect.out_of_scope', asked.message, asked.hint);
  const { autonomy_mode: mode, reasons } = asked;
  if (AUTONOMY_MODES.indexOf(mode) <= AUTONOMY_MODES.indexOf(operation.autonomy_mode)) return null;
  if (mode === 'soft_gate' || mode === 'escalated') return { mode, reasons, policy_hash: policy.hash, approval_ms: policy.approvalMs };
  return endingFault('effect.out_of_scope', reasons[0]?.message ?? 'the policy forbids this effect',
    'a call whose arguments name these files is judged before it runs');
}
