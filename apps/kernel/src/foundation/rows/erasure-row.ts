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
  /** calls made before this moment are erased */
  readonly until: number;
  readonly reason_code: string;
  readonly requested_by: string;
  readonly state: ErasureView['state'];
  readonly operations: number;
  readonly unfinished: number;
  /** sessions whose texts are erased too; an erasure by session also erases their calls */
  readonly session_ids: readonly string[];
  readonly texts: 'none' | 'ordered' | 'told' | 'gone';
  readonly sessions: number;
  readonly runs: number;
  readonly records: number;
  readonly record_id: string | null;
  readonly created_at: number;
  readonly finished_at: number | null;
}

/** The calls that one batch erased, sorted by id. Each has the batch's record as `erased.record_id`. */
export interface ErasedBatch {
  readonly operation_ids: readonly string[];
  readonly erasure: ErasureRow;
}
