// SPDX-License-Identifier: Apache-2.0
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** The number of the calls that are alike in some dimensions; null in all others. */
export interface CallUsageRow {
  /** milliseconds since the epoch */
  readonly day: number | null;
  readonly agent_id: string | null;
  readonly person: string | null;
  readonly api_key_id: string | null;
  readonly tool_id: string | null;
  readonly outcome: string | null;
  readonly calls: number;
}

/** The functions of `sql/functions/usage` that the kernel calls. */
export const usageFunctions = {
  takeUsage: kernelFunction<string | null>()('kernel.take_usage', { every: sqlTypes.bigint }, { returns: 'value' }),
  rollUpUsage: kernelFunction<number>()(
    'kernel.roll_up_usage',
    { tenant: sqlTypes.text, rows: sqlTypes.integer, margin: sqlTypes.bigint },
    { returns: 'value' },
  ),
  usageOfCalls: kernelFunction<CallUsageRow[]>()(
    'kernel.usage_of_calls',
    {
      tenant: sqlTypes.text,
      from: sqlTypes.bigint,
      to: sqlTypes.bigint,
      by: sqlTypes.textArray,
      after: sqlTypes.nullable(sqlTypes.textArray),
      rows: sqlTypes.integer,
    },
    { returns: 'value' },
  ),
} as const;
