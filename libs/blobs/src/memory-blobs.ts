// SPDX-License-Identifier: Apache-2.0
import type { BlobRef, TenantId } from '@writ/contract';
import { BlobStore } from './blob-store.ts';
import { chunksOf, missingBlob, refOf, verifyBlob } from './ref.ts';

/** The rows of a memory store, by `<tenant>/<hash>`. A test passes them to read or tamper with them. */
export type BlobRows = Map<string, Uint8Array>;

/** A fake that keeps bytes in memory, so its `put` is not durable. */
export function memoryBlobs(rows: BlobRows = new Map()): BlobStore {
  return new MemoryBlobs(rows);
}

class MemoryBlobs extends BlobStore {
  readonly #rows: BlobRows;

  constructor(rows: BlobRows) {
    super();
    this.#rows = rows;
  }

  async put(tenantId: TenantId, bytes: Uint8Array): Promise<BlobRef> {
    const ref = refOf(bytes);
    const key = `${tenantId}/${ref.sha256}`;
    if (!this.#rows.has(key)) this.#rows.set(key, bytes.slice());
    return ref;
  }

  async putMany(tenantId: TenantId, blobs: readonly Uint8Array[]): Promise<BlobRef[]> {
    return await Promise.all(blobs.map((bytes) => this.put(tenantId, bytes)));
  }

  async putStream(tenantId: TenantId, parts: AsyncIterable<Uint8Array>): Promise<BlobRef> {
    const whole = [];
    for await (const part of parts) whole.push(new Uint8Array(part));
    return await this.put(tenantId, Buffer.concat(whole));
  }

  async get(tenantId: TenantId, sha256: string): Promise<Uint8Array> {
    const bytes = this.#rows.get(`${tenantId}/${sha256}`);
    if (!bytes) throw missingBlob(sha256);
    return new Uint8Array(verifyBlob(sha256, bytes));
  }

  async getMany(tenantId: TenantId, sha256s: readonly string[]): Promise<Map<string, Uint8Array>> {
    return new Map(
      await Promise.all(sha256s.map(async (sha256) => [sha256, await this.get(tenantId, sha256)] as const)),
    );
  }

  async *getStream(tenantId: TenantId, sha256: string): AsyncIterable<Uint8Array> {
    yield* chunksOf(await this.get(tenantId, sha256));
  }

  async sizes(tenantId: TenantId, sha256s: readonly string[]): Promise<Map<string, number>> {
    return new Map(
      sha256s.flatMap((sha256) => {
        const bytes = this.#rows.get(`${tenantId}/${sha256}`);
        return bytes === undefined ? [] : [[sha256, bytes.length]];
      }),
    );
  }
}
