// SPDX-License-Identifier: Apache-2.0
//
// A store outside of Writ. Nothing can be staged there, and no request covers a whole change. So a change is sent at
// the call's effect, like any other request to the outside, and cannot be rolled back.
import { unitVector, type EmbeddingModel } from '@writ/embedding';
import {
  InfoStoreError,
  verifyModel,
  verifyQueryModel,
  type Hit,
  type PreparedChange,
  type Query,
  type StoreDefinition,
} from '@writ/info-store';
import { changeRequestsOf, verifyRoom, type RequestRoom } from './change-requests.ts';
import { ChromaError } from './chroma-error.ts';
import { whereOf } from './chroma-filter.ts';
import { hitsOf, isSpace, type QueryAnswer, type Space } from './chroma-hits.ts';
import { membersOf, request, type RequestKind, type SendChromaRequest } from './chroma-request.ts';

export interface ChromaStoreOptions {
  /** the address of the server, without `/api/v2` */
  readonly base: string;
  /** the tenant and the database of Chroma, which are none of Writ's */
  readonly tenant?: string;
  readonly database?: string;
  /** the name of the collection; it MUST exist */
  readonly collection: string;
  /** of the vectors in the collection */
  readonly embedding: EmbeddingModel;
  readonly send: SendChromaRequest;
  /** reads the answer to a query, such as on another thread; `hitsOf` unless given */
  readonly readHits?: (answer: QueryAnswer) => Promise<readonly Hit[]>;
}

/** What a change did. */
export interface ChromaChange {
  readonly upserts: number;
  readonly deletes: number;
  readonly chunks: number;
}

export interface ApplyOptions {
  readonly signal?: AbortSignal;
  /** a change that needs more is refused before anything is sent */
  readonly room?: RequestRoom;
  /** runs while the requests are measured: a pause for the event loop */
  readonly pause?: () => Promise<void>;
}

interface Collection {
  readonly url: string;
  readonly space: Space;
}

const DEFAULT_TENANT = 'default_tenant';
const DEFAULT_DATABASE = 'default_database';

/** A collection of a Chroma server (API v2). */
export class ChromaStore {
  readonly #options: ChromaStoreOptions;
  readonly #definition: StoreDefinition;

  constructor(options: ChromaStoreOptions) {
    this.#options = options;
    const { model, dimensions } = options.embedding;
    const store_id = options.collection;
    this.#definition = { store_id, language: 'simple', embedding: { model, dimensions } };
  }

  /**
   * The nearest chunks, best first.
   * @throws ChromaError; InfoStoreError `invalid` for another mode than `vector`, since Chroma ranks no words;
   * `model_differs` for an embedding of another length
   */
  async query(query: Query, signal?: AbortSignal): Promise<readonly Hit[]> {
    if (query.mode !== 'vector')
      throw new InfoStoreError('invalid', 'a store of Chroma is searched by vectors alone: use the mode `vector`', {
        pointer: '/mode',
      });
    const vector = verifyQueryModel(this.#definition, query, unitVector);
    const where = query.filters === undefined ? {} : { where: whereOf(query.filters) };
    const collection = await this.#collection(signal);
    const body = {
      query_embeddings: [[...vector]],
      n_results: query.k,
      include: ['documents', 'metadatas', 'distances'],
      ...where,
    };
    const answered = await this.#send('read', 'POST', `${collection.url}/query`, body, signal);
    const answer = { body: answered, space: collection.space, k: query.k };
    return (await this.#options.readHits?.(answer)) ?? hitsOf(answer);
  }

  /**
   * Sends a change. Sent twice, it has the same result.
   * @throws ChromaError: `ambiguous` if a part of it may have happened; any other reason says that nothing has.
   * InfoStoreError `model_differs`, `invalid`: nothing was sent
   */
  async apply(prepared: PreparedChange, { signal, room, pause }: ApplyOptions = {}): Promise<ChromaChange> {
    verifyModel(this.#definition, prepared);
    const requests = changeRequestsOf(prepared);
    if (room !== undefined) await verifyRoom(requests, room, pause);
    const { url } = await this.#collection(signal);
    for (const [n, { action, body }] of requests.entries()) {
      try {
        await this.#send('change', 'POST', `${url}/${action}`, body(), signal);
      } catch (cause) {
        // The first request alone can fail without a trace.
        if (n === 0) throw cause;
        throw new ChromaError('ambiguous', `${n} of ${requests.length} requests of the change had succeeded`, {
          cause,
        });
      }
    }
    const { documents, change } = prepared;
    const chunks = documents.reduce((sum, document) => sum + document.chunks.length, 0);
    return { upserts: documents.length, deletes: change.deletes.length, chunks };
  }

  async #collection(signal?: AbortSignal): Promise<Collection> {
    const { base, tenant = DEFAULT_TENANT, database = DEFAULT_DATABASE, collection } = this.#options;
    const [in_, of_, name] = [tenant, database, collection].map(encodeURIComponent);
    const collections = `${base.replace(/\/+$/, '')}/api/v2/tenants/${in_}/databases/${of_}/collections`;
    const found = await this.#send('read', 'GET', `${collections}/${name}`, undefined, signal);
    const { id, dimension, configuration_json } = membersOf(found);
    if (typeof id !== 'string') throw new ChromaError('malformed', 'the server answered a collection without an id');
    const { dimensions } = this.#options.embedding;
    if (typeof dimension === 'number' && dimension !== dimensions)
      throw new InfoStoreError(
        'model_differs',
        `the collection has vectors of ${dimension} dimensions, and the model has ${dimensions}`,
      );
    const { hnsw, spann } = (configuration_json ?? {}) as Readonly<Record<string, { readonly space?: unknown } | null>>;
    const space = hnsw?.space ?? spann?.space ?? 'l2';
    if (!isSpace(space)) throw new ChromaError('malformed', 'the collection has a space that is not known');
    return { url: `${collections}/${encodeURIComponent(id)}`, space };
  }

  #send(kind: RequestKind, method: 'GET' | 'POST', url: string, body: unknown, signal?: AbortSignal): Promise<string> {
    return request(this.#options.send, kind, { method, url, body }, signal);
  }
}
