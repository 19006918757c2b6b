// SPDX-License-Identifier: Apache-2.0
import { formatId } from '@writ/contract';
import { createPool, inTenant, type Client, type Pool } from '@writ/database';
import { prepareChange, type Document } from '@writ/info-store';
import { rowsRead, testDatabase, type TestDatabase } from '@writ/testing';
import { infoStoreSql } from './functions.ts';
import { PgInfoStorePublisher } from './pg-info-store-publisher.ts';
import { PgInfoStore } from './pg-info-store.ts';

const ALICE = formatId('tenant', new Uint8Array(16).fill(1));
const FORBIDDEN = { code: '42501' };
const documentOf = (document_id: string, text: string): Document => ({ document_id, text, source: '', metadata: {} });

/** Rows that this connection has written so far, by table. */
async function writesOf(client: Client): Promise<Record<string, number>> {
  const { rows } = await client.query<{ table: string; rows: number }>(
    `SELECT relname AS table, (n_tup_ins + n_tup_upd + n_tup_del)::integer AS rows FROM pg_stat_xact_user_tables
     WHERE schemaname = 'info_store' ORDER BY 1`,
  );
  return Object.fromEntries(rows.map((row) => [row.table, row.rows]));
}

describe('the tables of information stores', () => {
  let database: TestDatabase;
  let [executor, kernel, other]: Pool[] = [];
  let store: PgInfoStore;
  let publisher: PgInfoStorePublisher;
  beforeAll(async () => {
    database = await testDatabase();
    [executor, kernel, other] = (['writ_executor', 'writ_kernel', 'writ_orchestrator'] as const).map((role) =>
      createPool({ url: database.urlFor(role), applicationName: 'spec', max: 2 }),
    );
    store = new PgInfoStore(executor!);
    publisher = new PgInfoStorePublisher(kernel!);
    await publisher.register(ALICE, { store_id: 's', language: 'english', embedding: null });
  });
  afterAll(async () => {
    await store.close();
    await Promise.all([executor, kernel, other].map((pool) => pool?.end()));
    await database.drop();
  });

  async function stage(...upserts: readonly Document[]) {
    return await store.stage(
      ALICE,
      'op_1',
      await prepareChange({ store_id: 's', upserts, deletes: [] }, { embedder: null }),
    );
  }

  const hitsOf = async (text: string) => (await store.query(ALICE, 's', { mode: 'text', k: 100, text })).hits.length;

  it('publish in the transaction of the caller, or not at all', async () => {
    const { change_id: change, digest } = await stage(documentOf('a', 'apples'));
    const args = { tenant: ALICE, operation: 'op_1', change, expected: Buffer.from(digest, 'hex') };
    const rolledBack = inTenant(kernel!, ALICE, async (client) => {
      expect(await infoStoreSql.publish.in(client, args)).toEqual({ store_id: 's', version: 1 });
      throw new Error('the call is not committed');
    });
    await expect(rolledBack).rejects.toThrow('the call is not committed');
    expect(await hitsOf('apples')).toBe(0);
    await inTenant(kernel!, ALICE, (client) => infoStoreSql.publish.in(client, args));
    expect(await hitsOf('apples')).toBe(1);
  });

  it('write one head for each document when they publish, whatever its length', async () => {
    const words = 'many words of a long text. '.repeat(20_000);
    const [short, long] = [await stage(documentOf('short', 'x')), await stage(documentOf('long', words))];
    expect(long.chunks).toBeGreaterThan(500);
    const written = async (change: string, digest: string) =>
      await inTenant(kernel!, ALICE, async (client) => {
        const before = await writesOf(client);
        await infoStoreSql.publish.in(client, {
          tenant: ALICE,
          operation: 'op_1',
          change,
          expected: Buffer.from(digest, 'hex'),
        });
        const after = await writesOf(client);
        return Object.entries(after).flatMap(([table, rows]) =>
          rows > (before[table] ?? 0) ? [{ table, rows: rows - (before[table] ?? 0) }] : [],
        );
      });
    const counts = [await written(short.change_id, short.digest), await written(long.change_id, long.digest)];
    expect(counts[1]).toEqual(counts[0]);
    expect(counts[0]!.map(({ table }) => table)).not.toContain('chunk');
  });

  it('read as much to publish into a large store as into an empty one, on a database without statistics', async () => {
    const publish = async (...upserts: readonly Document[]) => {
      const { change_id: changeId, digest } = await stage(...upserts);
      const tables = ['document', 'document_version', 'change'];
      const readsOf = async () =>
        (await Promise.all(tables.map((table) => rowsRead(kernel!, `info_store.${table}`)))).reduce((a, b) => a + b);
      const before = await readsOf();
      await publisher.publish(ALICE, { operationId: 'op_1', changeId, digest });
      return (await readsOf()) - before;
    };
    const some = Array.from({ length: 10 }, (_, n) => documentOf(`some ${n}`, 'x'));
    // The plans are made while the tables are nearly empty.
    for (let times = 0; times < 7; times += 1) await publish(...some);
    for (let page = 0; page < 8; page += 1)
      await publish(...Array.from({ length: 250 }, (_, n) => documentOf(`many ${page} ${n}`, 'x')));
    expect(await publish(...some)).toBeLessThan(some.length * 12);
  });

  it('find words by their stems in the language of the store', async () => {
    const { change_id: changeId, digest } = await stage(documentOf('g', 'The gardeners were watering the gardens.'));
    await publisher.publish(ALICE, { operationId: 'op_1', changeId, digest });
    expect(await hitsOf('water garden')).toBe(1);
  });

  it.each([
    ['a head', `INSERT INTO info_store.document VALUES ('${ALICE}', 1, 'x', 'y')`],
    ['another head', `UPDATE info_store.document SET change_id = 'x'`],
    ['no head', 'DELETE FROM info_store.document'],
    ['a published version', 'UPDATE info_store.change SET published_version = 1'],
    ['an unsealed change', 'UPDATE info_store.change SET sealed_at = NULL'],
    ['another digest', 'UPDATE info_store.change SET digest = sha256($$x$$)'],
    ['other text', `UPDATE info_store.chunk SET content = 'x'`],
    ['a store', `INSERT INTO info_store.store (tenant_id, store_id, language) VALUES ('${ALICE}', 'x', 'simple')`],
    ['no chunks', 'DELETE FROM info_store.chunk'],
  ])('let no executor write %s', async (_, statement) => {
    await stage(documentOf('a', 'x'));
    await expect(inTenant(executor!, ALICE, (client) => client.query(statement))).rejects.toMatchObject(FORBIDDEN);
  });

  it('accept no row of a change that is sealed, published or discarded', async () => {
    const add = (change: string) =>
      infoStoreSql.stageDocument(executor!, {
        tenant: ALICE,
        store: 1,
        change,
        document: 'late',
        is_removal: false,
        source: '',
        metadata: {},
        chunks: 0,
      });
    const [sealed, dropped] = [await stage(documentOf('a', 'x')), await stage(documentOf('a', 'x'))];
    await store.discard(ALICE, dropped.change_id);
    for (const change of [sealed.change_id, dropped.change_id, 'unknown'])
      await expect(add(change)).rejects.toMatchObject(FORBIDDEN);
    const chunks = { texts: ['x'], embeddings: [null], first: 9, document: 'a', lang: 'simple', store: 1 };
    await expect(
      infoStoreSql.stageChunks(executor!, { tenant: ALICE, change: sealed.change_id, ...chunks }),
    ).rejects.toMatchObject(FORBIDDEN);
  });

  it('let executors neither publish nor register, and other processes do nothing', async () => {
    const wrong = new PgInfoStorePublisher(executor!);
    const { change_id: changeId, digest } = await stage(documentOf('a', 'x'));
    const request = { operationId: 'op_1', changeId, digest };
    await expect(wrong.publish(ALICE, request)).rejects.toMatchObject(FORBIDDEN);
    const definition = { store_id: 'x', language: 'simple', embedding: null } as const;
    await expect(wrong.register(ALICE, definition)).rejects.toMatchObject(FORBIDDEN);
    await expect(new PgInfoStore(other!).stats(ALICE, 's')).rejects.toMatchObject(FORBIDDEN);
  });

  it('answer a search of words only for the tenant of the transaction', async () => {
    const search = infoStoreSql.searchText(executor!, {
      tenant: ALICE,
      store: 1,
      lang: 'simple',
      query: 'x',
      path: '1 == 1',
      vars: {},
      most: 1,
    });
    await expect(search).rejects.toMatchObject(FORBIDDEN);
  });

  it('are empty after everything was replaced, removed and swept', async () => {
    const definition = { store_id: 'swept', language: 'simple', embedding: null } as const;
    await publisher.register(ALICE, definition);
    const text = 'some words '.repeat(500);
    for (let times = 0; times < 3; times += 1) {
      const upserts = [documentOf('a', text), documentOf(`b${times}`, text)];
      const prepared = await prepareChange({ store_id: 'swept', upserts, deletes: ['none'] }, { embedder: null });
      const { change_id: changeId, digest } = await store.stage(ALICE, 'op_1', prepared);
      if (times < 2) await publisher.publish(ALICE, { operationId: 'op_1', changeId, digest });
    }
    await publisher.unregister(ALICE, 'swept');
    const later = new Date(Date.now() + 60_000);
    while ((await publisher.sweep(ALICE, later, 3)) > 0);
    await publisher.unregister(ALICE, 's');
    while ((await publisher.sweep(ALICE, later, 100)) > 0);
    const left = await inTenant(kernel!, ALICE, async (client) => {
      const counts: Record<string, number> = {};
      for (const table of ['store', 'change', 'document_version', 'chunk', 'document']) {
        const { rows } = await client.query<{ n: number }>(`SELECT count(*)::integer AS n FROM info_store.${table}`);
        counts[table] = rows[0]!.n;
      }
      return counts;
    });
    expect(left).toEqual({ store: 0, change: 0, document_version: 0, chunk: 0, document: 0 });
  });
});
