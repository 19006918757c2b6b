// SPDX-License-Identifier: Apache-2.0
import { parseObject } from './document.ts';
import { parseFilter, type Filter } from './filter.ts';
import { invalid } from './info-store-error.ts';
import { DIMENSIONS_MAX, HITS_MAX, QUERY_LENGTH_MAX } from './limits.ts';
import { parseText, type Metadata } from './metadata.ts';

/** How a query finds chunks: by words, by the cosine of embeddings, or by the ranks of both. */
export const QUERY_MODES = ['text', 'vector', 'hybrid'] as const;
export type QueryMode = (typeof QUERY_MODES)[number];

/** A question to a store. */
export interface Query {
  readonly mode: QueryMode;
  /** limit on the hits */
  readonly k: number;
  /** words to find; needed by `text` and `hybrid` */
  readonly text?: string;
  /** needed by `vector` and `hybrid`; of the store's model, of any length but zero */
  readonly embedding?: Float32Array;
  readonly filters?: Filter;
}

/** A query as callers send it: where it needs an embedding and has none, somebody embeds its text. */
export interface QueryRequest extends Omit<Query, 'embedding'> {
  readonly embedding?: readonly number[];
}

/** A chunk that a query found. */
export interface Hit {
  readonly document_id: string;
  /** the place of the chunk in its document, from 0 */
  readonly chunk: number;
  readonly text: string;
  /** larger is better; comparable within one answer only: rank of words, cosine, or fused rank, by the mode */
  readonly score: number;
  readonly source: string;
  readonly metadata: Metadata;
}

/** The hits of one version of a store, best first. */
export interface QueryResult {
  /** the version of the store that was searched */
  readonly version: number;
  readonly hits: readonly Hit[];
}

/** Hits where the caller names no number: what fits a prompt. */
const HITS = 8;

/**
 * Checks a query that a caller sent. Without a mode it is `hybrid` with a text, and else `vector`.
 * @throws InfoStoreError `invalid`, with the place in `pointer`
 */
export function parseQuery(value: unknown): QueryRequest {
  const names = ['mode', 'k', 'text', 'embedding', 'filters'];
  const { mode, k = HITS, text, embedding, filters } = parseObject(value, '', names);
  const parsed: QueryRequest = {
    mode: parseMode(mode ?? (text === undefined ? 'vector' : 'hybrid')),
    k: parseCount(k),
    ...(text === undefined ? {} : { text: parseText(text, '/text', QUERY_LENGTH_MAX) }),
    ...(embedding === undefined ? {} : { embedding: parseEmbedding(embedding) }),
    ...(filters === undefined ? {} : { filters: parseFilter(filters) }),
  };
  if (parsed.text === undefined && parsed.mode !== 'vector')
    throw invalid('/text', `the mode \`${parsed.mode}\` needs a text`);
  if (parsed.text === undefined && parsed.embedding === undefined)
    throw invalid('', 'a query needs a text or an embedding');
  return parsed;
}

function parseMode(value: unknown): QueryMode {
  const mode = QUERY_MODES.find((each) => each === value);
  if (mode === undefined) throw invalid('/mode', `the modes are ${QUERY_MODES.join(', ')}`);
  return mode;
}

function parseCount(value: unknown): number {
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= HITS_MAX) return Number(value);
  throw invalid('/k', `\`k\` is a whole number from 1 to ${HITS_MAX}`);
}

function parseEmbedding(value: unknown): readonly number[] {
  const isList = Array.isArray(value) && value.length > 0 && value.length <= DIMENSIONS_MAX;
  if (!isList || !value.every(Number.isFinite))
    throw invalid('/embedding', `an embedding has 1 to ${DIMENSIONS_MAX} finite numbers`);
  return value as readonly number[];
}
