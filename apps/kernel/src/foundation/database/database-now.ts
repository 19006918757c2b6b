// SPDX-License-Identifier: Apache-2.0
import { inTenant } from '@writ/database';
import type { TenantPool } from './pools.ts';

/** The database's clock, in milliseconds since 1970, as the tenant reads it. */
export async function databaseNow(tenants: TenantPool, tenantId: string): Promise<number> {
  return await inTenant(
    tenants.pool,
    tenantId,
    async (client) => (await client.query<{ now: number }>('SELECT kernel.now_ms() AS now')).rows[0]?.now ?? 0,
    { readOnly: true },
  );
}
