// SPDX-License-Identifier: Apache-2.0
import {
  isFinal,
  type OperationView,
  type ReceiptState,
  type Resolution,
  type ToolResult,
  type VoteCount,
} from '@writ/contract';
import { plainRef } from '../../evidence/payload/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';

/** The fields of a view that are not in the row. */
export interface ViewExtras {
  /** this answers an idempotency key that was used again */
  readonly replayed: boolean;
  /** the tool's result in clear; null for none, or one by reference */
  readonly result: unknown;
  readonly receipt: ReceiptState | null;
  /** of a held call */
  readonly votes?: VoteCount | undefined;
}

/** An operation as it is shown outside the kernel. Its result is there once it has ended. */
export function viewOf(row: OperationRow, extras: ViewExtras): OperationView {
  return {
    operation_id: row.operation_id,
    state: row.state,
    tool_id: row.tool_id,
    agent_id: row.agent_id,
    capability_token_id: row.capability_token_id,
    workspace_id: row.workspace_id,
    session_id: row.session_id,
    task_class: row.task_class,
    scheduling_class: row.scheduling_class,
    autonomy_mode: row.autonomy_mode,
    risk_score: row.risk_score,
    risk_basis: row.risk_basis,
    reasons: row.reasons,
    provenance: row.provenance,
    attempt: row.attempt,
    replayed: extras.replayed,
    approval_id: row.approval_id,
    ...(extras.votes === undefined ? {} : { votes: extras.votes }),
    decision_record_id: row.decision_record_id,
    outcome_record_id: row.outcome_record_id,
    resolution: resolutionOf(row),
    ...(row.erased === null ? {} : { erased: row.erased }),
    created_at: row.created_at,
    updated_at: row.updated_at,
    ...(row.lane === 'caller' && row.state === 'admitted' ? { awaits: 'caller' as const } : {}),
    ...(row.redactions === null ? {} : { redactions: row.redactions }),
    result: isFinal(row.state) ? resultOf(row, extras) : null,
  };
}

/** The last record about the operation: of its outcome, else of its decision. */
export function lastRecordOf(row: OperationRow): { tenant_id: string; operation_id: string; record_id: string } {
  return {
    tenant_id: row.tenant_id,
    operation_id: row.operation_id,
    record_id: row.outcome_record_id ?? row.decision_record_id,
  };
}

function resolutionOf({
  resolution,
  resolution_note,
  resolved_at,
  resolved_by,
  resolution_record_id,
}: OperationRow): Resolution | null {
  if (
    resolution === null ||
    resolution_note === null ||
    resolved_at === null ||
    resolved_by === null ||
    resolution_record_id === null
  )
    return null;
  return { outcome: resolution, note: resolution_note, resolved_at, resolved_by, record_id: resolution_record_id };
}

function resultOf(row: OperationRow, { result, receipt }: ViewExtras): ToolResult {
  if (row.tx_outcome === null)
    throw new Error(`operation \`${row.operation_id}\` ended as \`${row.state}\` without an outcome`);
  return {
    v: 1,
    operation_id: row.operation_id,
    tool_id: row.tool_id,
    agent_id: row.agent_id,
    workspace_id: row.workspace_id,
    status: row.fault_code === null ? 'ok' : 'error',
    state_snapshot_id: row.state_snapshot_id,
    new_snapshot_id: row.new_snapshot_id,
    result,
    result_ref: row.result_ref && plainRef(row.result_ref),
    ...wholeOutputOf(row),
    result_hash: row.result_hash,
    error:
      row.fault_code === null
        ? null
        : { code: row.fault_code, message: row.fault_message ?? row.fault_code, hint: row.fault_hint },
    reasons: row.reasons,
    provenance: row.provenance,
    task_class: row.task_class,
    autonomy_mode: row.autonomy_mode,
    risk_score: row.risk_score,
    tx_outcome: row.tx_outcome,
    commit_delta_id: row.commit_delta_id,
    receipt,
  };
}

/** The output of an abandoned attempt is not shown. */
function wholeOutputOf({ operation_id, attempt, whole_output }: OperationRow): Pick<ToolResult, 'whole_output'> {
  if (whole_output?.attempt !== attempt) return {};
  const { stdout, stderr, expires_at } = whole_output;
  return { whole_output: { href: `/v1/operations/${operation_id}/output`, stdout, stderr, expires_at } };
}
