// SPDX-License-Identifier: Apache-2.0
import { utf8Bytes } from '@writ/digest';
import type { PreparedChange, PreparedDocument } from '@writ/info-store';
import { ChromaError } from './chroma-error.ts';
import { CHUNK, DOCUMENT, recordsOf, type ChromaRecord } from './chroma-records.ts';

/** One request of a change. Its body is made when it is needed: those of a whole change take much memory. */
export interface ChangeRequest {
  readonly action: 'upsert' | 'delete';
  readonly body: () => unknown;
}

/** What is left for the requests of a call. */
export interface RequestRoom {
  readonly requests: number;
  /** sent and received */
  readonly bytes: number;
}

/**
 * Records of a request: below the 5,461 that a server takes. Their JSON is less than a MiB, which is written in
 * milliseconds.
 */
const RECORDS_PER_REQUEST = 32;
/** More than the headers of a request, its answer, and the handshake of its connection. */
const OVERHEAD_BYTES = 16 * 1024;
/** The request that finds the collection. */
const FIRST_REQUESTS = 1;

/**
 * The requests of a change: upserts of all chunks, then deletes of the chunks that are left of older versions, then one
 * delete of documents.
 * @throws InfoStoreError `invalid`, `model_differs`
 */
export function changeRequestsOf({ documents, change }: PreparedChange): readonly ChangeRequest[] {
  const records = documents.flatMap(recordsOf);
  const count = Math.ceil(records.length / RECORDS_PER_REQUEST);
  const batches = Array.from({ length: count }, (_, n) =>
    records.slice(n * RECORDS_PER_REQUEST, (n + 1) * RECORDS_PER_REQUEST),
  );
  return [
    ...batches.map((batch): ChangeRequest => ({ action: 'upsert', body: () => upsertOf(batch) })),
    ...[...idsByLength(documents)].map(([chunks, ids]) =>
      deleteOf({ $and: [{ [DOCUMENT]: { $in: ids } }, { [CHUNK]: { $gte: chunks } }] }),
    ),
    ...(change.deletes.length === 0 ? [] : [deleteOf({ [DOCUMENT]: { $in: change.deletes } })]),
  ];
}

/**
 * Verifies that the requests fit into what is left, so that no change stops halfway.
 * @param pause runs between two requests: a pause for the event loop
 * @throws ChromaError `too_large`
 */
export async function verifyRoom(
  requests: readonly ChangeRequest[],
  room: RequestRoom,
  pause?: () => Promise<void>,
): Promise<void> {
  const count = FIRST_REQUESTS + requests.length;
  if (count > room.requests) throw tooLarge(`${count} requests, and ${Math.max(0, room.requests)} are left`);
  let bytes = FIRST_REQUESTS * OVERHEAD_BYTES;
  for (const { body } of requests) {
    await pause?.();
    bytes += OVERHEAD_BYTES + utf8Bytes(JSON.stringify(body())).length;
    if (bytes > room.bytes) throw tooLarge(`more than the ${Math.max(0, room.bytes)} bytes that are left`);
  }
}

const tooLarge = (what: string): ChromaError =>
  new ChromaError('too_large', `the change needs ${what} for the call: send fewer documents in one call`);

/** The ids of documents by how many chunks they have: one request deletes what several documents of one length left. */
function idsByLength(documents: readonly PreparedDocument[]): ReadonlyMap<number, readonly string[]> {
  const ids = new Map<number, string[]>();
  for (const { document, chunks } of documents) {
    const same = ids.get(chunks.length);
    if (same === undefined) ids.set(chunks.length, [document.document_id]);
    else same.push(document.document_id);
  }
  return ids;
}

const deleteOf = (where: unknown): ChangeRequest => ({ action: 'delete', body: () => ({ where }) });

const upsertOf = (records: readonly ChromaRecord[]): unknown => ({
  ids: records.map(({ id }) => id),
  embeddings: records.map(({ embedding }) => Array.from(embedding, rounded)),
  documents: records.map(({ document }) => document),
  metadatas: records.map(({ metadata }) => metadata),
});

/** Finer than a cosine of such vectors needs. A float's decimal text in full is twice as long. */
const DECIMALS = 1e9;
const rounded = (value: number): number => Math.round(value * DECIMALS) / DECIMALS;
