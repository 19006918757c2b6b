// SPDX-License-Identifier: Apache-2.0
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** The functions of `sql/functions/history` that the kernel calls. */
export const historyFunctions = {
  sessionHistory: kernelFunction<Record<string, number> | null>()(
    'kernel.session_history',
    {
      tenant: sqlTypes.text,
      session: sqlTypes.text,
      needs: sqlTypes.jsonb<object>(),
      at: sqlTypes.nullable(sqlTypes.bigint),
    },
    { returns: 'value' },
  ),
} as const;
