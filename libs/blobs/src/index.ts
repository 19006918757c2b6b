// SPDX-License-Identifier: Apache-2.0
export { blobReader, type BlobReader } from './blob-reader.ts';
export { BlobStore } from './blob-store.ts';
export { cachedBlobs, type CacheOptions } from './cached-blobs.ts';
export { memoryBlobs, type BlobRows } from './memory-blobs.ts';
export { CHUNK_BYTES, chunksOf, missingBlob, refOf, verifyBlob } from './ref.ts';
export { BlobSweep, GRACE_MS_MIN } from './blob-sweep.ts';
