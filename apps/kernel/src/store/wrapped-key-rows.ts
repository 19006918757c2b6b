// SPDX-License-Identifier: Apache-2.0
import { inTenant } from '@writ/database';
import { WrappedKeyStore, type WrappedKeys } from '../payload/index.ts';
import type { TenantPool } from './pools.ts';

/** The wrapped keys of kernel.tenant. */
export class WrappedKeyRows extends WrappedKeyStore {
  readonly #tenants: TenantPool;

  constructor(tenants: TenantPool) {
    super();
    this.#tenants = tenants;
  }

  override find(tenantId: string): Promise<WrappedKeys | null> {
    return inTenant(this.#tenants.pool, tenantId, async (client) => {
      const { rows } = await client.query<WrappedKeys>('SELECT data_key, finger_key FROM kernel.tenant WHERE tenant_id = $1', [tenantId]);
      return rows[0] ?? null;
    }, { readOnly: true });
  }
}
