// SPDX-License-Identifier: Apache-2.0
import type { ErasureView } from '@writ/contract';

/** A row of kernel.erasure as `to_jsonb` gives it. Times are milliseconds by the database's clock. */
export interface ErasureRow {
  readonly erasure_id: string;
  readonly tenant_id: string;
  readonly selector: ErasureView['selector'];
  readonly operation_id: string | null;
  readonly session_id: string | null;
  readonly subject: string | null;
  /** of calls made before it */
  readonly until: number;
  readonly reason_code: string;
  readonly requested_by: string;
  readonly state: ErasureView['state'];
  readonly operations: number;
  readonly unfinished: number;
  /** sessions whose texts go with it; of an erasure by session, their calls too */
  readonly session_ids: readonly string[];
  readonly texts: 'none' | 'ordered' | 'told' | 'gone';
  readonly sessions: number;
  readonly runs: number;
  readonly records: number;
  readonly record_id: string | null;
  readonly created_at: number;
  readonly finished_at: number | null;
}

/** A row as everybody outside the kernel sees it. */
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
