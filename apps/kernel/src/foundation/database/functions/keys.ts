// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** The functions of `sql/functions/keys` that the kernel calls. */
export const keysFunctions = {
  keysUnrecorded: kernelFunction<TenantId[]>()(
    'kernel.keys_unrecorded',
    { events: sqlTypes.jsonb<object>(), after: sqlTypes.text, limit: sqlTypes.integer },
    { returns: 'value' },
  ),
  wrappedOtherwise: kernelFunction<TenantId[]>()(
    'kernel.wrapped_otherwise',
    { key: sqlTypes.text, after: sqlTypes.text, limit: sqlTypes.integer },
    { returns: 'value' },
  ),
} as const;
