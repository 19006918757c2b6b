// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import { unitVector } from '@writ/embedding';
import type { PreparedChange, PreparedDocument } from './document.ts';
import { filterMatches } from './filter-matches.ts';
import { changeDiffers, changeUnknown, storeDiffers, storeUnknown } from './info-store-error.ts';
import {
  InfoStore,
  InfoStorePublisher,
  type PublishedChange,
  type PublishRequest,
  type StagedChange,
  type StoreStats,
} from './info-store.ts';
import { verifyModel, verifyQueryModel } from './model-checks.ts';
import { fuseRankings } from './rank-fusion.ts';
import type { Hit, Query, QueryResult } from './query.ts';
import { isSameDefinition, type StoreDefinition } from './store-definition.ts';

interface MemoryStore {
  readonly definition: StoreDefinition;
  version: number;
  readonly documents: Map<string, PreparedDocument>;
}

interface MemoryChange {
  readonly operationId: string;
  readonly storeId: string;
  readonly change: PreparedChange;
  readonly stagedAt: number;
  published: number | null;
}

/** The state of the fake, which both ports share. */
export interface MemoryStores {
  readonly stores: Map<string, MemoryStore>;
  readonly changes: Map<string, MemoryChange>;
  readonly now: () => number;
}

export const memoryStores = (now: () => number): MemoryStores => ({ stores: new Map(), changes: new Map(), now });

const keyOf = (tenantId: string, id: string): string => `${tenantId}/${id}`;
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** A fake for specs. Its search of texts finds chunks with all words of the query, and ranks by their number. */
export class MemoryInfoStore extends InfoStore {
  readonly #state: MemoryStores;
  #changes = 0;

  constructor(state: MemoryStores) {
    super();
    this.#state = state;
  }

  override async stage(
    tenantId: TenantId,
    operationId: string,
    change: PreparedChange,
    signal?: AbortSignal,
  ): Promise<StagedChange> {
    signal?.throwIfAborted();
    const storeId = change.change.store_id;
    verifyModel(this.#store(tenantId, storeId).definition, change);
    const changeId = `change-${(this.#changes += 1)}`;
    const { changes, now } = this.#state;
    changes.set(keyOf(tenantId, changeId), { operationId, storeId, change, stagedAt: now(), published: null });
    return {
      change_id: changeId,
      store_id: storeId,
      digest: change.digest,
      upserts: change.documents.length,
      deletes: change.change.deletes.length,
      chunks: change.documents.reduce((sum, { chunks }) => sum + chunks.length, 0),
    };
  }

  override async discard(tenantId: TenantId, changeId: string): Promise<void> {
    const key = keyOf(tenantId, changeId);
    if (this.#state.changes.get(key)?.published === null) this.#state.changes.delete(key);
  }

  override async query(tenantId: TenantId, storeId: string, query: Query, signal?: AbortSignal): Promise<QueryResult> {
    signal?.throwIfAborted();
    const store = this.#store(tenantId, storeId);
    const rankings = [
      ...(query.mode === 'vector' ? [] : [byWords(store, query)]),
      ...(query.mode === 'text' ? [] : [byVector(store, query)]),
    ];
    const hits =
      query.mode === 'hybrid'
        ? fuseRankings(rankings, (hit) => `${hit.chunk} ${hit.document_id}`).map(({ item, score }) => ({
            ...item,
            score,
          }))
        : (rankings[0] ?? []);
    return { version: store.version, hits: hits.slice(0, query.k) };
  }

  override async stats(tenantId: TenantId, storeId: string): Promise<StoreStats | null> {
    const store = this.#state.stores.get(keyOf(tenantId, storeId));
    if (store === undefined) return null;
    const chunks = [...store.documents.values()].reduce((sum, each) => sum + each.chunks.length, 0);
    return { definition: store.definition, version: store.version, documents: store.documents.size, chunks };
  }

  override async close(): Promise<void> {
    // It holds nothing.
  }

  #store(tenantId: string, storeId: string): MemoryStore {
    const store = this.#state.stores.get(keyOf(tenantId, storeId));
    if (store === undefined) throw storeUnknown(storeId);
    return store;
  }
}

/** The fake for the kernel's side. */
export class MemoryInfoStorePublisher extends InfoStorePublisher {
  readonly #state: MemoryStores;

  constructor(state: MemoryStores) {
    super();
    this.#state = state;
  }

  override async register(tenantId: TenantId, definition: StoreDefinition): Promise<void> {
    const key = keyOf(tenantId, definition.store_id);
    const store = this.#state.stores.get(key);
    if (store === undefined) this.#state.stores.set(key, { definition, version: 0, documents: new Map() });
    else if (!isSameDefinition(store.definition, definition)) throw storeDiffers(definition.store_id);
  }

  override async unregister(tenantId: TenantId, storeId: string): Promise<boolean> {
    for (const [key, change] of this.#state.changes)
      if (key.startsWith(`${tenantId}/`) && change.storeId === storeId) this.#state.changes.delete(key);
    return this.#state.stores.delete(keyOf(tenantId, storeId));
  }

  override async publish(tenantId: TenantId, request: PublishRequest): Promise<PublishedChange> {
    const staged = this.#state.changes.get(keyOf(tenantId, request.changeId));
    if (staged === undefined) throw changeUnknown(request.changeId);
    if (staged.operationId !== request.operationId || staged.change.digest !== request.digest)
      throw changeDiffers(request.changeId);
    const { storeId } = staged;
    const store = this.#state.stores.get(keyOf(tenantId, storeId));
    if (store === undefined) throw storeUnknown(storeId);
    if (staged.published !== null) return { storeId, version: staged.published };
    for (const id of staged.change.change.deletes) store.documents.delete(id);
    for (const each of staged.change.documents) store.documents.set(each.document.document_id, each);
    store.version += 1;
    staged.published = store.version;
    return { storeId, version: store.version };
  }

  override async sweep(tenantId: TenantId, before: Date, limit: number): Promise<number> {
    let removed = 0;
    for (const [key, change] of this.#state.changes) {
      if (removed >= limit) break;
      if (!key.startsWith(`${tenantId}/`) || change.published !== null || change.stagedAt >= before.getTime()) continue;
      this.#state.changes.delete(key);
      removed += 1;
    }
    return removed;
  }
}

function hitsOf(store: MemoryStore, query: Query, scoreOf: (text: string, embedding: Float32Array | null) => number) {
  const hits: Hit[] = [];
  for (const { document, chunks } of store.documents.values()) {
    if (!filterMatches(query.filters, document.metadata)) continue;
    const { document_id, source, metadata } = document;
    for (const { index, text, embedding } of chunks) {
      const score = scoreOf(text, embedding);
      if (!Number.isNaN(score)) hits.push({ document_id, chunk: index, text, score, source, metadata });
    }
  }
  return hits.sort((a, b) => b.score - a.score || (a.document_id < b.document_id ? -1 : 1) || a.chunk - b.chunk);
}

function byWords(store: MemoryStore, query: Query): Hit[] {
  const wanted = wordsOf(query.text ?? '');
  return hitsOf(store, query, (text) => {
    const words = wordsOf(text);
    const counts = wanted.map((word) => words.filter((each) => each === word).length);
    if (counts.length === 0 || counts.includes(0)) return NaN;
    return counts.reduce((sum, count) => sum + count, 0) / (1 + words.length);
  });
}

function byVector(store: MemoryStore, query: Query): Hit[] {
  const unit = verifyQueryModel(store.definition, query, unitVector);
  return hitsOf(store, query, (_, embedding) =>
    embedding === null ? NaN : embedding.reduce((sum, each, n) => sum + each * (unit[n] ?? 0), 0),
  );
}
