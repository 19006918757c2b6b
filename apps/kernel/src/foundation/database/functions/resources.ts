// SPDX-License-Identifier: Apache-2.0
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** The functions of `sql/functions/resources` that the kernel calls. */
export const resourcesFunctions = {
  resourceVersions: kernelFunction<Readonly<Record<string, string>>>()(
    'kernel.resource_versions',
    { tenant: sqlTypes.text, refs: sqlTypes.textArray },
    { returns: 'value' },
  ),
} as const;
