// SPDX-License-Identifier: Apache-2.0
import type { KernelRequest } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { composeRecord, traceIdsOf, type UnsealedRecord } from '../../evidence/records/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';

/**
 * Hex SHA-256 of what was said, so that the note that is shown later can be held against the record, which has no words
 * in it.
 */
export const resolutionDigest = ({
  outcome,
  note,
}: Pick<KernelRequest<'operation.resolve'>, 'outcome' | 'note'>): string =>
  sha256Hex(canonicalBytes({ v: 1, outcome, note }));

/**
 * The record of a resolution: it is about the operation whose decision it names, and says who found out what.
 * `recordedAt` is milliseconds by the database's clock.
 */
export function resolutionRecord(
  row: OperationRow,
  request: KernelRequest<'operation.resolve'>,
  recordedAt: number,
): UnsealedRecord {
  const {
    operation_id,
    tenant_id,
    agent_id,
    capability_token_id,
    tool_id,
    tool_definition_digest,
    args_hash,
    policy_hash,
    state_snapshot_id,
    workspace_id,
    provenance,
    task_class,
    autonomy_mode,
    risk_score,
    risk_basis,
    image_digest,
    approval_refs,
    decision_record_id,
    decision_hash,
  } = row;
  return composeRecord({
    kind: 'resolution',
    recorded_at: recordedAt,
    attempt: row.attempt === 0 ? null : row.attempt,
    operation_id,
    tenant_id,
    agent_id,
    capability_token_id,
    tool_id,
    tool_definition_digest,
    args_hash,
    policy_hash,
    state_snapshot_id,
    workspace_id,
    provenance,
    task_class,
    autonomy_mode,
    risk_score,
    risk_basis,
    image_digest,
    approval_refs,
    decision_record_id,
    decision_hash,
    tx_outcome: request.outcome,
    budget_delta: row.reserved,
    actor: request.caller.api_key_id,
    change: { verb: 'resolve', subject: operation_id, digest: resolutionDigest(request) },
    ...traceIdsOf(row.traceparent),
  });
}
