// SPDX-License-Identifier: Apache-2.0
import type { BlobRef, TenantId } from '@writ/contract';
import { LRUCache } from 'lru-cache';
import { BlobStore } from './blob-store.ts';
import { refOf } from './ref.ts';

export interface CacheOptions {
  /**
   * bytes of contents to keep; a blob of more than an eighth of it isn't cached, so that a large file doesn't evict the
   * rest
   */
  readonly bytesMax: number;
}

/** Overhead of an entry beside its content: key, map and list nodes. It bounds a cache of many empty files. */
const ENTRY_BYTES = 256;

/**
 * An LRU cache in memory of the blobs that were read or put. Contents never change under their hash, so an entry is
 * never stale. Keys include the tenant, so a hit reveals nothing about another tenant's blobs. `sizes` and streams
 * bypass the cache.
 */
export function cachedBlobs(store: BlobStore, options: CacheOptions): BlobStore {
  return new CachedBlobs(store, options.bytesMax);
}

class CachedBlobs extends BlobStore {
  readonly #store: BlobStore;
  readonly #entries: LRUCache<string, Uint8Array>;

  constructor(store: BlobStore, bytesMax: number) {
    super();
    this.#store = store;
    this.#entries = new LRUCache({
      maxSize: bytesMax,
      maxEntrySize: Math.ceil(bytesMax / 8),
      sizeCalculation: (bytes) => bytes.length + ENTRY_BYTES,
    });
  }

  async put(tenantId: TenantId, bytes: Uint8Array): Promise<BlobRef> {
    const [ref] = await this.putMany(tenantId, [bytes]);
    return ref ?? refOf(bytes);
  }

  async putMany(tenantId: TenantId, blobs: readonly Uint8Array[]): Promise<BlobRef[]> {
    // Copied before the wait: the caller may reuse its buffers while the store writes.
    const copies = blobs.map((bytes) => new Uint8Array(bytes));
    const refs = await this.#store.putMany(tenantId, copies);
    refs.forEach((ref, index) => this.#entries.set(`${tenantId}/${ref.sha256}`, copies[index] ?? new Uint8Array()));
    return refs;
  }

  putStream(tenantId: TenantId, parts: AsyncIterable<Uint8Array>): Promise<BlobRef> {
    return this.#store.putStream(tenantId, parts);
  }

  async get(tenantId: TenantId, sha256: string): Promise<Uint8Array> {
    const key = `${tenantId}/${sha256}`;
    const kept = this.#entries.get(key);
    if (kept) return kept.slice();
    const bytes = await this.#store.get(tenantId, sha256);
    this.#entries.set(key, bytes.slice());
    return bytes;
  }

  async getMany(tenantId: TenantId, sha256s: readonly string[]): Promise<Map<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>();
    for (const sha256 of sha256s) {
      const kept = this.#entries.get(`${tenantId}/${sha256}`);
      if (kept) found.set(sha256, kept.slice());
    }
    const wanted = sha256s.filter((sha256) => !found.has(sha256));
    if (wanted.length === 0) return found;
    for (const [sha256, bytes] of await this.#store.getMany(tenantId, wanted)) {
      this.#entries.set(`${tenantId}/${sha256}`, bytes.slice());
      found.set(sha256, bytes);
    }
    return found;
  }

  getStream(tenantId: TenantId, sha256: string): AsyncIterable<Uint8Array> {
    return this.#store.getStream(tenantId, sha256);
  }

  sizes(tenantId: TenantId, sha256s: readonly string[]): Promise<Map<string, number>> {
    return this.#store.sizes(tenantId, sha256s);
  }
}
