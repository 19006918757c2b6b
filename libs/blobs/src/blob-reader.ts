// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import type { BlobStore } from './blob-store.ts';
import { missingBlob } from './ref.ts';

/**
 * Reads a tenant's blob by its hash. The bytes may be shared with concurrent callers, so callers MUST NOT change them.
 */
export type BlobReader = (sha256: string) => Promise<Uint8Array>;

/**
 * Reads single blobs from a store in batches: reads of the same event-loop turn share one request. So a walk that reads
 * the nodes of a whole level costs one round trip. If one of them is missing or broken, all reads of the batch fail.
 */
export function blobReader(store: BlobStore, tenantId: TenantId): BlobReader {
  let batch: { readonly wanted: Set<string>; readonly found: Promise<Map<string, Uint8Array>> } | null = null;
  const startBatch = (): NonNullable<typeof batch> => {
    const wanted = new Set<string>();
    // Resumes after all reads of the current turn.
    const found = Promise.resolve().then(() => {
      batch = null;
      return store.getMany(tenantId, [...wanted]);
    });
    return { wanted, found };
  };
  return async (sha256) => {
    batch ??= startBatch();
    batch.wanted.add(sha256);
    const bytes = (await batch.found).get(sha256);
    if (!bytes) throw missingBlob(sha256);
    return bytes;
  };
}
