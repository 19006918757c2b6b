// SPDX-License-Identifier: Apache-2.0
import type { LimitsChanged, TenantView } from '@writ/contract';
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** One page, and the database's clock in milliseconds. */
export type ChangedLimits = Omit<LimitsChanged, 'more'>;

/** A tenant without its keys and limits. */
export type TenantLife = Omit<TenantView, 'tenant_id' | 'state'>;

/** The reply of kernel.close_tenant. */
export interface ClosedTenant {
  /** false where it was closed before */
  readonly is_new: boolean;
  readonly tenant: TenantLife;
  /** the calls that had not ended, marked to end */
  readonly operations: readonly string[];
}

/** The functions of `sql/functions/tenants` that the kernel calls. */
export const tenantsFunctions = {
  closeTenant: kernelFunction<ClosedTenant | null>()(
    'kernel.close_tenant',
    { tenant: sqlTypes.text, p: sqlTypes.jsonb<object>() },
    { returns: 'value' },
  ),
  listTenants: kernelFunction<(TenantLife & { readonly tenant_id: TenantView['tenant_id'] })[]>()(
    'kernel.list_tenants',
    { created_at: sqlTypes.bigint, id: sqlTypes.text, open: sqlTypes.boolean, rows: sqlTypes.integer },
    { returns: 'value' },
  ),
  tenantChangesSince: kernelFunction<ChangedLimits>()(
    'kernel.tenant_changes_since',
    { since: sqlTypes.bigint, after: sqlTypes.text, limit: sqlTypes.integer },
    { returns: 'value' },
  ),
} as const;
