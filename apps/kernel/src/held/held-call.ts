// SPDX-License-Identifier: Apache-2.0
import type { ApprovalView, AutonomyMode, BlobRef, Reason } from '@writ/contract';
import type { OperationRow } from '../store/index.ts';

/** A row of kernel.approval as `to_jsonb` gives it. */
export interface ApprovalRow {
  readonly approval_id: string;
  readonly tenant_id: string;
  readonly operation_id: string;
  /** of the action with the snapshot left out: see `approvedDigest` */
  readonly action_digest: string;
  readonly autonomy_mode: AutonomyMode;
  readonly of: 'action' | 'effect';
  readonly state: ApprovalView['state'];
  readonly reasons: Reason[];
  readonly created_at: number;
  readonly expires_at: number;
  readonly decided_at: number | null;
  readonly decided_by: string | null;
  readonly comment: string | null;
}

/** A call that waits, or waited, for a person, with what is kept of its arguments. */
export interface HeldCall {
  /** milliseconds by the database's clock */
  readonly now: number;
  readonly approval: ApprovalRow;
  readonly operation: OperationRow;
  /** sealed, base64; null where they came by reference or were erased */
  readonly args: string | null;
  readonly args_ref: BlobRef | null;
}
