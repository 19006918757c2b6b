// SPDX-License-Identifier: Apache-2.0
import type { Id } from '@writ/contract';
import { connect, createPool, type Pool } from '@writ/database';
import { newId } from '@writ/nest-kit';
import { testDatabase } from '@writ/testing';

const NAME = 'writ-orchestrator-spec';

/** A separate database for a spec, with connections as this service and as its owner. */
export interface TestStore {
  readonly ownerUrl: string;
  readonly pool: Pool;
  readonly admin: Awaited<ReturnType<typeof connect>>;
  /** an administrator's key of the tenant */
  readonly key: (tenant: string) => Promise<Id<'apiKey'>>;
  readonly revoke: (tenant: string, id: string) => Promise<void>;
  /** Ends the connections, and drops the database. */
  readonly drop: () => Promise<void>;
}

export async function testStore(): Promise<TestStore> {
  const database = await testDatabase();
  const pool = createPool({ url: database.urlFor('writ_orchestrator'), applicationName: NAME });
  const admin = await connect(database.ownerUrl, NAME);
  return {
    ownerUrl: database.ownerUrl,
    pool,
    admin,
    key: async (tenant) => {
      const id = newId('apiKey') as Id<'apiKey'>;
      await admin.query(
        `INSERT INTO orchestrator.api_key (api_key_id, tenant_id, name, role, key_hash, created_by) VALUES ($1, $2, 'k', 'admin', sha256($3::bytea), 'spec')`,
        [id, tenant, Buffer.from(id)],
      );
      return id;
    },
    revoke: async (_tenant, id) => {
      await admin.query('UPDATE orchestrator.api_key SET revoked_at = 1 WHERE api_key_id = $1', [id]);
    },
    drop: async () => {
      await Promise.all([pool.end(), admin.end()]);
      await database.drop();
    },
  };
}
