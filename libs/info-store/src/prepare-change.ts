// SPDX-License-Identifier: Apache-2.0
import { canonicalBytes, sha256Hex, utf8Bytes } from '@writ/digest';
import { EmbeddingError, type Embedder } from '@writ/embedding';
import { CHUNK_OPTIONS, chunksOf, type Chunk, type ChunkOptions } from './chunker.ts';
import type { EmbeddedChunk, PreparedChange, PreparedDocument, StoreChange } from './document.ts';

export interface PrepareOptions {
  /** computes the vectors; null for a store of texts alone */
  readonly embedder: Embedder | null;
  readonly chunks?: ChunkOptions;
  /** splits a text as `chunksOf` does, such as in a thread; `chunksOf` itself by default */
  readonly chunk?: (text: string, options: ChunkOptions) => readonly Chunk[] | Promise<readonly Chunk[]>;
  readonly tenantId?: string;
  readonly signal?: AbortSignal;
  /** runs between two documents: a pause for the event loop */
  readonly pause?: () => Promise<void>;
}

/**
 * Chunks and embeds the documents of a change. The chunks of several documents are embedded in one call, since a
 * service outside takes a request for each.
 * @throws EmbeddingError
 */
export async function prepareChange(change: StoreChange, options: PrepareOptions): Promise<PreparedChange> {
  const { embedder, chunk = chunksOf, chunks: sizes = CHUNK_OPTIONS } = options;
  const parts: (readonly Chunk[])[] = [];
  for (const { text } of change.upserts) {
    await options.pause?.();
    options.signal?.throwIfAborted();
    parts.push(await chunk(text, sizes));
  }
  const embedded = await embeddedChunks(parts.flat(), options);
  let first = 0;
  const documents = change.upserts.map((document, n): PreparedDocument => {
    const end = first + (parts[n]?.length ?? 0);
    const chunks = embedded.slice(first, end);
    first = end;
    return { document, chunks };
  });
  return { change, documents, model: embedder?.model ?? null, digest: changeDigest(change) };
}

/** Texts of one call to the embedder: some seconds of a local model. */
const EMBED_BATCH = 256;

async function embeddedChunks(
  chunks: readonly Chunk[],
  { embedder, tenantId, signal }: PrepareOptions,
): Promise<readonly EmbeddedChunk[]> {
  if (embedder === null) return chunks.map((chunk) => ({ ...chunk, embedding: null }));
  const embedded: EmbeddedChunk[] = [];
  for (let at = 0; at < chunks.length; at += EMBED_BATCH) {
    const batch = chunks.slice(at, at + EMBED_BATCH);
    const texts = batch.map(({ text }) => text);
    const vectors = await embedder.embed(texts, { tenantId, signal });
    for (const [n, chunk] of batch.entries()) {
      const embedding = vectors[n];
      if (embedding === undefined) throw new EmbeddingError('malformed', 'there are fewer vectors than texts');
      embedded.push({ ...chunk, embedding });
    }
  }
  return embedded;
}

/**
 * The SHA-256 of a change, hex, over canonical JSON (RFC 8785): the store, each upsert with the SHA-256 of its text,
 * and the deletes, both sorted by id. Whoever knows a call's arguments can compute it.
 */
export function changeDigest({ store_id, upserts, deletes }: StoreChange): string {
  const documents = upserts.map(({ document_id, text, source, metadata }) => ({
    document_id,
    source,
    metadata,
    text_sha256: sha256Hex(utf8Bytes(text)),
  }));
  const byId = (a: { readonly document_id: string }, b: { readonly document_id: string }): number =>
    a.document_id < b.document_id ? -1 : 1;
  return sha256Hex(
    canonicalBytes({ store_id, upserts: documents.sort(byId), deletes: [...deletes].sort((a, b) => (a < b ? -1 : 1)) }),
  );
}
