// SPDX-License-Identifier: Apache-2.0
import type { KernelRequest } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { composeRecord, fieldsOfCall, type UnsealedRecord } from '../../evidence/records/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';

/**
 * Hex SHA-256 of the outcome and the note. It allows comparing the displayed note with the record, which doesn't
 * contain the note.
 */
export const resolutionDigest = ({
  outcome,
  note,
}: Pick<KernelRequest<'operation.resolve'>, 'outcome' | 'note'>): string =>
  sha256Hex(canonicalBytes({ v: 1, outcome, note }));

/**
 * The record of a resolution. It names the operation, its decision and the person who found the outcome. `recordedAt`
 * is milliseconds on the database's clock.
 */
export function resolutionRecord(
  row: OperationRow,
  request: KernelRequest<'operation.resolve'>,
  recordedAt: number,
): UnsealedRecord {
  return composeRecord({
    ...fieldsOfCall(row),
    kind: 'resolution',
    recorded_at: recordedAt,
    attempt: row.attempt === 0 ? null : row.attempt,
    approval_refs: row.approval_refs,
    decision_record_id: row.decision_record_id,
    decision_hash: row.decision_hash,
    tx_outcome: request.outcome,
    budget_delta: row.reserved,
    actor: request.caller.api_key_id,
    change: { verb: 'resolve', subject: row.operation_id, digest: resolutionDigest(request) },
  });
}
