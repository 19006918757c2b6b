// SPDX-License-Identifier: Apache-2.0
import { EmbeddingError, vectorsOf, type EmbeddingReason, type EmbeddingsAnswer } from '@writ/embedding';
import { chunksOf, type Chunk, type ChunkOptions, type Hit } from '@writ/info-store';
import { ChromaError, hitsOf, type ChromaReason, type QueryAnswer } from '@writ/info-store-chroma';

/** A document that is split into chunks. */
export interface ChunkWork {
  readonly text: string;
  readonly options: ChunkOptions;
}

/** Why there is nothing of an answer, since a thread passes on no class of errors. */
interface Failed<Reason> {
  readonly failed: { readonly reason: Reason; readonly message: string };
}

export type HitsDone = { readonly hits: readonly Hit[] } | Failed<ChromaReason>;
export type VectorsDone = { readonly vectors: readonly Float32Array[] } | Failed<EmbeddingReason>;

/** The splitting of documents, whose length callers decide, and the reading of answers, which servers decide. */
export const STORE_TASKS = {
  'store.chunk': ({ text, options }: ChunkWork): readonly Chunk[] => chunksOf(text, options),
  'store.hits': (answer: QueryAnswer): HitsDone => {
    try {
      return { hits: hitsOf(answer) };
    } catch (error) {
      if (!(error instanceof ChromaError)) throw error;
      return { failed: { reason: error.reason, message: error.message } };
    }
  },
  'store.vectors': (answer: EmbeddingsAnswer): VectorsDone => {
    try {
      return { vectors: vectorsOf(answer) };
    } catch (error) {
      if (!(error instanceof EmbeddingError)) throw error;
      return { failed: { reason: error.reason, message: error.message } };
    }
  },
} as const;
