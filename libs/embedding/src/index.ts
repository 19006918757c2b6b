// SPDX-License-Identifier: Apache-2.0
export { Embedder, TEXTS_MAX, type EmbeddingModel, type EmbedOptions } from './embedder.ts';
export { vectorsOf, type EmbeddingsAnswer } from './embeddings-answer.ts';
export { EmbeddingError, type EmbeddingReason } from './embedding-error.ts';
export { HashEmbedder } from './hash-embedder.ts';
export {
  OpenAiEmbedder,
  type EmbeddingRequest,
  type EmbeddingResponse,
  type OpenAiEmbedderOptions,
  type SendEmbeddingRequest,
} from './openai-embedder.ts';
export { unitVector } from './unit-vector.ts';
