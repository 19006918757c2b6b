// SPDX-License-Identifier: Apache-2.0
import type { BlobRef, TenantId } from '@writ/contract';

/** What was put, or was said to be there, less than this long ago in milliseconds is never taken. */
export const GRACE_MS_MIN = 2 * 60 * 60 * 1000;

/**
 * Takes contents away that nothing names. What is named is the caller's to know: callers MUST have read all that names
 * contents of the tenant after `since`, and MUST NOT have a content taken that any of it names. Implementations MUST
 * NOT take what was put, or what `sizes` said is there, at `since` or later, however closely a put and a take meet: the
 * put of a content that is being taken resolves with the content there.
 */
export abstract class BlobSweep {
  /**
   * Contents that nobody put or asked for since that moment (milliseconds), in the order of their hashes, from the one
   * after `past`.
   */
  abstract untouched(tenantId: TenantId, since: number, past: string | null, limit: number): Promise<BlobRef[]>;

  /** Takes those of the contents that are untouched still, and resolves with them. */
  abstract take(tenantId: TenantId, since: number, sha256s: readonly string[]): Promise<BlobRef[]>;

  /**
   * Takes up to `limit` parts of contents that no content has any more, or never had. Resolves with how many those
   * were.
   */
  abstract takeParts(tenantId: TenantId, since: number, limit: number): Promise<number>;
}
