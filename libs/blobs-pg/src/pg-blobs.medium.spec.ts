// SPDX-License-Identifier: Apache-2.0
import { formatId } from '@writ/contract';
import { blobStoreContract } from '@writ/blobs/contract';
import { connect, createPool, inTenant, type LoginRole, type Pool } from '@writ/database';
import { rowsRead, testDatabase, type TestDatabase } from '@writ/testing';
import { pgBlobs } from './pg-blobs.ts';

const ALICE = formatId('tenant', new Uint8Array(16).fill(1));
const BOB = formatId('tenant', new Uint8Array(16).fill(2));

blobStoreContract('Postgres', async () => {
  const database = await testDatabase();
  const pool = createPool({ url: database.urlFor('writ_executor'), applicationName: 'spec', max: 4 });
  return {
    store: pgBlobs(pool),
    tamper: async (tenantId, sha256) => {
      const admin = await connect(database.ownerUrl, 'spec');
      const flip = 'bytes = set_byte(bytes, 0, get_byte(bytes, 0) # 1)';
      const key = [tenantId, Buffer.from(sha256, 'hex')];
      // The check constraint would refuse it even to the administrator.
      await admin.query('ALTER TABLE blobs.blob DROP CONSTRAINT IF EXISTS blob_matches_hash');
      await admin.query(
        `UPDATE blobs.blob SET ${flip} WHERE tenant_id = $1 AND sha256 = $2 AND bytes IS NOT NULL`,
        key,
      );
      await admin.query(`UPDATE blobs.chunk SET ${flip} WHERE tenant_id = $1 AND upload = $2 AND n = 1`, key);
      await admin.end();
    },
    close: async () => {
      await pool.end();
      await database.drop();
    },
  };
});

describe('the tables of blobs', () => {
  let database: TestDatabase;
  let pools: Record<'writ_executor' | 'writ_kernel' | 'writ_ledger', Pool>;
  const poolOf = (role: LoginRole): Pool => createPool({ url: database.urlFor(role), applicationName: 'spec', max: 1 });

  beforeAll(async () => {
    database = await testDatabase();
    pools = {
      writ_executor: poolOf('writ_executor'),
      writ_kernel: poolOf('writ_kernel'),
      writ_ledger: poolOf('writ_ledger'),
    };
  });
  afterAll(async () => {
    await Promise.all(Object.values(pools).map((pool) => pool.end()));
    await database.drop();
  });

  it.each([
    'UPDATE blobs.blob SET size = 0',
    'DELETE FROM blobs.blob',
    'DELETE FROM blobs.chunk',
    'TRUNCATE blobs.blob',
    'UPDATE blobs.chunk SET n = 1',
  ])('refuse %s', async (statement) => {
    await expect(inTenant(pools.writ_executor, ALICE, (client) => client.query(statement))).rejects.toMatchObject({
      code: '42501',
    });
  });

  it('show a connection without a tenant no rows, also after it had one', async () => {
    await pgBlobs(pools.writ_executor).put(ALICE, Buffer.from('x'));
    expect((await pools.writ_executor.query('SELECT * FROM blobs.blob')).rowCount).toBe(0);
  });

  it('are shared by the processes of a tenant', async () => {
    const { sha256 } = await pgBlobs(pools.writ_executor).put(ALICE, Buffer.from('from the executor'));
    expect(Buffer.from(await pgBlobs(pools.writ_kernel).get(ALICE, sha256)).toString()).toBe('from the executor');
  });

  it('are closed to processes that do not use blobs', async () => {
    await expect(pgBlobs(pools.writ_ledger).put(ALICE, Buffer.from('x'))).rejects.toMatchObject({ code: '42501' });
  });

  it('accept no bytes under another hash, and no row of another tenant', async () => {
    const insert = 'INSERT INTO blobs.blob (tenant_id, sha256, size, bytes) VALUES ($1, sha256($2), 1, $3)';
    const as = (tenant: string, bytes: string): Promise<unknown> =>
      inTenant(pools.writ_executor, ALICE, (client) =>
        client.query(insert, [tenant, Buffer.from('a'), Buffer.from(bytes)]),
      );
    await expect(as(ALICE, 'b')).rejects.toMatchObject({ code: '23514', constraint: 'blob_matches_hash' });
    await expect(as(BOB, 'a')).rejects.toMatchObject({ code: '42501' });
  });

  it('hide an upload that broke off, and the next put of the same bytes completes it', async () => {
    const bytes = Buffer.alloc(2_500_000, 'long');
    const { sha256 } = await pgBlobs(pools.writ_kernel).put(BOB, bytes);
    const upload = Buffer.from(sha256, 'hex');
    await pools.writ_executor.query('SELECT blobs.put_chunk($1, $2, 0, $3)', [
      ALICE,
      upload,
      bytes.subarray(0, 1_048_576),
    ]);
    const store = pgBlobs(pools.writ_executor);
    expect(await store.has(ALICE, [sha256])).toEqual(new Set());
    expect(await store.put(ALICE, bytes)).toEqual({ sha256, size: bytes.length });
    expect(Buffer.compare(await store.get(ALICE, sha256), bytes)).toBe(0);
  });

  it('find contents by index, without reading others of the tenant, on a database without statistics', async () => {
    const store = pgBlobs(pools.writ_executor);
    const contents = Array.from({ length: 4_000 }, (_, n) => Buffer.from(`content ${n}`));
    // The plans are made and cached while the table is nearly empty.
    for (const few of [contents.slice(0, 5), contents.slice(0, 10)]) {
      const refs = await store.putMany(ALICE, few);
      for (let times = 0; times < 6; times += 1) {
        await store.getMany(
          ALICE,
          refs.map(({ sha256 }) => sha256),
        );
        await store.sizes(
          ALICE,
          refs.map(({ sha256 }) => sha256),
        );
        await store.putMany(ALICE, few);
      }
    }
    const refs = await store.putMany(ALICE, contents);
    const some = refs.slice(1_000, 1_100).map(({ sha256 }) => sha256);
    const reads = {
      get: () => store.getMany(ALICE, some),
      sizes: () => store.sizes(ALICE, some),
      put: () => store.putMany(ALICE, contents.slice(1_000, 1_100)),
    };
    const rows: Record<string, number> = {};
    for (const [name, read] of Object.entries(reads)) {
      const before = await rowsRead(pools.writ_executor, 'blobs.blob');
      await read();
      rows[name] = ((await rowsRead(pools.writ_executor, 'blobs.blob')) - before) / some.length;
    }
    expect(Object.entries(rows).filter(([, each]) => each > 4)).toEqual([]);
  });
});
