// SPDX-License-Identifier: Apache-2.0
import { createHash, randomBytes } from 'node:crypto';
import type { BlobRef, TenantId } from '@writ/contract';
import { BlobStore, CHUNK_BYTES, chunksOf, missingBlob, refOf, verifyBlob } from '@writ/blobs';
import type { Pool } from '@writ/database';
import { batchesOf, type Batch } from './batches.ts';
import { readChunks } from './chunks.ts';
import { blobsSql, type BlobRow } from './functions.ts';
import { refill } from './refill.ts';

/**
 * A stream below this is buffered and put as a whole, which detects existing contents; a longer one is written as it
 * arrives.
 */
const SPOOL_BYTES = 8 * CHUNK_BYTES;
/** Hashes per statement. It bounds a reply, since requests for many hashes are for small blobs. */
const HASHES_PER_STATEMENT = 1_000;

/**
 * Blobs in the schema `blobs` of Postgres. Every call is one statement and one COMMIT. A long blob has one for each MiB
 * and one that makes it visible, so a broken upload leaves only chunks without a blob. The pool MUST commit durably, as
 * those of `createPool` do.
 */
export function pgBlobs(pool: Pool): BlobStore {
  return new PgBlobs(pool);
}

class PgBlobs extends BlobStore {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    super();
    this.#pool = pool;
  }

  async put(tenantId: TenantId, bytes: Uint8Array): Promise<BlobRef> {
    const ref = refOf(bytes);
    if (bytes.length > CHUNK_BYTES) await this.#putLong(tenantId, ref, bytes);
    else await this.#putBatch(tenantId, { hashes: hexBytes(ref.sha256), sizes: [ref.size], body: bytes });
    return ref;
  }

  async putMany(tenantId: TenantId, blobs: readonly Uint8Array[]): Promise<BlobRef[]> {
    const items = blobs.map((bytes) => ({ ref: refOf(bytes), bytes }));
    for (const batch of batchesOf(items.filter(({ bytes }) => bytes.length <= CHUNK_BYTES)))
      await this.#putBatch(tenantId, batch);
    for (const { ref, bytes } of items) if (bytes.length > CHUNK_BYTES) await this.#putLong(tenantId, ref, bytes);
    return items.map(({ ref }) => ref);
  }

  async putStream(tenantId: TenantId, parts: AsyncIterable<Uint8Array>): Promise<BlobRef> {
    const spool: Uint8Array[] = [];
    const upload = randomBytes(32);
    const hash = createHash('sha256');
    let n = 0;
    let size = 0;
    for await (const chunk of refill(parts, CHUNK_BYTES)) {
      hash.update(chunk);
      size += chunk.length;
      spool.push(chunk);
      if (size > SPOOL_BYTES) for (const held of spool.splice(0)) await this.#putChunk(tenantId, upload, n++, held);
    }
    if (n === 0) return await this.put(tenantId, Buffer.concat(spool));
    const sha256 = hash.digest();
    await this.#putChunked(tenantId, sha256, size, upload);
    return { sha256: sha256.toString('hex'), size };
  }

  async get(tenantId: TenantId, sha256: string): Promise<Uint8Array> {
    const [row] = await this.#rows(tenantId, [sha256]);
    if (!row) throw missingBlob(sha256);
    return await this.#whole(tenantId, row);
  }

  async getMany(tenantId: TenantId, sha256s: readonly string[]): Promise<Map<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>();
    const wanted = [...new Set(sha256s)];
    for (let at = 0; at < wanted.length; at += HASHES_PER_STATEMENT) {
      for (const row of await this.#rows(tenantId, wanted.slice(at, at + HASHES_PER_STATEMENT))) {
        found.set(row.sha256.toString('hex'), await this.#whole(tenantId, row));
      }
    }
    for (const sha256 of wanted) if (!found.has(sha256)) throw missingBlob(sha256);
    return found;
  }

  async *getStream(tenantId: TenantId, sha256: string): AsyncIterable<Uint8Array> {
    const [row] = await this.#rows(tenantId, [sha256]);
    if (!row) throw missingBlob(sha256);
    if (row.upload) yield* readChunks(this.#pool, tenantId, { sha256, size: row.size, upload: row.upload });
    else yield* chunksOf(await this.#whole(tenantId, row));
  }

  async sizes(tenantId: TenantId, sha256s: readonly string[]): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    for (let at = 0; at < sha256s.length; at += HASHES_PER_STATEMENT) {
      const hashes = hexBytes(...sha256s.slice(at, at + HASHES_PER_STATEMENT));
      const rows = await blobsSql.sizes(this.#pool, { tenant: tenantId, hashes });
      for (const row of rows) found.set(row.sha256.toString('hex'), row.size);
    }
    return found;
  }

  async #rows(tenantId: TenantId, sha256s: readonly string[]): Promise<BlobRow[]> {
    return await blobsSql.get(this.#pool, { tenant: tenantId, hashes: hexBytes(...sha256s) });
  }

  async #whole(tenantId: TenantId, row: BlobRow): Promise<Uint8Array> {
    const sha256 = row.sha256.toString('hex');
    if (row.bytes) return verifyBlob(sha256, row.bytes);
    const parts = [];
    for await (const part of readChunks(this.#pool, tenantId, {
      sha256,
      size: row.size,
      upload: row.upload ?? Buffer.alloc(0),
    }))
      parts.push(part);
    return Buffer.concat(parts);
  }

  async #putBatch(tenantId: TenantId, batch: Batch): Promise<void> {
    await blobsSql.put(this.#pool, { tenant: tenantId, ...batch });
  }

  /** The upload has the hash as its name, so the next put of the same bytes continues an upload that broke off. */
  async #putLong(tenantId: TenantId, ref: BlobRef, bytes: Uint8Array): Promise<void> {
    if ((await this.has(tenantId, [ref.sha256])).size > 0) return;
    const sha256 = hexBytes(ref.sha256);
    let n = 0;
    for (const chunk of chunksOf(bytes)) await this.#putChunk(tenantId, sha256, n++, chunk);
    await this.#putChunked(tenantId, sha256, ref.size, sha256);
  }

  async #putChunk(tenantId: TenantId, upload: Buffer, n: number, bytes: Uint8Array): Promise<void> {
    await blobsSql.putChunk(this.#pool, { tenant: tenantId, of_upload: upload, at: n, body: bytes });
  }

  async #putChunked(tenantId: TenantId, sha256: Buffer, size: number, upload: Buffer): Promise<void> {
    await blobsSql.putChunked(this.#pool, { tenant: tenantId, hash: sha256, length: size, of_upload: upload });
  }
}

/** Concatenates hexadecimal hashes as bytes. Throws on a text that isn't a SHA-256. */
function hexBytes(...sha256s: readonly string[]): Buffer {
  const bytes = Buffer.from(sha256s.join(''), 'hex');
  if (bytes.length !== sha256s.length * 32) throw new Error('a content is named by 64 hexadecimal digits');
  return bytes;
}
