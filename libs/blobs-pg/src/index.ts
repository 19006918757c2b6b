// SPDX-License-Identifier: Apache-2.0
export { pgBlobs } from './pg-blobs.ts';
