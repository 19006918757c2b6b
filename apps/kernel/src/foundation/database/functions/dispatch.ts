// SPDX-License-Identifier: Apache-2.0
import type { CallLane, SchedulingClass } from '@writ/contract';
import { sqlTypes } from '@writ/database';
import type { CallRef } from '../../rows/attempt-rows.ts';
import type { OperationRow } from '../../rows/operation-row.ts';
import { kernelFunction } from './kernel-function.ts';

/** A call or a preview that was just dispatched to executors. */
export interface DispatchedCall {
  readonly operation_id: string;
  readonly tenant_id: string;
  readonly attempt: number;
  readonly tool_id: string;
  readonly action_digest: string;
  readonly image_digest: string | null;
  readonly traceparent: string | null;
}

/**
 * The calls that one pass dispatched, the position where the next pass continues, and for how long the permits are
 * valid.
 */
export interface Dispatched {
  readonly calls: readonly (DispatchedCall & { readonly scheduling_class: SchedulingClass })[];
  readonly more: boolean;
  readonly place: string;
  readonly left: number;
  readonly issued_at: number;
  readonly expires_at: number;
}

/** Calls of a lane that were requeued, and whether an executor was lost with them. */
export interface Requeued {
  readonly lane: CallLane;
  readonly lost: boolean;
  readonly count: number;
}

/** The result for a call that waited in a replaced image. */
export type ReplacedVerdict =
  | { readonly verdict: 'replaced'; readonly operation: OperationRow }
  | { readonly verdict: 'again' | 'gone' | 'frozen' | 'token.revoked' | 'token.expired' };

/** The functions of `sql/functions/dispatch` that the kernel calls. */
export const dispatchFunctions = {
  dispatchByClass: kernelFunction<Dispatched>()(
    'kernel.dispatch_by_class',
    {
      lane: sqlTypes.text,
      outstanding: sqlTypes.integer,
      ttl_ms: sqlTypes.bigint,
      after: sqlTypes.text,
      left: sqlTypes.integer,
      most: sqlTypes.nullable(sqlTypes.integer),
      alone: sqlTypes.nullable(sqlTypes.text),
      background: sqlTypes.nullable(sqlTypes.integer),
    },
    { returns: 'value', errors: ['check_violation'] },
  ),
  overdue: kernelFunction<CallRef>()(
    'kernel.overdue',
    { leases_max: sqlTypes.integer, rows: sqlTypes.integer },
    { returns: 'rows' },
  ),
  replaceDecision: kernelFunction<ReplacedVerdict>()(
    'kernel.replace_decision',
    { p: sqlTypes.jsonb<object>(), payload: sqlTypes.bytea, sig: sqlTypes.bytea },
    { returns: 'value', errors: ['decide_again', 'tool_changed', 'check_violation'] },
  ),
  requeue: kernelFunction<Requeued>()(
    'kernel.requeue',
    { leases_max: sqlTypes.integer, rows: sqlTypes.integer },
    { returns: 'rows', errors: ['check_violation'] },
  ),
  undispatch: kernelFunction<boolean>()(
    'kernel.undispatch',
    { operation: sqlTypes.text, attempt: sqlTypes.integer },
    { returns: 'value', errors: ['check_violation'] },
  ),
  waitingDecidedOtherwise: kernelFunction<CallRef>()(
    'kernel.waiting_decided_otherwise',
    { images: sqlTypes.textArray, tools: sqlTypes.textArray, digests: sqlTypes.textArray, rows: sqlTypes.integer },
    { returns: 'rows' },
  ),
} as const;
