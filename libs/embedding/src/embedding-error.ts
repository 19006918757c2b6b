// SPDX-License-Identifier: Apache-2.0

/**
 * Why texts have no embeddings:
 * - `unavailable`: the model's service or process doesn't answer; trying later may help
 * - `missing`: the model's files or its runtime are not installed
 * - `refused`: the service refused the request, such as a wrong key
 * - `malformed`: the service answered something else than embeddings of this model
 * - `too_many`: a call has more texts than `TEXTS_MAX`
 */
export type EmbeddingReason = 'unavailable' | 'missing' | 'refused' | 'malformed' | 'too_many';

/** Embeddings that could not be computed. Its message holds no text and no key. */
export class EmbeddingError extends Error {
  readonly reason: EmbeddingReason;

  constructor(reason: EmbeddingReason, message: string, options?: { readonly cause: unknown }) {
    super(message, options);
    this.name = 'EmbeddingError';
    this.reason = reason;
  }
}
