// SPDX-License-Identifier: Apache-2.0
export { ChromaError, type ChromaReason } from './chroma-error.ts';
export { hitsOf, type QueryAnswer } from './chroma-hits.ts';
export type { ChromaResponse, SendChromaRequest } from './chroma-request.ts';
export { ChromaStore, type ChromaChange, type ChromaStoreOptions } from './chroma-store.ts';
