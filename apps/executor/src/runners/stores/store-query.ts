// SPDX-License-Identifier: Apache-2.0
import type { InfoStoreSettings, StoreHit } from '@writ/contract';
import { EmbeddingError, type Embedder } from '@writ/embedding';
import type { Hit, Query, QueryMode, QueryRequest, StoreDefinition } from '@writ/info-store';

/** How a query searches, and why otherwise than a caller may expect. */
interface QueryPlan {
  readonly mode: QueryMode;
  readonly notice: string | null;
}

const WITHOUT_MODEL =
  'the model of the store is not installed where the call ran, so it was searched by words alone: `npm run embedding-model` gets it';
const MODEL_FAILED =
  'the model of the store did not answer where the call ran, so it was searched by words alone: try again later';

/**
 * The mode that the call names, or else the best one that the store has. INVARIANT (said): a search that a missing
 * model makes poorer says so.
 */
function planQuery(
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

/** A query that is ready for its store, with the plan that made it. */
export interface PlannedQuery extends QueryPlan {
  readonly query: Query;
}

/**
 * The query with the vector that its mode needs. Where the caller named no mode, a local model that is gone makes it
 * a search by words. INVARIANT (told as it is): a service outside has a failure of its own, such as a refusal of the
 * gate.
 * @throws EmbeddingError
 */
export async function preparedQuery(
  asked: { readonly query: QueryRequest; readonly mode: QueryMode | null },
  definition: StoreDefinition,
  settings: InfoStoreSettings,
  embedder: Embedder | null,
  options: { readonly tenantId: string; readonly signal: AbortSignal },
): Promise<PlannedQuery> {
  const plan = planQuery(asked, definition, settings, embedder);
  try {
    return { ...plan, query: await embeddedQuery(asked.query, plan.mode, definition, embedder, options) };
  } catch (error) {
    if (asked.mode !== null || plan.mode !== 'hybrid' || !isLocalModelGone(error, settings)) throw error;
    const notice = error.reason === 'missing' ? WITHOUT_MODEL : MODEL_FAILED;
    const query = await embeddedQuery(asked.query, 'text', definition, embedder, options);
    return { mode: 'text', notice, query };
  }
}

const isLocalModelGone = (error: unknown, { embedding }: InfoStoreSettings): error is EmbeddingError =>
  embedding?.kind === 'local' &&
  error instanceof EmbeddingError &&
  (error.reason === 'unavailable' || error.reason === 'missing');

/** The query with the vector that its mode needs. @throws EmbeddingError */
async function embeddedQuery(
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
