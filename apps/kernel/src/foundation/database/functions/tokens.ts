// SPDX-License-Identifier: Apache-2.0
import type { CallDefaultsReply } from '@writ/contract';
import { sqlTypes } from '@writ/database';
import type { PeriodBudgetUse } from './admission.ts';
import { kernelFunction } from './kernel-function.ts';

/** Whether a budget bounds the charge, and why it was refused. */
export interface ChargedTokens {
  readonly bounded: boolean;
  readonly refused:
    | null
    | { readonly code: 'budget.exhausted'; readonly capability_token_id: string; readonly left: number }
    | ({ readonly code: 'budget.period' } & PeriodBudgetUse)
    | { readonly code: 'conflict' | 'tenant.closed' | 'token.revoked' | 'token.expired' | 'token.not_yet_valid' };
}

/** The functions of `sql/functions/tokens` that the kernel calls. */
export const tokensFunctions = {
  drawOfRun: kernelFunction<ChargedTokens | null>()(
    'kernel.draw_of_run',
    { tenant: sqlTypes.text, p: sqlTypes.jsonb<object>() },
    { returns: 'value' },
  ),
  boundReach: kernelFunction<boolean | null>()(
    'kernel.bound_reach',
    {
      tenant: sqlTypes.text,
      key: sqlTypes.text,
      operation: sqlTypes.nullable(sqlTypes.text),
      token: sqlTypes.nullable(sqlTypes.text),
    },
    { returns: 'value' },
  ),
  callDefaults: kernelFunction<CallDefaultsReply>()(
    'kernel.call_defaults',
    {
      tenant: sqlTypes.text,
      api_key: sqlTypes.text,
      agent: sqlTypes.text,
      tool: sqlTypes.nullable(sqlTypes.text),
      idempotency_key: sqlTypes.nullable(sqlTypes.text),
      most: sqlTypes.integer,
    },
    { returns: 'value' },
  ),
} as const;
