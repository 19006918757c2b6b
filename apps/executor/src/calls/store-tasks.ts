// SPDX-License-Identifier: Apache-2.0
import { chunksOf, type Chunk, type ChunkOptions, type Hit } from '@writ/info-store';
import { ChromaError, hitsOf, type ChromaReason, type QueryAnswer } from '@writ/info-store-chroma';

/** A document that is split into chunks. */
export interface ChunkWork {
  readonly text: string;
  readonly options: ChunkOptions;
}

/** The hits of an answer; or why there are none, since a thread passes on no class of errors. */
export type HitsDone =
  { readonly hits: readonly Hit[] } | { readonly failed: { readonly reason: ChromaReason; readonly message: string } };

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
} as const;
