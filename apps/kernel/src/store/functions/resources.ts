// SPDX-License-Identifier: Apache-2.0
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** Versions of resources by name; one that isn't there has none. */
export type ResourceVersions = Readonly<Record<string, string>>;

/** The functions of `sql/functions/resources` that the kernel calls. */
export const resourcesFunctions = {
  resourceVersions: kernelFunction<ResourceVersions>()(
    'kernel.resource_versions',
    { tenant: sqlTypes.text, refs: sqlTypes.textArray },
    { returns: 'value' },
  ),
} as const;
