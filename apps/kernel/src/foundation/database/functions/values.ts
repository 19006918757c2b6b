// SPDX-License-Identifier: Apache-2.0
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** A sealed value, in base64. A session's value comes with its approval, a tenant's secret with its version. */
export interface ConsumedValue {
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
  secretsGiven: kernelFunction<string[]>()(
    'kernel.secrets_given',
    {
      tenant: sqlTypes.text,
      agent: sqlTypes.text,
      session: sqlTypes.text,
      names: sqlTypes.textArray,
      operation: sqlTypes.text,
    },
    { returns: 'value' },
  ),
  secretsKnown: kernelFunction<string[]>()(
    'kernel.secrets_known',
    { tenant: sqlTypes.text, agent: sqlTypes.text, session: sqlTypes.text, names: sqlTypes.textArray },
    { returns: 'value' },
  ),
  sweepValues: kernelFunction<number>()('kernel.sweep_values', { rows: sqlTypes.integer }, { returns: 'value' }),
  takeGivenValue: kernelFunction<ConsumedValue | null>()(
    'kernel.take_given_value',
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
  takeValue: kernelFunction<ConsumedValue | null>()(
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
