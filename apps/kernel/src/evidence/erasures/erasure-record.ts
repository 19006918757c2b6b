// SPDX-License-Identifier: Apache-2.0
import { contentDigest, type ChangeRecord } from '../changes/index.ts';
import type { ErasedBatch, ErasureRow } from '../../foundation/rows/erasure-row.ts';

/**
 * Hex SHA-256 of what a batch erased. A record has room for one id, so this digest lets a verifier compare the batch's
 * calls with the record.
 */
export function erasureDigest({ operation_ids, erasure }: ErasedBatch): string {
  return contentDigest({ ...selectionFields(erasure), operation_ids: [...operation_ids].sort() });
}

/** One round of an erasure of conversations: the sessions and runs whose texts it will erase. */
export interface TextErasureRound {
  readonly session_ids: readonly string[];
  readonly run_ids: readonly string[];
  readonly fork_ids: readonly string[];
  readonly erasure: ErasureRow;
}

/** Hex SHA-256 of what a round erased. */
export function textsDigest({ session_ids, run_ids, fork_ids, erasure }: TextErasureRound): string {
  return contentDigest({
    ...selectionFields(erasure),
    session_ids: [...session_ids].sort(),
    run_ids: [...run_ids].sort(),
    fork_ids: [...fork_ids].sort(),
  });
}

function selectionFields({ erasure_id, selector, operation_id, session_id, subject, until, reason_code }: ErasureRow) {
  return {
    v: 1,
    erasure_id,
    selector,
    operation_id,
    session_id,
    subject,
    until: selector === 'before' ? until : null,
    reason_code,
  };
}

/** The record of a round of texts. It is made before any of them is erased. */
export function textsRecord(recordId: string, round: TextErasureRound): ChangeRecord {
  const { erasure_id, operation_id, requested_by } = round.erasure;
  return {
    record_id: recordId,
    kind: 'erasure',
    actor: requested_by,
    operation_id,
    change: { verb: 'texts_erased', subject: erasure_id, digest: textsDigest(round) },
  };
}

/** The record of a batch: who had which contents erased, by ids and a digest. */
export function erasureRecord(recordId: string, batch: ErasedBatch): ChangeRecord {
  const { erasure_id, operation_id, requested_by } = batch.erasure;
  return {
    record_id: recordId,
    kind: 'erasure',
    actor: requested_by,
    operation_id,
    change: { verb: 'content_erased', subject: erasure_id, digest: erasureDigest(batch) },
  };
}
