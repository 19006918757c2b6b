// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import type { TenantId } from '@writ/contract';
import { inTenant, type Client, type Pool } from '@writ/database';
import { unitVector } from '@writ/embedding';
import {
  fuseRankings,
  InfoStore,
  LANGUAGES,
  storeUnknown,
  verifyModel,
  verifyQueryModel,
  type PreparedChange,
  type Query,
  type QueryResult,
  type StagedChange,
  type StoreDefinition,
  type StoreStats,
} from '@writ/info-store';
import { searchFailure } from './failures.ts';
import { infoStoreSql, type StoreRow } from './functions.ts';
import { searchTurns } from './search-turns.ts';
import { readHits, scanVectors, searchIndex, searchText, type Search } from './search.ts';
import { stageChange } from './stage-change.ts';
import type { Ranking } from './top-hits.ts';
import { VectorScanner, type VectorScannerOptions } from './vector-scanner.ts';

export interface PgInfoStoreOptions extends VectorScannerOptions {
  /**
   * searches an indexed store by comparing all vectors while it has fewer chunks than this: that finds exactly the
   * nearest; `SCANNED_CHUNKS` by default
   */
  readonly scannedChunks?: number;
}

/** A store of this size is compared in some 25 ms, of 384 dimensions (bench: vector_scan_100k). */
export const SCANNED_CHUNKS = 20_000;
const CHANGE_ID_BYTES = 16;

/**
 * Information stores in the schema `info_store`, for an executor; the pool's role is the executor's. A change is staged
 * in one transaction. A query sees one version of the store, in one snapshot. INVARIANT (fair): queries of any mode
 * take turns between tenants, since each holds a connection.
 */
export class PgInfoStore extends InfoStore {
  readonly #pool: Pool;
  readonly #scanner: VectorScanner;
  readonly #turns = searchTurns();
  readonly #scannedChunks: number;

  constructor(pool: Pool, { scannedChunks = SCANNED_CHUNKS, ...scanner }: PgInfoStoreOptions = {}) {
    super();
    this.#pool = pool;
    this.#scannedChunks = scannedChunks;
    this.#scanner = new VectorScanner(scanner);
  }

  override async stage(
    tenantId: TenantId,
    operationId: string,
    prepared: PreparedChange,
    signal?: AbortSignal,
  ): Promise<StagedChange> {
    signal?.throwIfAborted();
    const change = randomBytes(CHANGE_ID_BYTES).toString('hex');
    const { store_id, deletes } = prepared.change;
    await inTenant(this.#pool, tenantId, async (client) => {
      const store = await findStore(client, tenantId, store_id);
      verifyModel(definitionOf(store_id, store), prepared);
      await stageChange({ client, tenant: tenantId, store, change }, operationId, prepared, signal);
    });
    return {
      change_id: change,
      store_id,
      digest: prepared.digest,
      upserts: prepared.documents.length,
      deletes: deletes.length,
      chunks: prepared.documents.reduce((sum, { chunks }) => sum + chunks.length, 0),
    };
  }

  override async discard(tenantId: TenantId, changeId: string): Promise<void> {
    await infoStoreSql.discardChange(this.#pool, { tenant: tenantId, change: changeId });
  }

  override async query(tenantId: TenantId, storeId: string, query: Query, signal?: AbortSignal): Promise<QueryResult> {
    signal?.throwIfAborted();
    const run = (): Promise<QueryResult> =>
      inTenant(this.#pool, tenantId, (client) => this.#search(client, tenantId, storeId, query, signal), {
        isolation: 'repeatable read',
        readOnly: true,
      });
    return await this.#turns.run(tenantId, run, signal).catch((error: unknown) => {
      throw searchFailure(error);
    });
  }

  override async stats(tenantId: TenantId, storeId: string): Promise<StoreStats | null> {
    const row = await infoStoreSql.findStore(this.#pool, { tenant: tenantId, store: storeId });
    if (row === null) return null;
    const { version, documents, chunks } = row;
    return { definition: definitionOf(storeId, row), version, documents, chunks };
  }

  override close(): Promise<void> {
    return this.#scanner.close();
  }

  async #search(
    client: Client,
    tenant: TenantId,
    storeId: string,
    query: Query,
    signal?: AbortSignal,
  ): Promise<QueryResult> {
    const store = await findStore(client, tenant, storeId);
    const search: Search = { client, tenant, store, filters: query.filters, signal };
    const rankings: Ranking[] = [];
    if (query.mode !== 'text') {
      const unit = verifyQueryModel(definitionOf(storeId, store), query, unitVector);
      const byIndex = store.is_indexed && store.chunks >= this.#scannedChunks;
      rankings.push(await (byIndex ? searchIndex(search, unit) : scanVectors(search, unit, this.#scanner)));
    }
    signal?.throwIfAborted();
    if (query.mode !== 'vector') rankings.unshift(await searchText(search, query.text ?? ''));
    const ranking = query.mode === 'hybrid' ? fused(rankings) : (rankings[0] ?? { ids: [], scores: [] });
    const best = { ids: ranking.ids.slice(0, query.k), scores: ranking.scores.slice(0, query.k) };
    return { version: store.version, hits: await readHits(search, best) };
  }
}

function fused(rankings: readonly Ranking[]): Ranking {
  const items = fuseRankings(
    rankings.map(({ ids }) => ids),
    String,
  );
  return { ids: items.map(({ item }) => item), scores: items.map(({ score }) => score) };
}

async function findStore(client: Client, tenant: string, store: string): Promise<StoreRow> {
  const row = await infoStoreSql.findStore.in(client, { tenant, store });
  if (row === null) throw storeUnknown(store);
  return row;
}

function definitionOf(store_id: string, { language, model, dimensions }: StoreRow): StoreDefinition {
  const known = LANGUAGES.find((each) => each === language);
  if (known === undefined) throw new Error(`the store \`${store_id}\` has the unknown language \`${language}\``);
  return { store_id, language: known, embedding: model === null || dimensions === null ? null : { model, dimensions } };
}
