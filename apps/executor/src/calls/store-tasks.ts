// SPDX-License-Identifier: Apache-2.0
import { chunksOf, type Chunk, type ChunkOptions } from '@writ/info-store';

/** A document that is split into chunks. */
export interface ChunkWork {
  readonly text: string;
  readonly options: ChunkOptions;
}

/** The splitting of documents, whose length callers decide, for worker threads. */
export const STORE_TASKS = {
  'store.chunk': ({ text, options }: ChunkWork): readonly Chunk[] => chunksOf(text, options),
} as const;
