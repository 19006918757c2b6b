// SPDX-License-Identifier: Apache-2.0
import { sqlTypes } from '@writ/database';
import type { CallRef } from '../../rows/attempt-rows.ts';
import { kernelFunction } from './kernel-function.ts';

/** The functions of `sql/functions/api-keys` that the kernel calls. */
export const apiKeysFunctions = {
  callsOfRevokedKeys: kernelFunction<CallRef>()(
    'kernel.calls_of_revoked_keys',
    { older_ms: sqlTypes.bigint, rows: sqlTypes.integer },
    { returns: 'rows' },
  ),
  markCallsOfKey: kernelFunction<{ readonly mark_calls_of_key: string }>()(
    'kernel.mark_calls_of_key',
    { tenant: sqlTypes.text, key: sqlTypes.text },
    { returns: 'rows' },
  ),
  revokeExchanged: kernelFunction<{ readonly revoke_exchanged: string }>()(
    'kernel.revoke_exchanged',
    { tenant: sqlTypes.text, key: sqlTypes.text, by: sqlTypes.text },
    { returns: 'rows' },
  ),
} as const;
