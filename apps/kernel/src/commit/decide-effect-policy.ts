// SPDX-License-Identifier: Apache-2.0
import { AUTONOMY_MODES, type Delta, type ToolDefinition } from '@writ/contract';
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

/**
 * Asks the policy in force about what the call did, as it was asked about what the call said: every changed path is a write. Null when the effect needs no
 * more supervision than the call has had. What it needs beyond that nobody can give any more, so the call is rolled back.
 */
export function decideEffectPolicy(policy: ActivePolicy, { operation, tool, args, delta, labels }: JudgedEffect): EndingFault | null {
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
    changes: delta.changes,
    granted: operation.autonomy_mode,
  });
  if (asked.effect === 'refuse') return endingFault('effect.out_of_scope', asked.message, asked.hint);
  if (AUTONOMY_MODES.indexOf(asked.autonomy_mode) <= AUTONOMY_MODES.indexOf(operation.autonomy_mode)) return null;
  const [reason] = asked.reasons;
  return endingFault('effect.out_of_scope', reason?.message ?? 'the policy asks for more supervision of this effect than the call has had',
    'a call whose arguments name these files is judged, and can be approved, before it runs');
}
