// SPDX-License-Identifier: Apache-2.0
import type { CallLane } from '@writ/contract';
import { sqlTypes } from '@writ/database';
import type { EndVerdict, FactReply, RedeemedRows } from '../../rows/attempt-rows.ts';
import type { FreezeRow } from '../../rows/freeze-row.ts';
import type { OperationRow } from '../../rows/operation-row.ts';
import { kernelFunction } from './kernel-function.ts';

/** A call that was requested to stop. `recorded`: this request is the one on the record. */
export interface RequestedStop {
  readonly operation: OperationRow;
  readonly recorded: boolean;
}

/** The facts of a call, and the freeze that covers it. */
export type AttemptFactReply = FactReply & { readonly frozen: FreezeRow | null };

/** An attempt that its executor released. `over`: its lease has ended, and the sweeper decides what follows. */
export interface Released {
  readonly lane: CallLane;
  readonly over: boolean;
}

/** The result of sending a call back to its queue. `rerun`: it is `admitted` again. */
export type RerunVerdict =
  | { readonly verdict: 'rerun'; readonly operation: OperationRow }
  | Extract<EndVerdict, { readonly verdict: 'again' | 'gone' | 'token.revoked' | 'token.expired' | 'frozen' }>;

/** The result of a redemption. Whatever the verdict, the columns describe the call. */
export interface RedeemedCall extends RedeemedRows {
  readonly verdict:
    | 'redeemed'
    | 'permit.invalid'
    | 'permit.expired'
    | 'permit.spent'
    | 'token.revoked'
    | 'token.expired'
    | 'deadline'
    | 'frozen';
}

/** The end of the attempt's lease, in milliseconds since the epoch, and whether the attempt is to stop. */
export interface Renewed {
  readonly lease_until: number;
  readonly stop: boolean;
}

/** The functions of `sql/functions/attempts` that the kernel calls. */
export const attemptsFunctions = {
  attemptFacts: kernelFunction<AttemptFactReply | null>()(
    'kernel.attempt_facts',
    { tenant: sqlTypes.text, operation: sqlTypes.text },
    { returns: 'value' },
  ),
  killCall: kernelFunction<RequestedStop | null>()(
    'kernel.kill_call',
    { tenant: sqlTypes.text, operation: sqlTypes.text, by: sqlTypes.text, records: sqlTypes.jsonb<object>() },
    { returns: 'value' },
  ),
  redeem: kernelFunction<RedeemedCall>()(
    'kernel.redeem',
    {
      tenant: sqlTypes.text,
      operation: sqlTypes.text,
      attempt: sqlTypes.integer,
      action_digest: sqlTypes.text,
      executor: sqlTypes.text,
      nonce: sqlTypes.text,
      lease_ms: sqlTypes.bigint,
    },
    { returns: 'row', errors: ['check_violation'] },
  ),
  release: kernelFunction<Released | null>()(
    'kernel.release',
    {
      tenant: sqlTypes.text,
      operation: sqlTypes.text,
      attempt: sqlTypes.integer,
      executor: sqlTypes.text,
      nonce: sqlTypes.text,
      stopping: sqlTypes.boolean,
    },
    { returns: 'value', errors: ['check_violation'] },
  ),
  renew: kernelFunction<Renewed>()(
    'kernel.renew',
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
  renewAnnounced: kernelFunction<Renewed>()(
    'kernel.renew_announced',
    {
      tenant: sqlTypes.text,
      operation: sqlTypes.text,
      attempt: sqlTypes.integer,
      executor: sqlTypes.text,
      nonce: sqlTypes.text,
      lease_ms: sqlTypes.bigint,
      effect: sqlTypes.boolean,
      announced: sqlTypes.bytea,
      pieces_max: sqlTypes.integer,
    },
    { returns: 'row', errors: ['program_limit_exceeded'] },
  ),
  requestCancel: kernelFunction<RequestedStop | null>()(
    'kernel.request_cancel',
    { tenant: sqlTypes.text, operation: sqlTypes.text, records: sqlTypes.jsonb<object>() },
    { returns: 'value' },
  ),
  runAgain: kernelFunction<RerunVerdict>()(
    'kernel.run_again',
    { p: sqlTypes.jsonb<object>(), payload: sqlTypes.bytea, sig: sqlTypes.bytea },
    { returns: 'value', errors: ['decide_again', 'tool_changed', 'check_violation'] },
  ),
} as const;
