// SPDX-License-Identifier: Apache-2.0
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** The functions of `sql/functions/function-calls-versions` that the kernel calls. */
export const externalVersionsFunctions = {
  externalVersions: kernelFunction<Readonly<Record<string, string>>>()(
    'kernel.external_versions',
    { tenant: sqlTypes.text, refs: sqlTypes.textArray },
    { returns: 'value' },
  ),
} as const;
