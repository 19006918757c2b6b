// SPDX-License-Identifier: Apache-2.0
import type { BlobRef, TenantId } from '@writ/contract';
import { BlobStore } from '@writ/blobs';
import { DiskCache, type DiskCacheOptions } from './disk-cache.ts';

/**
 * Caches blobs on a local disk when they are read or put, so that the next call on the same workspace doesn't fetch
 * them again. Each read checks the hash. `sizes` and streams bypass the cache.
 */
export async function diskCachedBlobs(store: BlobStore, options: DiskCacheOptions): Promise<BlobStore> {
  return new DiskCachedBlobs(store, await DiskCache.open(options));
}

class DiskCachedBlobs extends BlobStore {
  readonly #store: BlobStore;
  readonly #cache: DiskCache;

  constructor(store: BlobStore, cache: DiskCache) {
    super();
    this.#store = store;
    this.#cache = cache;
  }

  async put(tenantId: TenantId, bytes: Uint8Array): Promise<BlobRef> {
    const copy = new Uint8Array(bytes);
    const ref = await this.#store.put(tenantId, copy);
    await this.#cache.write(tenantId, ref.sha256, copy);
    return ref;
  }

  async putMany(tenantId: TenantId, blobs: readonly Uint8Array[]): Promise<BlobRef[]> {
    const copies = blobs.map((bytes) => new Uint8Array(bytes));
    const refs = await this.#store.putMany(tenantId, copies);
    await Promise.all(
      refs.map((ref, index) => this.#cache.write(tenantId, ref.sha256, copies[index] ?? new Uint8Array())),
    );
    return refs;
  }

  putStream(tenantId: TenantId, parts: AsyncIterable<Uint8Array>): Promise<BlobRef> {
    return this.#store.putStream(tenantId, parts);
  }

  async get(tenantId: TenantId, sha256: string): Promise<Uint8Array> {
    const kept = await this.#cache.read(tenantId, sha256);
    if (kept) return kept;
    const bytes = await this.#store.get(tenantId, sha256);
    await this.#cache.write(tenantId, sha256, bytes);
    return bytes;
  }

  async getMany(tenantId: TenantId, sha256s: readonly string[]): Promise<Map<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>();
    await Promise.all(
      sha256s.map(async (sha256) => {
        const kept = await this.#cache.read(tenantId, sha256);
        if (kept) found.set(sha256, kept);
      }),
    );
    const wanted = sha256s.filter((sha256) => !found.has(sha256));
    if (wanted.length === 0) return found;
    const fetched = await this.#store.getMany(tenantId, wanted);
    await Promise.all([...fetched].map(([sha256, bytes]) => this.#cache.write(tenantId, sha256, bytes)));
    return new Map([...found, ...fetched]);
  }

  getStream(tenantId: TenantId, sha256: string): AsyncIterable<Uint8Array> {
    return this.#store.getStream(tenantId, sha256);
  }

  sizes(tenantId: TenantId, sha256s: readonly string[]): Promise<Map<string, number>> {
    return this.#store.sizes(tenantId, sha256s);
  }
}
