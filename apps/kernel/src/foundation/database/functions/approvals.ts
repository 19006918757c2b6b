// SPDX-License-Identifier: Apache-2.0
import { sqlTypes } from '@writ/database';
import type { HeldCall, VotedOperation } from '../../rows/held-rows.ts';
import type { OperationRow } from '../../rows/operation-row.ts';
import { kernelFunction } from './kernel-function.ts';

/** Names an approval that the sweep must look at: its time is over, or a step or a reminder is due. */
export interface OverdueApproval {
  readonly tenant_id: string;
  readonly approval_id: string;
}

/** The functions of `sql/functions/approvals` that the kernel calls. */
export const approvalsFunctions = {
  castVote: kernelFunction<OperationRow>()(
    'kernel.cast_vote',
    { tenant: sqlTypes.text, p: sqlTypes.jsonb<object>() },
    { returns: 'value', errors: ['decide_again'] },
  ),
  endHeld: kernelFunction<OperationRow>()(
    'kernel.end_held',
    { tenant: sqlTypes.text, p: sqlTypes.jsonb<object>() },
    { returns: 'value', errors: ['decide_again', 'key_bound', 'check_violation'] },
  ),
  escalateApproval: kernelFunction<OperationRow | null>()(
    'kernel.escalate_approval',
    { tenant: sqlTypes.text, p: sqlTypes.jsonb<object>() },
    { returns: 'value' },
  ),
  heldCall: kernelFunction<HeldCall | null>()(
    'kernel.held_call',
    { tenant: sqlTypes.text, approval: sqlTypes.text },
    { returns: 'value' },
  ),
  overdueApprovals: kernelFunction<OverdueApproval>()(
    'kernel.overdue_approvals',
    { limit: sqlTypes.integer },
    { returns: 'rows' },
  ),
  readmit: kernelFunction<OperationRow>()(
    'kernel.readmit',
    { tenant: sqlTypes.text, p: sqlTypes.jsonb<object>() },
    { returns: 'value', errors: ['decide_again', 'tool_changed', 'key_bound', 'check_violation'] },
  ),
  remindApproval: kernelFunction<OperationRow | null>()(
    'kernel.remind_approval',
    { tenant: sqlTypes.text, approval: sqlTypes.text, reminded: sqlTypes.integer },
    { returns: 'value' },
  ),
  votesOn: kernelFunction<VotedOperation[]>()(
    'kernel.votes_on',
    { tenant: sqlTypes.text, operations: sqlTypes.textArray },
    { returns: 'value' },
  ),
  wakingApprovals: kernelFunction<OverdueApproval>()(
    'kernel.waking_approvals',
    { limit: sqlTypes.integer },
    { returns: 'rows' },
  ),
} as const;
