// SPDX-License-Identifier: Apache-2.0

/** What an embedder computes: vectors of one model are compared with each other alone. */
export interface EmbeddingModel {
  /** names the model and its version; a store keeps it, and refuses vectors of another one */
  readonly model: string;
  /** length of a vector */
  readonly dimensions: number;
}

export interface EmbedOptions {
  /** ends the work; the promise rejects with the signal's reason */
  readonly signal?: AbortSignal;
  /** for embedders that share threads among tenants */
  readonly tenantId?: string;
}

/** Texts of one call of `embed`: more than a change of a store has at once in memory. */
export const TEXTS_MAX = 4_096;

/** Computes embeddings: vectors whose cosine says how alike two texts are. */
export abstract class Embedder implements EmbeddingModel {
  abstract readonly model: string;
  abstract readonly dimensions: number;

  /**
   * Returns one vector for each text, in their order. Each vector MUST have `dimensions` finite numbers and the length
   * 1, so that a dot product is the cosine. The same text MUST have the same vector, but for rounding, whatever else is
   * in the call. Implementations MUST truncate a text that is longer than their model reads, MUST accept an empty text,
   * and MUST NOT block the event loop. Callers MUST NOT send more than `TEXTS_MAX` texts.
   * @throws EmbeddingError
   */
  abstract embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>;

  /** Ends processes and connections that it holds. */
  abstract close(): Promise<void>;
}
