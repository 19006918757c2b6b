// SPDX-License-Identifier: Apache-2.0
import { sqlTypes } from '@writ/database';
import type { RedeemedRows } from '../../rows/attempt-rows.ts';
import type { RedeemedCall } from './attempts.ts';
import { kernelFunction } from './kernel-function.ts';

/** A call that a process of the tenant has just taken. Times are milliseconds since the epoch. */
export interface TakenCall {
  readonly operation_id: string;
  readonly tenant_id: string;
  readonly attempt: number;
  readonly tool_id: string;
  readonly action_digest: string;
  readonly traceparent: string | null;
  readonly issued_at: number;
  readonly expires_at: number;
}

/** The result of a redemption by a process of the tenant. */
export interface RedeemedFunction extends RedeemedRows {
  readonly verdict: RedeemedCall['verdict'] | 'tool.changed';
}

/** The functions of `sql/functions/function-calls` that the kernel calls. */
export const functionCallsFunctions = {
  takeFunction: kernelFunction<TakenCall | null>()(
    'kernel.take_function',
    {
      tenant: sqlTypes.text,
      tools: sqlTypes.textArray,
      operation: sqlTypes.nullable(sqlTypes.text),
      key: sqlTypes.text,
      ttl_ms: sqlTypes.bigint,
    },
    { returns: 'value', errors: ['check_violation'] },
  ),
  releaseFunction: kernelFunction<boolean>()(
    'kernel.release_function',
    { tenant: sqlTypes.text, operation: sqlTypes.text, attempt: sqlTypes.integer, key: sqlTypes.text },
    { returns: 'value', errors: ['check_violation'] },
  ),
  redeemFunction: kernelFunction<RedeemedFunction>()(
    'kernel.redeem_function',
    {
      tenant: sqlTypes.text,
      operation: sqlTypes.text,
      attempt: sqlTypes.integer,
      action_digest: sqlTypes.text,
      executor: sqlTypes.text,
      nonce: sqlTypes.text,
      lease_ms: sqlTypes.bigint,
      effect: sqlTypes.boolean,
    },
    { returns: 'row', errors: ['check_violation'] },
  ),
} as const;
