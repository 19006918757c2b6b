// SPDX-License-Identifier: Apache-2.0
export { diskCachedBlobs } from './disk-cached-blobs.ts';
export { pgBlobs } from './pg-blobs.ts';
export type { DiskCacheOptions } from './disk-cache.ts';
export { pgBlobSweep } from './pg-blob-sweep.ts';
