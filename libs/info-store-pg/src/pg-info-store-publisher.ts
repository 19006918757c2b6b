// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import type { Pool } from '@writ/database';
import { InfoStorePublisher, type PublishedChange, type PublishRequest, type StoreDefinition } from '@writ/info-store';
import { publishFailure, registerFailure } from './failures.ts';
import { infoStoreSql } from './functions.ts';

/**
 * The kernel's side of the schema `info_store`; the pool's role is the kernel's. Each method is a transaction of its
 * own. Whoever needs one in an open transaction calls the same function by `infoStoreSql`.
 */
export class PgInfoStorePublisher extends InfoStorePublisher {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    super();
    this.#pool = pool;
  }

  override async register(tenantId: TenantId, { store_id, language, embedding }: StoreDefinition): Promise<void> {
    const args = {
      tenant: tenantId,
      store: store_id,
      lang: language,
      model: embedding?.model ?? null,
      dims: embedding?.dimensions ?? null,
    };
    await infoStoreSql.registerStore(this.#pool, args).catch((error: unknown) => {
      throw registerFailure(error, store_id);
    });
  }

  override unregister(tenantId: TenantId, storeId: string): Promise<boolean> {
    return infoStoreSql.unregisterStore(this.#pool, { tenant: tenantId, store: storeId });
  }

  override async publish(
    tenantId: TenantId,
    { operationId, changeId, digest }: PublishRequest,
  ): Promise<PublishedChange> {
    const row = await infoStoreSql
      .publish(this.#pool, {
        tenant: tenantId,
        operation: operationId,
        change: changeId,
        expected: Buffer.from(digest, 'hex'),
      })
      .catch((error: unknown) => {
        throw publishFailure(error, changeId);
      });
    if (row === null) throw new Error('`info_store.publish` returned no row');
    return { storeId: row.store_id, version: row.version };
  }

  override sweep(tenantId: TenantId, before: Date, limit: number): Promise<number> {
    return infoStoreSql.sweep(this.#pool, { tenant: tenantId, before, most: limit });
  }
}
