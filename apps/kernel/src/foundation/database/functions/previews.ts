// SPDX-License-Identifier: Apache-2.0
import type { Lane } from '@writ/contract';
import { sqlTypes } from '@writ/database';
import type { CallRef, FactReply } from '../../rows/attempt-rows.ts';
import type { ApprovalRow, PreviewRow } from '../../rows/held-rows.ts';
import type { OperationRow } from '../../rows/operation-row.ts';
import type { RedeemedCall, Released, Renewed } from './attempts.ts';
import type { DispatchedCall } from './dispatch.ts';
import { kernelFunction } from './kernel-function.ts';

/** Previews that were dispatched, and for how long their permits are valid. */
export interface DispatchedPreviews {
  readonly calls: readonly DispatchedCall[];
  readonly issued_at: number;
  readonly expires_at: number;
}

/** The result of ending a preview; the call where it was written. */
export interface PreviewVerdict {
  readonly verdict: 'done' | 'settled' | 'fenced';
  readonly operation?: OperationRow;
}

/** The facts of a call whose attempt is a preview. */
export type PreviewFactReply = FactReply & { readonly preview: PreviewRow; readonly approval: ApprovalRow | null };

/** Previews of one lane that were requeued. */
export interface RequeuedPreviews {
  readonly lane: Lane;
  readonly count: number;
}

/** The functions of `sql/functions/previews` that the kernel calls. */
export const previewsFunctions = {
  abandonPreview: kernelFunction()(
    'kernel.abandon_preview',
    { tenant: sqlTypes.text, operation: sqlTypes.text },
    { returns: 'nothing' },
  ),
  dispatchPreviews: kernelFunction<DispatchedPreviews>()(
    'kernel.dispatch_previews',
    { lane: sqlTypes.text, outstanding: sqlTypes.integer, ttl_ms: sqlTypes.bigint },
    { returns: 'value' },
  ),
  endPreview: kernelFunction<PreviewVerdict>()(
    'kernel.end_preview',
    {
      p: sqlTypes.jsonb<object>(),
      staged: sqlTypes.nullable(sqlTypes.bytea),
      payload: sqlTypes.bytea,
      sig: sqlTypes.bytea,
    },
    { returns: 'value' },
  ),
  lostPreviews: kernelFunction<CallRef>()(
    'kernel.lost_previews',
    { leases_max: sqlTypes.integer, rows: sqlTypes.integer },
    { returns: 'rows' },
  ),
  previewAgain: kernelFunction<OperationRow>()(
    'kernel.preview_again',
    { tenant: sqlTypes.text, p: sqlTypes.jsonb<object>() },
    { returns: 'value', errors: ['decide_again'] },
  ),
  previewFacts: kernelFunction<PreviewFactReply | null>()(
    'kernel.preview_facts',
    { tenant: sqlTypes.text, operation: sqlTypes.text },
    { returns: 'value' },
  ),
  redeemPreview: kernelFunction<RedeemedCall>()(
    'kernel.redeem_preview',
    {
      tenant: sqlTypes.text,
      operation: sqlTypes.text,
      attempt: sqlTypes.integer,
      action_digest: sqlTypes.text,
      executor: sqlTypes.text,
      nonce: sqlTypes.text,
      lease_ms: sqlTypes.bigint,
    },
    { returns: 'row' },
  ),
  releasePreview: kernelFunction<Released | null>()(
    'kernel.release_preview',
    {
      tenant: sqlTypes.text,
      operation: sqlTypes.text,
      attempt: sqlTypes.integer,
      executor: sqlTypes.text,
      nonce: sqlTypes.text,
      stopping: sqlTypes.boolean,
    },
    { returns: 'value' },
  ),
  renewPreview: kernelFunction<Renewed>()(
    'kernel.renew_preview',
    {
      tenant: sqlTypes.text,
      operation: sqlTypes.text,
      attempt: sqlTypes.integer,
      executor: sqlTypes.text,
      nonce: sqlTypes.text,
      lease_ms: sqlTypes.bigint,
      effect: sqlTypes.boolean,
    },
    { returns: 'row' },
  ),
  requeuePreviews: kernelFunction<RequeuedPreviews>()(
    'kernel.requeue_previews',
    { leases_max: sqlTypes.integer, rows: sqlTypes.integer },
    { returns: 'rows' },
  ),
  undispatchPreview: kernelFunction<boolean>()(
    'kernel.undispatch_preview',
    { operation: sqlTypes.text, attempt: sqlTypes.integer },
    { returns: 'value' },
  ),
} as const;
