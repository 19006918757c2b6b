// SPDX-License-Identifier: Apache-2.0
// The whole contract with the index of pgvector, on PostgreSQL as WebAssembly with that extension.
import { formatId } from '@writ/contract';
import { inTenant, type Pool } from '@writ/database';
import { HashEmbedder } from '@writ/embedding';
import { prepareChange } from '@writ/info-store';
import { infoStoreContract } from '@writ/info-store/contract';
import { liteDatabase, type LiteDatabase } from '@writ/testing';
import { enableVectorIndexOn } from './enable-vector-index.ts';
import { infoStoreSql } from './functions.ts';
import { PgInfoStorePublisher } from './pg-info-store-publisher.ts';
import { PgInfoStore } from './pg-info-store.ts';

const ALICE = formatId('tenant', new Uint8Array(16).fill(1));

/** A database with the schema and the index for vectors of 32 dimensions. */
const startLite = (): Promise<LiteDatabase> =>
  liteDatabase('info_store', 'libs/info-store-pg/sql', async (client) => {
    expect(await enableVectorIndexOn(client, [32])).toBe(true);
    expect(await enableVectorIndexOn(client, [32, 64])).toBe(true);
  });

// It starts in ten seconds: the contract and the tests below share it.
let lite: Promise<LiteDatabase> | undefined;
const sharedPool = async (): Promise<Pool> => (await (lite ??= startLite())).pool;
afterAll(async () => (await lite)?.close());

infoStoreContract('PostgreSQL with pgvector', async () => {
  const pool = await sharedPool();
  const store = new PgInfoStore(pool, { scannedChunks: 0 });
  return { store, publisher: new PgInfoStorePublisher(pool), close: () => store.close() };
});

const vectorsOf = (pool: Pool, store: number): Promise<number | null> =>
  inTenant(pool, ALICE, async (client) => {
    const text = 'SELECT FROM info_store.chunk_vector WHERE store_key = $1';
    return (await client.query(text, [store])).rowCount;
  });

describe('the index of pgvector', () => {
  it('is used by the stores that are registered after it, finds nearly what a scan finds, and loses what is swept', async () => {
    const pool = await sharedPool();
    const [indexed, scanned] = [new PgInfoStore(pool, { scannedChunks: 0 }), new PgInfoStore(pool)];
    const publisher = new PgInfoStorePublisher(pool);
    try {
      const embedder = new HashEmbedder(32);
      const definition = { store_id: 's', language: 'simple', embedding: embedder } as const;
      await publisher.register(ALICE, definition);
      const row = await infoStoreSql.findStore(pool, { tenant: ALICE, store: 's' });
      expect(row).toMatchObject({ is_indexed: true });
      const upserts = Array.from({ length: 120 }, (_, n) => ({
        document_id: `${n}`,
        text: `word${n % 50} of ${n} and word${n % 7}`,
        source: '',
        metadata: { n },
      }));
      const change = await prepareChange({ store_id: 's', upserts, deletes: [] }, { embedder });
      const { change_id: changeId, digest } = await indexed.stage(ALICE, 'op_1', change);
      await publisher.publish(ALICE, { operationId: 'op_1', changeId, digest });
      let found = 0;
      for (let n = 0; n < 20; n += 1) {
        const [embedding] = await embedder.embed([`word${n} and word${n % 7}`]);
        const query = { mode: 'vector', k: 10, embedding } as const;
        const [some, all] = [await indexed.query(ALICE, 's', query), await scanned.query(ALICE, 's', query)];
        const ids = all.hits.map(({ document_id }) => document_id);
        found += some.hits.filter(({ document_id }) => ids.includes(document_id)).length;
        expect(some.hits[0]!.score).toBeCloseTo(all.hits[0]!.score, 2);
      }
      expect(found / 200).toBeGreaterThan(0.9);
      expect(await vectorsOf(pool, row!.store_key)).toBe(upserts.length);
      await publisher.unregister(ALICE, 's');
      while ((await publisher.sweep(ALICE, new Date(), 100)) > 0);
      expect(await vectorsOf(pool, row!.store_key)).toBe(0);
    } finally {
      await indexed.close();
      await scanned.close();
    }
  });
});
