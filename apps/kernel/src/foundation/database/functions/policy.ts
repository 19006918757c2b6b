// SPDX-License-Identifier: Apache-2.0
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** The reply of kernel.activate_policy. */
export interface Activated {
  readonly activation: {
    readonly seq: number;
    readonly policy_hash: string;
    readonly activated_by: string;
    readonly at: number;
    readonly note: string | null;
  };
  readonly name: string;
  readonly version: number;
}

/** The functions of `sql/functions/policy` that the kernel calls. */
export const policyFunctions = {
  activatePolicy: kernelFunction<Activated>()(
    'kernel.activate_policy',
    { tenant: sqlTypes.text, p: sqlTypes.jsonb<object>() },
    { returns: 'value', errors: ['decide_again'] },
  ),
  changeRules: kernelFunction()('kernel.change_rules', { tenant: sqlTypes.text }, { returns: 'nothing' }),
  holdRules: kernelFunction()('kernel.hold_rules', { tenant: sqlTypes.text }, { returns: 'nothing' }),
} as const;
