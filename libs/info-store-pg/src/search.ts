// SPDX-License-Identifier: Apache-2.0
import type { Client } from '@writ/database';
import { filterPath, HITS_MAX, type Filter, type Hit } from '@writ/info-store';
import { infoStoreSql, type StoreRow } from './functions.ts';
import { cacheKey } from './block-cache.ts';
import { floatsOf, vectorText } from './stage-change.ts';
import type { Ranking, VectorBlock } from './top-hits.ts';
import type { VectorScanner } from './vector-scanner.ts';

/** A search of one store in an open transaction, whose snapshot shows one version. */
export interface Search {
  readonly client: Client;
  readonly tenant: string;
  readonly store: StoreRow;
  readonly filters: Filter | undefined;
  readonly signal?: AbortSignal;
}

/** Bytes of vectors in a page: the event loop decodes one in a few milliseconds. */
const PAGE_BYTES = 1024 * 1024;
/** Ids in a page of those that match a filter. */
const PAGE_IDS = 5_000;

/** Chunks whose words match, best first: as many as a fused ranking needs. */
export async function searchText(search: Search, query: string): Promise<Ranking> {
  const { client, tenant, store } = search;
  const rows = await infoStoreSql.searchText.in(client, {
    tenant,
    store: store.store_key,
    lang: store.language,
    query,
    ...filterPath(search.filters),
    most: HITS_MAX,
  });
  return rankingOf(rows);
}

/** The nearest chunks by the index of pgvector, best first. */
export async function searchIndex(search: Search, query: Float32Array): Promise<Ranking> {
  const { client, tenant, store } = search;
  const rows = await infoStoreSql.searchVectors.in(client, {
    tenant,
    store: store.store_key,
    dims: query.length,
    query: vectorText(query),
    ...filterPath(search.filters),
    most: HITS_MAX,
  });
  return rankingOf(rows);
}

/** The nearest chunks by comparing all vectors, best first. */
export async function scanVectors(search: Search, query: Float32Array, scanner: VectorScanner): Promise<Ranking> {
  const { tenant, store, signal } = search;
  return await scanner.scan({
    key: cacheKey(tenant, store.store_key, store.version),
    bytes: store.chunks * query.byteLength,
    query,
    most: HITS_MAX,
    only: search.filters === undefined ? null : await matchingIds(search, search.filters),
    pages: () => pagesOf(search, query.length),
    signal,
  });
}

const rankingOf = (rows: readonly { readonly chunk_id: number; readonly score: number }[]): Ranking => ({
  ids: rows.map(({ chunk_id }) => chunk_id),
  scores: rows.map(({ score }) => score),
});

async function* pagesOf({ client, tenant, store, signal }: Search, dims: number): AsyncGenerator<VectorBlock> {
  const most = Math.max(64, Math.floor(PAGE_BYTES / (dims * Float32Array.BYTES_PER_ELEMENT)));
  for (let after: number | null = 0; after !== null;) {
    signal?.throwIfAborted();
    const page = await infoStoreSql.vectors.in(client, { tenant, store: store.store_key, dims, after, most });
    after = page?.last ?? null;
    if (page?.ids && page.vectors) yield { ids: Float64Array.from(page.ids), vectors: floatsOf(page.vectors) };
  }
}

async function matchingIds({ client, tenant, store, signal }: Search, filter: Filter): Promise<Float64Array> {
  const path = filterPath(filter);
  const pages: Float64Array[] = [];
  for (let after: number | null = 0; after !== null;) {
    signal?.throwIfAborted();
    const row = { tenant, store: store.store_key, ...path, after, most: PAGE_IDS };
    const page = await infoStoreSql.matchingChunks.in(client, row);
    after = page?.last ?? null;
    if (page?.ids) pages.push(Float64Array.from(page.ids));
  }
  const ids = new Float64Array(pages.reduce((sum, page) => sum + page.length, 0));
  let at = 0;
  for (const page of pages) {
    ids.set(page, at);
    at += page.length;
  }
  return ids;
}

/** The hits of a ranking, in its order. */
export async function readHits({ client, tenant, store }: Search, ranking: Ranking): Promise<Hit[]> {
  if (ranking.ids.length === 0) return [];
  const rows = await infoStoreSql.readChunks.in(client, { tenant, store: store.store_key, chunk_ids: ranking.ids });
  const byId = new Map(rows.map((row) => [row.chunk_id, row]));
  return ranking.ids.flatMap((id, n) => {
    const row = byId.get(id);
    if (row === undefined) return [];
    const { document_id, content, source, metadata } = row;
    return [{ document_id, chunk: row.n, text: content, score: ranking.scores[n] ?? 0, source, metadata }];
  });
}
