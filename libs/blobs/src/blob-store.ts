// SPDX-License-Identifier: Apache-2.0
import type { BlobRef, TenantId } from '@writ/contract';

/**
 * Contents of any length, each under the SHA-256 of its bytes (64 lower-case hexadecimal digits), for each tenant
 * apart.
 *
 * Implementations MUST NOT share anything between tenants: neither bytes, nor the time that an answer takes, nor the
 * fact that another tenant has the same bytes. They MUST check that bytes match their hash before they hand them out,
 * and MUST NOT keep a reference to the bytes that they were given or gave. Nothing is ever changed or taken away
 * through this port. Callers MUST NOT name a blob in anything durable before its `put` has resolved, nor later than two
 * hours after the last `put` or `sizes` that spoke of it, unless something durable names it already: `BlobSweep`
 * deletes unreachable blobs.
 *
 * Faults of all: `database.unavailable` (or what else keeps the bytes), of the reads also `blob.missing` and
 * `blob.corrupt`.
 */
export abstract class BlobStore {
  /**
   * Resolves once the bytes survive a power cut; MUST NOT resolve before. Putting what is there already is the same as
   * putting it.
   */
  abstract put(tenantId: TenantId, bytes: Uint8Array): Promise<BlobRef>;

  /** As `put` of each, in fewer round trips; refs in the order of the blobs. A fault may leave any part of them put. */
  abstract putMany(tenantId: TenantId, blobs: readonly Uint8Array[]): Promise<BlobRef[]>;

  /** As `put`, for bytes that come in parts and are more than should be held at once. */
  abstract putStream(tenantId: TenantId, parts: AsyncIterable<Uint8Array>): Promise<BlobRef>;

  /** The bytes of that hash. Callers bound the size before they ask: it is held at once. */
  abstract get(tenantId: TenantId, sha256: string): Promise<Uint8Array>;

  /** As `get` of each, in fewer round trips; every hash that was asked for is a key. */
  abstract getMany(tenantId: TenantId, sha256s: readonly string[]): Promise<Map<string, Uint8Array>>;

  /**
   * The bytes in parts of at most 1 MiB. Throws `blob.corrupt` after the last part where the whole doesn't match:
   * callers MUST NOT act on a part before the end was reached.
   */
  abstract getStream(tenantId: TenantId, sha256: string): AsyncIterable<Uint8Array>;

  /**
   * Those of the hashes that are there for this tenant, each with the bytes that it has: what somebody says of a
   * content's length is checked here.
   */
  abstract sizes(tenantId: TenantId, sha256s: readonly string[]): Promise<Map<string, number>>;

  /** Those of the hashes that are there for this tenant. */
  async has(tenantId: TenantId, sha256s: readonly string[]): Promise<Set<string>> {
    return new Set((await this.sizes(tenantId, sha256s)).keys());
  }
}
