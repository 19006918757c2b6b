// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import type { BlobStore } from './blob-store.ts';
import { missingBlob } from './ref.ts';

/**
 * Gives a tenant's blob by its hash. The bytes may be shared with others who asked at the same time: they MUST NOT be
 * changed.
 */
export type BlobReader = (sha256: string) => Promise<Uint8Array>;

/**
 * Reads blobs one by one from a store, which is asked once for all that are wanted at the same moment: a walk that
 * wants the nodes of a whole level costs one round trip. Where one of them is missing or broken, all of that moment
 * fail.
 */
export function blobReader(store: BlobStore, tenantId: TenantId): BlobReader {
  let gathering: { readonly wanted: Set<string>; readonly found: Promise<Map<string, Uint8Array>> } | null = null;
  const begin = (): NonNullable<typeof gathering> => {
    const wanted = new Set<string>();
    // Resumed after everything that the present moment still asks for.
    const found = Promise.resolve().then(() => {
      gathering = null;
      return store.getMany(tenantId, [...wanted]);
    });
    return { wanted, found };
  };
  return async (sha256) => {
    gathering ??= begin();
    gathering.wanted.add(sha256);
    const bytes = (await gathering.found).get(sha256);
    if (!bytes) throw missingBlob(sha256);
    return bytes;
  };
}
