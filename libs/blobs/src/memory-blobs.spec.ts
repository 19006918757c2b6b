// SPDX-License-Identifier: Apache-2.0
import { blobStoreContract } from './blob-store.contract.ts';
import { memoryBlobs, type BlobRows } from './memory-blobs.ts';

blobStoreContract('memory', async () => {
  const rows: BlobRows = new Map();
  return {
    store: memoryBlobs(rows),
    tamper: async (tenantId, sha256) => {
      const bytes = rows.get(`${tenantId}/${sha256}`);
      if (bytes) bytes[0] = (bytes[0] ?? 0) ^ 1;
    },
    close: async () => undefined,
  };
});
