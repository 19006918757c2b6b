// SPDX-License-Identifier: Apache-2.0
import type { BlobRef, TenantId } from '@writ/contract';

/** Grace period, in milliseconds: contents that were put or found by `sizes` more recently are never deleted. */
export const GRACE_MS_MIN = 2 * 60 * 60 * 1000;

/**
 * Deletes unreachable contents. Callers find out which contents are reachable: they MUST read all references of the
 * tenant after `since`, and MUST NOT delete a content that one of them names. Implementations MUST NOT delete contents
 * that were put, or that `sizes` returned, at `since` or later, even if a put and a deletion run at once. A put of a
 * content that is being deleted resolves with the content stored.
 */
export abstract class BlobSweep {
  /**
   * Contents that were neither put nor looked up since that time (milliseconds), in the order of their hashes, from the
   * one after `past`.
   */
  abstract untouched(tenantId: TenantId, since: number, past: string | null, limit: number): Promise<BlobRef[]>;

  /** Deletes those of the contents that are still untouched, and resolves with them. */
  abstract delete(tenantId: TenantId, since: number, sha256s: readonly string[]): Promise<BlobRef[]>;

  /** Deletes up to `limit` parts that belong to no content. Resolves with their number. */
  abstract deleteParts(tenantId: TenantId, since: number, limit: number): Promise<number>;
}
