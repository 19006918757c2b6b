// SPDX-License-Identifier: Apache-2.0
import type { InfoStoreSettings, StoreHit } from '@writ/contract';
import { EmbeddingError, type Embedder } from '@writ/embedding';
import type { Hit, Query, QueryMode, QueryRequest, StoreDefinition } from '@writ/info-store';

/** How a query searches, and why otherwise than a caller may expect. */
export interface QueryPlan {
  readonly mode: QueryMode;
  readonly notice: string | null;
}

const WITHOUT_MODEL =
  'the model of the store is not installed where the call ran, so it was searched by words alone: `npm run embedding-model` gets it';

/**
 * The mode that the call names, or else the best one that the store has. INVARIANT (said): a search that a missing
 * model makes poorer says so.
 */
export function planQuery(
  { query, mode }: { readonly query: QueryRequest; readonly mode: QueryMode | null },
  { embedding }: StoreDefinition,
  { backend }: InfoStoreSettings,
  embedder: Embedder | null,
): QueryPlan {
  if (mode !== null) return { mode, notice: null };
  if (query.text === undefined) return { mode: 'vector', notice: null };
  if (backend.kind === 'chroma') return { mode: 'vector', notice: null };
  if (embedding === null) return { mode: 'text', notice: null };
  return embedder === null && query.embedding === undefined
    ? { mode: 'text', notice: WITHOUT_MODEL }
    : { mode: 'hybrid', notice: null };
}

/** The query with the vector that its mode needs. @throws EmbeddingError */
export async function embeddedQuery(
  { embedding, ...query }: QueryRequest,
  mode: QueryMode,
  definition: StoreDefinition,
  embedder: Embedder | null,
  { tenantId, signal }: { readonly tenantId: string; readonly signal: AbortSignal },
): Promise<Query> {
  const planned = { ...query, mode };
  // The store itself refuses a search for vectors that it doesn't have.
  if (mode === 'text' || definition.embedding === null) return planned;
  if (embedding !== undefined) return { ...planned, embedding: Float32Array.from(embedding) };
  if (embedder === null) throw withoutModel();
  const [vector] = await embedder.embed([query.text ?? ''], { tenantId, signal });
  if (vector === undefined) throw new EmbeddingError('malformed', 'the model returned no vector for the query');
  return { ...planned, embedding: vector };
}

export const withoutModel = (): EmbeddingError =>
  new EmbeddingError(
    'missing',
    'the model of embeddings of the store is not installed where the call ran: an operator runs `npm run embedding-model`',
  );

const CUT = 'the answer was longer than a call may return: hits are missing at its end';

/** The hits as a call returns them, best first, as many as fit. */
export function shownHits(
  hits: readonly Hit[],
  label: InfoStoreSettings['label'],
  bytesMax: number,
): { readonly hits: StoreHit[]; readonly notice: string | null } {
  let bytes = 0;
  const shown: StoreHit[] = [];
  for (const { document_id, chunk, source, score, text, metadata } of hits) {
    const hit = { document_id, chunk, source, score, label, text, metadata: { ...metadata } };
    bytes += Buffer.byteLength(JSON.stringify(hit));
    if (bytes > bytesMax) return { hits: shown, notice: CUT };
    shown.push(hit);
  }
  return { hits: shown, notice: null };
}
