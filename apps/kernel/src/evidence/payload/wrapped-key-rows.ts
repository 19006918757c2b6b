// SPDX-License-Identifier: Apache-2.0
import { inTenant } from '@writ/database';
import { WrappedKeyStore, type WrappedKeys } from './index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

/** The wrapped keys of kernel.tenant, and those of kernel.payload_key. */
export class WrappedKeyRows extends WrappedKeyStore {
  readonly #tenants: TenantPool;

  constructor(tenants: TenantPool) {
    super();
    this.#tenants = tenants;
  }

  override find(tenantId: string): Promise<WrappedKeys | null> {
    return inTenant(
      this.#tenants.pool,
      tenantId,
      async (client) => {
        const { rows } = await client.query<WrappedKeys>(
          'SELECT data_key, finger_key FROM kernel.tenant WHERE tenant_id = $1',
          [tenantId],
        );
        return rows[0] ?? null;
      },
      { readOnly: true },
    );
  }

  override findKey(tenantId: string, keyId: string): Promise<Buffer | null> {
    return inTenant(
      this.#tenants.pool,
      tenantId,
      async (client) => {
        const { rows } = await client.query<{ sealed: Buffer }>(
          'SELECT sealed FROM kernel.payload_key WHERE key_id = $1',
          [keyId],
        );
        return rows[0]?.sealed ?? null;
      },
      { readOnly: true },
    );
  }

  override keyOf(tenantId: string, operationId: string): Promise<string | null | undefined> {
    return inTenant(
      this.#tenants.pool,
      tenantId,
      async (client) => {
        const { rows } = await client.query<{ payload_key: string | null }>(
          'SELECT payload_key FROM kernel.operation WHERE operation_id = $1',
          [operationId],
        );
        return rows[0]?.payload_key;
      },
      { readOnly: true },
    );
  }
}
