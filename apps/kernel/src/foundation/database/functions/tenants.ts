// SPDX-License-Identifier: Apache-2.0
import type { LimitsChanged } from '@writ/contract';
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** One page, and the database's clock in milliseconds. */
export type ChangedLimits = Omit<LimitsChanged, 'more'>;

/** The functions of `sql/functions/tenants` that the kernel calls. */
export const tenantsFunctions = {
  limitsSince: kernelFunction<ChangedLimits>()(
    'kernel.limits_since',
    { since: sqlTypes.bigint, after: sqlTypes.text, limit: sqlTypes.integer },
    { returns: 'value' },
  ),
} as const;
