// SPDX-License-Identifier: Apache-2.0
import { formatId, type TenantId } from '@writ/contract';
import { createPool, type Pool } from '@writ/database';
import { infoStoreContract } from '@writ/info-store/contract';
import { testDatabase, type TestDatabase } from '@writ/testing';
import { PgInfoStorePublisher } from './pg-info-store-publisher.ts';
import { PgInfoStore } from './pg-info-store.ts';

infoStoreContract('Postgres', async () => {
  const database = await testDatabase();
  const [executor, kernel] = (['writ_executor', 'writ_kernel'] as const).map((role) =>
    createPool({ url: database.urlFor(role), applicationName: 'spec', max: 4 }),
  );
  const store = new PgInfoStore(executor!);
  return {
    store,
    publisher: new PgInfoStorePublisher(kernel!),
    close: async () => {
      await store.close();
      await executor!.end();
      await kernel!.end();
      await database.drop();
    },
  };
});

describe('searches that take long', () => {
  const [alice, bob] = [1, 2].map((n) => formatId('tenant', new Uint8Array(16).fill(n)) as TenantId);
  const query = { mode: 'text', text: 'tea', k: 1 } as const;
  let database: TestDatabase;
  const open: Pool[] = [];

  /** Connections of an executor. */
  const executor = (statementTimeoutMs: number): Pool => {
    const url = database.urlFor('writ_executor');
    const pool = createPool({ url, applicationName: 'spec', max: 10, statementTimeoutMs });
    open.push(pool);
    return pool;
  };

  beforeAll(async () => {
    database = await testDatabase();
    const kernel = createPool({ url: database.urlFor('writ_kernel'), applicationName: 'spec', max: 1 });
    const publisher = new PgInfoStorePublisher(kernel);
    for (const tenant of [alice!, bob!])
      await publisher.register(tenant, { store_id: 's', language: 'simple', embedding: null });
    await kernel.end();
    const owner = createPool({ url: database.ownerUrl, applicationName: 'spec', max: 1 });
    await owner.query(`CREATE OR REPLACE FUNCTION info_store.search_text(tenant text, store bigint, lang text, query text, path text, vars jsonb, most integer)
      RETURNS TABLE (chunk_id bigint, score real) LANGUAGE plpgsql STABLE AS $$ BEGIN PERFORM pg_sleep(3); END $$`);
    await owner.end();
  });
  afterAll(async () => {
    for (const pool of open) await pool.end();
    await database.drop();
  });

  it('end as `deadline`, and not as if the database were away', async () => {
    const store = new PgInfoStore(executor(500));
    await expect(store.query(alice!, 's', query)).rejects.toMatchObject({
      code: 'deadline',
      message: expect.stringContaining('rarer words') as string,
    });
    await store.close();
  });

  it('leave connections to other tenants, by words too', async () => {
    const pool = executor(60_000);
    const store = new PgInfoStore(pool);
    const ends: string[] = [];
    const search = (tenant: TenantId, name: string) => store.query(tenant, 's', query).then(() => ends.push(name));
    const all = [1, 2, 3, 4, 5, 6].map((n) => search(alice!, `alice ${n}`));
    await vi.waitFor(() => expect(pool.totalCount).toBe(3));
    await Promise.all([...all, search(bob!, 'bob')]);
    expect(pool.totalCount).toBe(4);
    expect(ends.indexOf('bob')).toBeLessThan(4);
    await store.close();
  });
});
