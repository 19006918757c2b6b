// SPDX-License-Identifier: Apache-2.0
//
// Calls on information stores. INVARIANT (staged is invisible): what a call changes in a local store waits until the
// kernel publishes it with the call's outcome. A lost executor leaves nothing that anybody finds.
import {
  VECDB_DELETE,
  VECDB_QUERY,
  VECDB_UPSERT,
  type BoundResource,
  type InfoStoreSettings,
  type ReportReply,
  type TenantId,
} from '@writ/contract';
import type { Embedder } from '@writ/embedding';
import {
  changeOfCall,
  definitionOfSettings,
  InfoStoreError,
  prepareChange,
  queryOfCall,
  type Chunk,
  type ChunkOptions,
  type InfoStore,
  type PreparedChange,
  type StoreDefinition,
} from '@writ/info-store';
import { ChromaStore } from '@writ/info-store-chroma';
import { yieldNow } from '@writ/worker-pool';
import type { Call, RunContext, Staged } from '../../calls/runner.ts';
import type { CallGate } from '../../egress/call-gate.ts';
import { INLINE_CHARS_MAX, readHits } from './read-answers.ts';
import { embedderOf } from './store-models.ts';
import { preparedQuery, shownHits, withoutModel } from './store-query.ts';
import { sendToStore } from './store-request.ts';

/** What a call on a store did. */
export interface StoreOutcome extends Pick<Staged, 'result' | 'storeChange' | 'settle'> {
  /** what it had written to the database */
  readonly writtenBytes: number;
}

const FLOAT_BYTES = 4;

interface StoreOfCall {
  readonly store: BoundResource;
  readonly settings: InfoStoreSettings;
  readonly definition: StoreDefinition;
  readonly embedder: Embedder | null;
}

type Resources = Pick<RunContext, 'signal' | 'work'>;

/** Runs calls on information stores: local ones, and those of a Chroma server. */
export class StoreCalls {
  readonly #stores: InfoStore;
  readonly #local: Embedder | null;

  /** @param local the model on this machine; null where its files are not there */
  constructor(stores: InfoStore, local: Embedder | null) {
    this.#stores = stores;
    this.#local = local;
  }

  /** @throws InfoStoreError, EmbeddingError, ChromaError, GateRefusal */
  async run(call: Call, gate: CallGate, resources: Resources): Promise<StoreOutcome> {
    const [store] = call.resources;
    if (store === undefined) throw new Error(`a call of \`${call.toolId}\` came without its store`);
    const settings = store.settings as InfoStoreSettings;
    const definition = definitionOfSettings(store.resource_id, settings);
    const embedder = embedderOf(settings, this.#local, call, gate, resources.work);
    const of = { store, settings, definition, embedder };
    switch (call.toolId) {
      case VECDB_QUERY.tool_id:
        return await this.#query(call, of, gate, resources);
      case VECDB_UPSERT.tool_id:
      case VECDB_DELETE.tool_id:
        return await this.#change(call, of, gate, resources);
      default:
        throw new Error(`\`${call.toolId}\` is no tool of information stores`);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#stores.close(), this.#local?.close()]);
  }

  async #query(call: Call, of: StoreOfCall, gate: CallGate, { signal, work }: Resources): Promise<StoreOutcome> {
    const { store, settings, definition, embedder } = of;
    const { tenantId } = call;
    const asked = queryOfCall(call.args);
    const options = { tenantId, signal };
    const { mode, notice, query } = await preparedQuery(asked, definition, settings, embedder, options);
    const { version, hits } =
      settings.backend.kind === 'local'
        ? await this.#stores.query(tenantId as TenantId, store.resource_id, query, signal)
        : { version: null, hits: await chromaOf(call, of, gate, work).query(query, signal) };
    const shown = shownHits(hits, settings.label, call.limits.output_bytes);
    const result = {
      store: namesOf(store),
      mode,
      version,
      hits: shown.hits,
      notice: [notice, shown.notice].filter((one) => one !== null).join('. ') || null,
    };
    return { result, writtenBytes: 0 };
  }

  async #change(call: Call, of: StoreOfCall, gate: CallGate, { signal, work }: Resources): Promise<StoreOutcome> {
    const { store, settings, definition, embedder } = of;
    const change = changeOfCall(call.toolId, store.resource_id, call.args);
    if (change.upserts.length > 0 && definition.embedding !== null && embedder === null) throw withoutModel();
    const chunk = (text: string, options: ChunkOptions): Promise<readonly Chunk[]> =>
      work.run('store.chunk', { text, options }, call.limits.wall_ms);
    const prepared = await prepareChange(change, {
      embedder: change.upserts.length === 0 ? null : embedder,
      tenantId: call.tenantId,
      signal,
      pause: yieldNow,
      ...(change.upserts.some(({ text }) => text.length > INLINE_CHARS_MAX) ? { chunk } : {}),
    });
    if (settings.backend.kind !== 'local') {
      const { egress_requests = 0, egress_bytes = 0 } = call.limits;
      const room = { requests: egress_requests - gate.requests.length, bytes: egress_bytes - gate.bytes };
      const options = { signal, room, pause: yieldNow };
      const { upserts, deletes, chunks } = await chromaOf(call, of, gate, work).apply(prepared, options);
      return { result: { store: namesOf(store), digest: null, upserts, deletes, chunks }, writtenBytes: 0 };
    }
    const tenantId = call.tenantId as TenantId;
    const { change_id, digest, upserts, deletes, chunks } = await this.#stores.stage(
      tenantId,
      call.operationId,
      prepared,
      signal,
    );
    return {
      result: { store: namesOf(store), digest, upserts, deletes, chunks },
      storeChange: { change_id },
      settle: (reply) => this.#settle(tenantId, change_id, reply),
      writtenBytes: bytesOf(prepared),
    };
  }

  /** A change that was not published is given up at once; should that fail, the kernel's sweep finds it. */
  async #settle(tenantId: TenantId, changeId: string, reply: ReportReply | null): Promise<void> {
    if (reply === null || reply.tx_outcome === 'committed') return;
    await this.#stores.discard(tenantId, changeId).catch(() => undefined);
  }
}

const namesOf = ({ resource_id, name }: BoundResource): { resource_id: string; name: string } => ({
  resource_id,
  name,
});

const bytesOf = ({ documents }: PreparedChange): number =>
  documents.reduce(
    (sum, { chunks }) =>
      chunks.reduce(
        (bytes, { text, embedding }) => bytes + Buffer.byteLength(text) + (embedding?.length ?? 0) * FLOAT_BYTES,
        sum,
      ),
    0,
  );

function chromaOf(
  call: Call,
  { settings, definition }: StoreOfCall,
  gate: CallGate,
  work: Resources['work'],
): ChromaStore {
  const { backend } = settings;
  if (backend.kind !== 'chroma') throw new Error('the store is no collection of Chroma');
  if (definition.embedding === null)
    throw new InfoStoreError('model_differs', 'the settings of the store name no `embedding`, which Chroma needs');
  const { url, collection, secret } = backend;
  return new ChromaStore({
    base: url,
    collection,
    embedding: definition.embedding,
    send: (method, to, body) =>
      sendToStore(gate, call, { method, url: to, body, secret, isSafe: method === 'GET' || to.endsWith('/query') }),
    readHits: (answer) => readHits(answer, work),
  });
}
