// SPDX-License-Identifier: Apache-2.0
import { unitVector } from '@writ/embedding';
import { InfoStoreError, type EmbeddedChunk, type PreparedChange, type PreparedDocument } from '@writ/info-store';
import type { Client } from '@writ/database';
import { infoStoreSql, type StoreRow } from './functions.ts';

/** Chunks of a statement: some hundred kilobytes of text, and up to 4 MiB of vectors. */
const CHUNKS_PER_STATEMENT = 256;

/** Where a change is staged. */
export interface StagePlace {
  readonly client: Client;
  readonly tenant: string;
  readonly store: StoreRow;
  readonly change: string;
}

/** Stages the rows of a change in the open transaction, and seals it. */
export async function stageChange(
  place: StagePlace,
  operation: string,
  prepared: PreparedChange,
  signal?: AbortSignal,
): Promise<void> {
  const { client, tenant, change } = place;
  const store = place.store.store_key;
  const digest = Buffer.from(prepared.digest, 'hex');
  await infoStoreSql.beginChange.in(client, { tenant, store, operation, change, digest });
  for (const document of prepared.documents) {
    await stageDocument(place, document, signal);
  }
  for (const document of prepared.change.deletes) {
    signal?.throwIfAborted();
    const removal = { is_removal: true, source: '', metadata: {}, chunks: 0 };
    await infoStoreSql.stageDocument.in(client, { tenant, store, change, document, ...removal });
  }
  const isSealed = await infoStoreSql.sealChange.in(client, { tenant, change });
  if (!isSealed) throw new Error(`the change \`${change}\` was sealed by somebody else`);
}

async function stageDocument(
  place: StagePlace,
  { document, chunks }: PreparedDocument,
  signal?: AbortSignal,
): Promise<void> {
  const { client, tenant, store, change } = place;
  signal?.throwIfAborted();
  await infoStoreSql.stageDocument.in(client, {
    tenant,
    store: store.store_key,
    change,
    document: document.document_id,
    is_removal: false,
    source: document.source,
    metadata: document.metadata,
    chunks: chunks.length,
  });
  for (let at = 0; at < chunks.length; at += CHUNKS_PER_STATEMENT) {
    signal?.throwIfAborted();
    await stageChunks(place, document.document_id, at, chunks.slice(at, at + CHUNKS_PER_STATEMENT));
  }
}

async function stageChunks(
  { client, tenant, store, change }: StagePlace,
  document: string,
  first: number,
  chunks: readonly EmbeddedChunk[],
): Promise<void> {
  const vectors = chunks.map(({ embedding }) => (embedding === null ? null : unitOf(embedding)));
  const rows = { tenant, store: store.store_key, change, document, first };
  await infoStoreSql.stageChunks.in(client, {
    ...rows,
    lang: store.language,
    texts: chunks.map(({ text }) => text),
    embeddings: vectors.map((vector) => (vector === null ? null : littleEndian(vector))),
  });
  if (!store.is_indexed || store.dimensions === null) return;
  await infoStoreSql.stageVectors.in(client, {
    ...rows,
    dims: store.dimensions,
    vectors: vectors.map((vector) => (vector === null ? null : vectorText(vector))),
  });
}

function unitOf(embedding: Float32Array): Float32Array {
  const unit = unitVector(embedding);
  if (unit === null) throw new InfoStoreError('model_differs', 'an embedding of zeros has no direction');
  return unit;
}

/** The text that pgvector reads. */
export const vectorText = (vector: Float32Array): string => `[${vector.join(',')}]`;

/** The bytes of the numbers, whatever the order of this machine. */
export function littleEndian(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT);
  vector.forEach((each, n) => bytes.writeFloatLE(each, n * Float32Array.BYTES_PER_ELEMENT));
  return bytes;
}

/** The numbers of `littleEndian`, in an array of their own. */
export function floatsOf(bytes: Buffer): Float32Array {
  const floats = new Float32Array(bytes.length / Float32Array.BYTES_PER_ELEMENT);
  Buffer.from(floats.buffer).set(bytes);
  if (IS_BIG_ENDIAN) Buffer.from(floats.buffer).swap32();
  return floats;
}

const IS_BIG_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 0;
