// SPDX-License-Identifier: Apache-2.0
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** The functions of `sql/functions/outputs` that the kernel calls. */
export const outputsFunctions = {
  keepOutput: kernelFunction<boolean>()(
    'kernel.keep_output',
    {
      tenant: sqlTypes.text,
      operation: sqlTypes.text,
      attempt: sqlTypes.integer,
      executor: sqlTypes.text,
      nonce: sqlTypes.text,
      stdout: sqlTypes.nullable(sqlTypes.jsonb<object>()),
      stderr: sqlTypes.nullable(sqlTypes.jsonb<object>()),
      kept_ms: sqlTypes.bigint,
    },
    { returns: 'value' },
  ),
  outputsHeld: kernelFunction<number>()(
    'kernel.outputs_held',
    { tenant: sqlTypes.text, but: sqlTypes.nullable(sqlTypes.text) },
    { returns: 'value' },
  ),
  sweepOutputs: kernelFunction<number>()('kernel.sweep_outputs', { rows: sqlTypes.integer }, { returns: 'value' }),
} as const;
