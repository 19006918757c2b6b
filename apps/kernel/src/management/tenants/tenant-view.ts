// SPDX-License-Identifier: Apache-2.0
import type { TenantId, TenantView } from '@writ/contract';
import type { TenantLife } from '../../foundation/database/functions/tenants.ts';

/** The tenant as the platform key sees it. */
export const tenantView = (tenant_id: TenantId, tenant: TenantLife): TenantView => ({
  tenant_id,
  name: tenant.name,
  state: tenant.closed_at === null ? 'open' : 'closed',
  created_at: tenant.created_at,
  closed_at: tenant.closed_at,
  closed_by: tenant.closed_by,
  close_reason: tenant.close_reason,
});
