// SPDX-License-Identifier: Apache-2.0
import type { BlobRef, TenantId } from '@writ/contract';

/**
 * Contents of any length, each under the SHA-256 of its bytes (64 lower-case hexadecimal digits), per tenant.
 *
 * Implementations MUST NOT share anything between tenants: neither bytes, nor the time of an answer, nor the fact that
 * another tenant has the same bytes. They MUST check that bytes match their hash before they return them, and MUST NOT
 * keep a reference to bytes that they received or returned. This port never changes or deletes contents. Callers MUST
 * name a blob in a durable record within two hours of the last `put` or `sizes` of it, and only after its `put` has
 * resolved. A blob that a durable record names already has no such limit. `BlobSweep` deletes unreachable blobs.
 *
 * Faults of all: `database.unavailable` (or that of another store); of the reads also `blob.missing` and
 * `blob.corrupt`.
 */
export abstract class BlobStore {
  /**
   * Resolves once the bytes survive a power cut; MUST NOT resolve before. Putting existing contents has the same
   * effect.
   */
  abstract put(tenantId: TenantId, bytes: Uint8Array): Promise<BlobRef>;

  /**
   * As `put` of each, in fewer round trips; refs in the order of the blobs. After a fault, any of them may be stored.
   */
  abstract putMany(tenantId: TenantId, blobs: readonly Uint8Array[]): Promise<BlobRef[]>;

  /** As `put`, for contents that arrive in parts and are too large to hold in memory. */
  abstract putStream(tenantId: TenantId, parts: AsyncIterable<Uint8Array>): Promise<BlobRef>;

  /** Reads the bytes of that hash into memory. Callers check the size first. */
  abstract get(tenantId: TenantId, sha256: string): Promise<Uint8Array>;

  /** As `get` of each, in fewer round trips; every requested hash is a key. */
  abstract getMany(tenantId: TenantId, sha256s: readonly string[]): Promise<Map<string, Uint8Array>>;

  /**
   * The bytes in parts of at most 1 MiB. Throws `blob.corrupt` after the last part if the whole doesn't match its hash,
   * so callers MUST NOT act on a part before the end.
   */
  abstract getStream(tenantId: TenantId, sha256: string): AsyncIterable<Uint8Array>;

  /** The sizes in bytes of those contents that this tenant has. Callers check claimed lengths with it. */
  abstract sizes(tenantId: TenantId, sha256s: readonly string[]): Promise<Map<string, number>>;

  /** Those of the hashes that this tenant has. */
  async has(tenantId: TenantId, sha256s: readonly string[]): Promise<Set<string>> {
    return new Set((await this.sizes(tenantId, sha256s)).keys());
  }
}
