// SPDX-License-Identifier: Apache-2.0
import { InfoStoreError, parseMetadata, type Hit, type Metadata, type PreparedDocument } from '@writ/info-store';
import { ChromaError } from './chroma-error.ts';

/** Members of a record's metadata that say which document it belongs to. Documents have none of this prefix. */
const OWN = 'writ.';
export const DOCUMENT = 'writ.document_id';
export const CHUNK = 'writ.chunk';
const SOURCE = 'writ.source';

/** A record of Chroma: one chunk. */
export interface ChromaRecord {
  readonly id: string;
  readonly embedding: Float32Array;
  readonly document: string;
  readonly metadata: Metadata;
}

/** @throws InfoStoreError `invalid` for metadata with our own names, `model_differs` for a chunk without a vector */
export function recordsOf({ document, chunks }: PreparedDocument): ChromaRecord[] {
  const { document_id, source, metadata } = document;
  const taken = Object.keys(metadata).find((name) => name.startsWith(OWN));
  if (taken !== undefined)
    throw new InfoStoreError('invalid', `metadata has no names that begin with \`${OWN}\`: rename \`${taken}\``);
  return chunks.map(({ index, text, embedding }) => {
    if (embedding === null) throw new InfoStoreError('model_differs', 'Chroma needs an embedding for each chunk');
    return {
      id: `${index}:${document_id}`,
      embedding,
      document: text,
      metadata: { ...metadata, [DOCUMENT]: document_id, [CHUNK]: index, [SOURCE]: source },
    };
  });
}

/** Distances of a collection, by its configuration: each has its own way to the cosine of vectors of length 1. */
const SCORES: Readonly<Record<string, (distance: number) => number>> = {
  l2: (distance) => 1 - distance / 2,
  cosine: (distance) => 1 - distance,
  ip: (distance) => 1 - distance,
};
export type Space = keyof typeof SCORES;

export const isSpace = (value: unknown): value is Space => typeof value === 'string' && Object.hasOwn(SCORES, value);

/**
 * The hits of a response to a query, best first. Records that Writ didn't write are documents of one chunk.
 * @throws ChromaError `malformed`
 */
export function hitsOf(response: unknown, space: Space): Hit[] {
  const scoreOf = SCORES[space];
  if (scoreOf === undefined) throw new ChromaError('malformed', `the collection has the unknown space \`${space}\``);
  const { ids, documents, metadatas, distances } = response as Readonly<Record<string, unknown>>;
  const [recordIds, texts, metadata, far] = [ids, documents, metadatas, distances].map(firstOf);
  return (recordIds ?? []).map((id, n): Hit => {
    const distance = far?.[n];
    if (typeof id !== 'string' || typeof distance !== 'number')
      throw new ChromaError('malformed', 'the server answered a hit without an id or a distance');
    const { [DOCUMENT]: document, [CHUNK]: chunk, [SOURCE]: source, ...own } = scalarsOf(metadata?.[n]);
    return {
      document_id: typeof document === 'string' ? document : id,
      chunk: typeof chunk === 'number' ? chunk : 0,
      text: typeof texts?.[n] === 'string' ? texts[n] : '',
      score: scoreOf(distance),
      source: typeof source === 'string' ? source : '',
      metadata: own,
    };
  });
}

/** The answers to the first and only query of a request. */
function firstOf(value: unknown): readonly unknown[] {
  const [first] = Array.isArray(value) ? (value as readonly unknown[]) : [];
  if (!Array.isArray(first)) throw new ChromaError('malformed', 'the server answered no list of hits');
  return first as readonly unknown[];
}

/** Those members of somebody else's metadata that ours could be. */
function scalarsOf(value: unknown): Metadata {
  if (typeof value !== 'object' || value === null) return {};
  const members = Object.entries(value).flatMap((member) => {
    try {
      return Object.entries(parseMetadata(Object.fromEntries([member]), ''));
    } catch {
      return [];
    }
  });
  return Object.fromEntries(members);
}
