// SPDX-License-Identifier: Apache-2.0
import { formatId } from '@writ/contract';
import { inTenant, type Client } from '@writ/database';
import { unitVector } from '@writ/embedding';
import type { PreparedChange } from '@writ/info-store';
import {
  enableVectorIndexOn,
  infoStoreSql,
  PgInfoStore,
  PgInfoStorePublisher,
  VectorScanner,
} from '@writ/info-store-pg';
import { liteDatabase } from '@writ/testing';
import { measure, type Load, type Metric } from '../measure.ts';

type Measured = Omit<Metric, 'reference' | 'ratio'>;

const DIMENSIONS = 384;
const NEAREST = 10;
/** Topics of the texts: vectors of one topic lie together, as embeddings do. */
const TOPICS = 200;
const PAGE = 1_000;

/** Numbers from -1 to 1 that are the same in every run (mulberry32). */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 31 - 1;
  };
}

const topicOf = (topic: number): Float64Array => {
  const next = noise(topic + 1);
  return Float64Array.from({ length: DIMENSIONS }, next);
};

/** Vector number `n`: that of its topic, with as much of its own. */
function vectorOf(n: number, topics: readonly Float64Array[]): Float32Array {
  const next = noise(1_000_003 + n);
  const topic = topics[Math.abs(n) % TOPICS] ?? new Float64Array(DIMENSIONS);
  return unitVector(topic.map((each) => each + next())) ?? new Float32Array(DIMENSIONS);
}

const topics = (): Float64Array[] => Array.from({ length: TOPICS }, (_, topic) => topicOf(topic));

/** One exact search over that many vectors of 384 dimensions, from the cache of the scanning thread. */
export async function vectorScan(count: number, load: Load): Promise<Measured> {
  const scanner = new VectorScanner();
  const centres = topics();
  async function* pages() {
    for (let from = 0; from < count; from += PAGE) {
      const ids = Float64Array.from({ length: Math.min(PAGE, count - from) }, (_, n) => from + n + 1);
      const vectors = new Float32Array(ids.length * DIMENSIONS);
      ids.forEach((id, row) => vectors.set(vectorOf(id, centres), row * DIMENSIONS));
      yield { ids, vectors };
    }
  }
  let asked = 0;
  const scan = () =>
    scanner.scan({
      key: 'bench:1:1',
      bytes: count * DIMENSIONS * 4,
      query: vectorOf(-(asked += 1), centres),
      most: NEAREST,
      only: null,
      pages,
    });
  try {
    const began = performance.now();
    await scan();
    console.log(`  first search, with the reading of ${count} vectors: ${Math.round(performance.now() - began)} ms`);
    return await measure(load, async () => void (await scan()));
  } finally {
    await scanner.close();
  }
}

const TENANT = formatId('tenant', new Uint8Array(16).fill(1));
const DOCUMENTS_PER_CHANGE = 250;

/**
 * One search by the HNSW index of pgvector over that many vectors, on PostgreSQL as WebAssembly. It prints the recall:
 * how many of the ten nearest it finds, on average over the samples.
 */
export async function vectorIndex(count: number, load: Load): Promise<Measured> {
  const database = await liteDatabase('info_store', 'libs/info-store-pg/sql', async (client) => {
    await enableVectorIndexOn(client, [DIMENSIONS]);
  });
  const exact = new PgInfoStore(database.pool, { scannedChunks: Infinity });
  const centres = topics();
  try {
    const store = await fill(database.pool, exact, count, centres);
    let [found, asked] = [0, 0];
    const metric = await measure(load, async () => {
      const embedding = vectorOf(-(asked += 1), centres);
      const search = {
        tenant: TENANT,
        store,
        dims: DIMENSIONS,
        query: `[${embedding.join(',')}]`,
        path: '1 == 1',
        vars: {},
        most: NEAREST,
      };
      await inTenant(database.pool, TENANT, async (client) => {
        await client.query(INDEX_ALONE);
        await infoStoreSql.searchVectors.in(client, search);
      });
    });
    for (let n = 1; n <= RECALL_QUERIES; n += 1)
      found += await recallOf(database.pool, exact, store, vectorOf(-n, centres));
    console.log(
      `  recall@${NEAREST} over ${RECALL_QUERIES} queries: ${(found / (RECALL_QUERIES * NEAREST)).toFixed(3)}`,
    );
    return metric;
  } finally {
    await exact.close();
    await database.close();
  }
}

const RECALL_QUERIES = 100;
/** A small store is sorted otherwise, which finds exactly the nearest. */
const INDEX_ALONE = 'SET LOCAL enable_sort = off; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off';

type LitePool = Parameters<typeof inTenant>[0];

async function fill(
  pool: LitePool,
  store: PgInfoStore,
  count: number,
  centres: readonly Float64Array[],
): Promise<number> {
  const publisher = new PgInfoStorePublisher(pool);
  const embedding = { model: 'bench', dimensions: DIMENSIONS };
  await publisher.register(TENANT, { store_id: 's', language: 'simple', embedding });
  // Built at the end: adding each vector by itself takes minutes in WebAssembly.
  await pool.query(`RESET ROLE; DROP INDEX info_store.chunk_vector_${DIMENSIONS}; SET ROLE every_user`);
  for (let from = 0; from < count; from += DOCUMENTS_PER_CHANGE) {
    const chunks = Array.from({ length: DOCUMENTS_PER_CHANGE }, (_, n) => ({
      index: n,
      text: `text ${from + n}`,
      start: 0,
      end: 1,
      embedding: vectorOf(from + n + 1, centres),
    }));
    const document = { document_id: `${from}`, text: '', source: '', metadata: {} };
    const change: PreparedChange = {
      change: { store_id: 's', upserts: [document], deletes: [] },
      documents: [{ document, chunks }],
      model: 'bench',
      digest: '00'.repeat(32),
    };
    const staged = await store.stage(TENANT, 'op_bench', change);
    await publisher.publish(TENANT, { operationId: 'op_bench', changeId: staged.change_id, digest: staged.digest });
  }
  await pool.query(
    `RESET ROLE; SELECT info_store.enable_vector_index('{${DIMENSIONS}}'); ANALYZE; SET ROLE every_user`,
  );
  const row = await infoStoreSql.findStore(pool, { tenant: TENANT, store: 's' });
  if (row?.is_indexed !== true) throw new Error('the store of the benchmark has no index');
  return row.store_key;
}

/** How many of the ten nearest the index finds. */
async function recallOf(pool: LitePool, exact: PgInfoStore, store: number, embedding: Float32Array): Promise<number> {
  const { hits } = await exact.query(TENANT, 's', { mode: 'vector', k: NEAREST, embedding });
  const nearest = new Set(hits.map(({ text }) => text));
  return await inTenant(pool, TENANT, async (client: Client) => {
    await client.query(INDEX_ALONE);
    const vector = `[${embedding.join(',')}]`;
    const found = await infoStoreSql.searchVectors.in(client, {
      tenant: TENANT,
      store,
      dims: DIMENSIONS,
      query: vector,
      path: '1 == 1',
      vars: {},
      most: NEAREST,
    });
    const chunk_ids = found.map(({ chunk_id }) => chunk_id);
    const rows = await infoStoreSql.readChunks.in(client, { tenant: TENANT, store, chunk_ids });
    return rows.filter(({ content }) => nearest.has(content)).length;
  });
}
