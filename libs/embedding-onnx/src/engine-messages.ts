// SPDX-License-Identifier: Apache-2.0
// Messages between OnnxEmbedder and its process.

export interface EngineRequest {
  readonly texts: readonly string[];
}

export type EngineReply =
  | { readonly type: 'ready' }
  | { readonly type: 'vectors'; readonly vectors: readonly Float32Array[] }
  /** the process ends afterwards */
  | { readonly type: 'failed'; readonly reason: 'missing' | 'malformed'; readonly message: string };
