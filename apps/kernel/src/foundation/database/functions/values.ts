// SPDX-License-Identifier: Apache-2.0
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** A value, sealed, base64: of a session with its approval, of a tenant with its version. */
export interface TakenValue {
  readonly approval_id?: string;
  readonly version?: number;
  readonly sealed: string;
}

/** The functions of `sql/functions/values` that the kernel calls. */
export const valuesFunctions = {
  nextSecretVersion: kernelFunction<number>()(
    'kernel.next_secret_version',
    { tenant: sqlTypes.text, name: sqlTypes.text },
    { returns: 'value' },
  ),
  putSecret: kernelFunction()(
    'kernel.put_secret',
    { tenant: sqlTypes.text, p: sqlTypes.jsonb<object>() },
    { returns: 'nothing', errors: ['decide_again'] },
  ),
  secretsKnown: kernelFunction<string[]>()(
    'kernel.secrets_known',
    { tenant: sqlTypes.text, agent: sqlTypes.text, session: sqlTypes.text, names: sqlTypes.textArray },
    { returns: 'value' },
  ),
  sweepValues: kernelFunction<number>()('kernel.sweep_values', { rows: sqlTypes.integer }, { returns: 'value' }),
  takeValue: kernelFunction<TakenValue | null>()(
    'kernel.take_value',
    {
      tenant: sqlTypes.text,
      agent: sqlTypes.text,
      session: sqlTypes.text,
      name: sqlTypes.text,
      secret: sqlTypes.boolean,
      operation: sqlTypes.text,
    },
    { returns: 'value' },
  ),
  valueKnown: kernelFunction<boolean>()(
    'kernel.value_known',
    {
      tenant: sqlTypes.text,
      agent: sqlTypes.text,
      session: sqlTypes.text,
      name: sqlTypes.text,
      secret: sqlTypes.boolean,
    },
    { returns: 'value' },
  ),
} as const;
