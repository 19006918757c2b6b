// SPDX-License-Identifier: Apache-2.0
//
// The answers to queries. INVARIANT (attacker-controlled): whoever has the server decides what is in them. What is no
// answer is `malformed`, and what other programs may have stored is read as far as Writ can say it.
import {
  ID_LENGTH_MAX,
  isMetadataName,
  isMetadataValue,
  isStorableText,
  METADATA_MEMBERS_MAX,
  SOURCE_LENGTH_MAX,
  type Hit,
  type Metadata,
} from '@writ/info-store';
import { ChromaError } from './chroma-error.ts';
import { CHUNK, DOCUMENT, SOURCE } from './chroma-records.ts';
import { membersOf } from './chroma-request.ts';

/** Distances of a collection, by its configuration: each has its own way to the cosine of vectors of length 1. */
const SCORES: Readonly<Record<string, (distance: number) => number>> = {
  l2: (distance) => 1 - distance / 2,
  cosine: (distance) => 1 - distance,
  ip: (distance) => 1 - distance,
};
export type Space = keyof typeof SCORES;

export const isSpace = (value: unknown): value is Space => typeof value === 'string' && Object.hasOwn(SCORES, value);

/** The answer to a query, which nobody has read. */
export interface QueryAnswer {
  readonly body: string;
  readonly space: Space;
  /** how many hits were asked for; those after them are not read */
  readonly k: number;
}

/** A distance may be a little below zero, since servers round. */
const ROUNDED = 0.001;

/**
 * The hits of an answer, best first. Records that Writ didn't write are documents of one chunk. The time that it takes
 * grows with the body.
 * @throws ChromaError `malformed`, which says what is wrong
 */
export function hitsOf({ body, space, k }: QueryAnswer): Hit[] {
  const scoreOf = SCORES[space];
  if (scoreOf === undefined) throw new ChromaError('malformed', `the collection has the unknown space \`${space}\``);
  const { ids, documents, metadatas, distances } = membersOf(body, Infinity);
  const recordIds = firstOf(ids, 'ids');
  const texts = firstOf(documents, 'documents');
  const metadata = firstOf(metadatas, 'metadatas');
  const far = firstOf(distances, 'distances');
  return recordIds.slice(0, k).map((id, n): Hit => {
    const distance = far[n];
    if (!isStorableText(id, Infinity) || id === '')
      throw new ChromaError('malformed', 'the server answered a hit whose id is no text');
    // Inner products of vectors of any length have no lower bound.
    if (typeof distance !== 'number' || !Number.isFinite(distance) || (space !== 'ip' && distance < -ROUNDED))
      throw new ChromaError('malformed', 'the server answered a hit whose distance is no number of a distance');
    const { document, chunk, source, own } = membersOfMetadata(metadata[n]);
    return {
      document_id: isStorableText(document, ID_LENGTH_MAX) && document !== '' ? document : id,
      chunk: Number.isSafeInteger(chunk) && Number(chunk) >= 0 ? Number(chunk) : 0,
      text: typeof texts[n] === 'string' ? storable(texts[n]) : '',
      score: scoreOf(distance),
      source: isStorableText(source, SOURCE_LENGTH_MAX) ? source : '',
      metadata: own,
    };
  });
}

/** The answers to the first and only query of a request. */
function firstOf(value: unknown, member: string): readonly unknown[] {
  const [first] = Array.isArray(value) ? (value as readonly unknown[]) : [];
  if (!Array.isArray(first))
    throw new ChromaError('malformed', `the server answered no list of hits: \`${member}\` has none`);
  return first as readonly unknown[];
}

/** A text with a sign for what no store can hold. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\u0000', '\ufffd');

/** What of a record's metadata is ours, and those of somebody else's members that ours could be. */
function membersOfMetadata(value: unknown): {
  readonly document: unknown;
  readonly chunk: unknown;
  readonly source: unknown;
  readonly own: Metadata;
} {
  const members = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
  const ofWrit = (name: string): unknown => (Object.hasOwn(members, name) ? members[name] : undefined);
  const own: [string, Metadata[string]][] = [];
  for (const name of Object.keys(members)) {
    if (own.length === METADATA_MEMBERS_MAX) break;
    const member = members[name];
    if (name === DOCUMENT || name === CHUNK || name === SOURCE) continue;
    // No canonical encoding has a negative zero.
    if (isMetadataName(name) && isMetadataValue(member)) own.push([name, member === 0 ? 0 : member]);
  }
  return { document: ofWrit(DOCUMENT), chunk: ofWrit(CHUNK), source: ofWrit(SOURCE), own: Object.fromEntries(own) };
}
