// SPDX-License-Identifier: Apache-2.0
import type { ErasureView } from '@writ/contract';
import type { ErasureRow } from '../../foundation/rows/erasure-row.ts';

/** A row as it is shown outside the kernel. */
export function erasureView(row: ErasureRow): ErasureView {
  const {
    erasure_id,
    selector,
    operation_id,
    session_id,
    subject,
    until,
    reason_code,
    state,
    operations,
    unfinished,
    sessions,
    runs,
    records,
    record_id,
    requested_by,
    created_at,
    finished_at,
  } = row;
  return {
    erasure_id,
    selector,
    operation_id,
    session_id,
    subject,
    before: selector === 'before' ? until : null,
    reason_code,
    state,
    operations,
    unfinished,
    sessions,
    runs,
    records,
    record_id,
    requested_by,
    created_at,
    finished_at,
  };
}
