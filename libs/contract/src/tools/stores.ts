// SPDX-License-Identifier: Apache-2.0
//
// Information stores as registered resources: documents in, chunks out. A local store lies in the database, and its
// changes are published by the kernel. A store outside is reached through the egress gate. The settings of a store are
// part of the digest of a call, so that a decided call works on no other store.
import { Type, type Static } from 'typebox';
import { idSchema } from '../ids.ts';
import { ResourceName, type BoundResource, type ResourceReference } from '../resources/resource-kinds.ts';
import type { InfoStoreSettings } from '../resources/resource-settings.ts';
import {
  EGRESS_LIMITS,
  INLINE_LIMITS,
  type OutputLabel,
  type RequestResource,
  type ToolDefinition,
  type ToolLimits,
} from './definition.ts';

type Args = Readonly<Record<string, unknown>>;
const closed = { additionalProperties: false } as const;
const MIB = 1024 * 1024;

/** The model of embeddings that executors run themselves: libs/embedding-onnx has it. */
export const LOCAL_EMBEDDING = { model: 'all-minilm-l6-v2-int8', dimensions: 384 } as const;
/** Documents of one call, and the bounds of one: those of libs/info-store. */
const DOCUMENTS_MAX = 256;
const ID_CHARS_MAX = 256;
const SOURCE_CHARS_MAX = 2_048;
const QUERY_CHARS_MAX = 4_096;
const HITS_MAX = 100;
const DIMENSIONS_MAX = 4_096;
const METADATA_MEMBERS_MAX = 32;
/** Arguments have 1 MiB at most: longer documents are sent in parts. */
const TEXT_CHARS_MAX = MIB;

/** The time of a call: a local model computes the vectors of 1 MiB of text in less than two minutes. */
const WALL_MS = 180_000;
/**
 * Requests of one call: one for each 16 texts that a service embeds. A store outside takes one to find the collection,
 * one for each 32 chunks, one for all documents of the same number of chunks, and one for all that are removed.
 */
const REQUESTS_MAX = 512;

/** For stores of which all lies on this machine. */
const LOCAL_LIMITS: ToolLimits = { ...INLINE_LIMITS, wall_ms: WALL_MS, cpu_ms: WALL_MS, disk_write_bytes: 64 * MIB };
/** Documents with their vectors in JSON, which are ten times as long. */
const OUTSIDE_LIMITS: ToolLimits = {
  ...EGRESS_LIMITS,
  ...LOCAL_LIMITS,
  egress_bytes: 64 * MIB,
  egress_requests: REQUESTS_MAX,
};

const StoreRef = Type.String({ minLength: 1, maxLength: 64, description: 'an information store, by name or id' });
const DocumentId = Type.String({
  minLength: 1,
  maxLength: ID_CHARS_MAX,
  description: 'unique in the store; a document of an id that is there is replaced',
});
const Metadata = Type.Record(
  Type.String({ maxLength: 64 }),
  Type.Union([Type.String({ maxLength: 1_024 }), Type.Number(), Type.Boolean()]),
  { maxProperties: METADATA_MEMBERS_MAX, description: 'texts, numbers and booleans to filter by' },
);

/** The store of a call, as its result names it. */
const Store = Type.Object({ resource_id: idSchema('resource'), name: ResourceName }, closed);

const LABELS = ['untrusted_content', 'private_data'] as const;
const EMBEDDINGS = ['local', 'none'] as const;

/** The name of a store that is registered without one: that of its operation, which is unique. */
export const storeNameOf = (args: Args, operationId: string): string =>
  typeof args['name'] === 'string' ? args['name'] : `store-${operationId.slice(-10)}`;

/**
 * The settings of a store that a call registers. INVARIANT (no way out): it is a local one. A store outside names an
 * address and a secret, and only administrators do that. Total and pure.
 */
export function storeSettingsOf(args: Args): InfoStoreSettings {
  const { label, embedding, text_config } = args;
  return {
    backend: { kind: 'local' },
    ...(embedding === 'none' ? {} : { embedding: { kind: 'local', model: LOCAL_EMBEDDING.model } }),
    ...(typeof text_config === 'string' ? { text_config } : {}),
    label: LABELS.find((one) => one === label) ?? 'untrusted_content',
  };
}

export const STORE_REGISTER: ToolDefinition = {
  tool_id: 'store.register',
  version: 1,
  class: 'inline',
  accepts_secrets: [],
  labels: [],
  limits: INLINE_LIMITS,
  resources: () => [],
  description:
    'Registers an information store for documents, which are found by their words and by their meaning. The agent that makes it owns it. Fill it with `vecdb.upsert`, search it with `vecdb.query`. Answers with its id and name.',
  category: 'write',
  mutating: true,
  changes_records: true,
  parameters: Type.Object(
    {
      name: Type.Optional(ResourceName),
      label: Type.Optional(
        Type.Enum(LABELS, { description: 'what its contents count as; `untrusted_content` by default' }),
      ),
      embedding: Type.Optional(
        Type.Enum(EMBEDDINGS, { description: '`none`: it finds words alone; `local`, by default, meaning too' }),
      ),
      text_config: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 63,
          description: 'the language whose words are reduced to their stems, such as `english`; `simple` by default',
        }),
      ),
    },
    closed,
  ),
  result: Type.Object({ store: Store }, closed),
  targets: ({ name }) => [
    { kind: 'info_store', ref: typeof name === 'string' ? name : '*', right: 'create', pointer: '/name' },
  ],
};

const settingsOf = ({ settings }: Pick<BoundResource, 'settings'>): InfoStoreSettings => settings as InfoStoreSettings;

/** The address below which a service of embeddings has its API, with or without `/v1` at its end in the settings. */
export const embeddingBase = (url: string): string => url.replace(/\/v1$/, '');

/**
 * The requests that a call on the store sends, by what they are and not by their number: the gate judges each of them.
 * INVARIANT (nothing else is sent): a request goes to a declared address, or below the one of the collections. Chroma
 * names a collection there by an id, which its server tells while the call runs.
 */
function requestsAt(store: BoundResource): readonly RequestResource[] {
  const { backend, embedding } = settingsOf(store);
  const purpose = `the information store ${store.name}`;
  const requests: RequestResource[] = [];
  if (embedding?.kind === 'openai')
    requests.push({ method: 'POST', url: `${embeddingBase(embedding.url)}/v1/embeddings`, purpose });
  if (backend.kind !== 'chroma') return requests;
  const collections = `${backend.url}/api/v2/tenants/default_tenant/databases/default_database/collections`;
  requests.push({ method: 'GET', url: `${collections}/${encodeURIComponent(backend.collection)}`, purpose });
  requests.push({ method: 'POST', url: collections, purpose });
  return requests;
}

/** Answers whether a call on the store reaches anything outside. */
export const isStoreOutside = (store: Pick<BoundResource, 'settings'>): boolean =>
  settingsOf(store).backend.kind !== 'local' || settingsOf(store).embedding?.kind === 'openai';

/** The members of a definition that depend on the store. */
function onStore(tool: ToolDefinition, [store]: readonly BoundResource[]): ToolDefinition {
  if (store === undefined) return tool;
  const label: OutputLabel = { label: settingsOf(store).label, when: 'always' };
  return {
    ...tool,
    labels: tool.mutating ? [] : [label],
    // What stays on this machine tells nobody anything.
    class: isStoreOutside(store) ? 'broker' : 'inline',
    limits: isStoreOutside(store) ? OUTSIDE_LIMITS : LOCAL_LIMITS,
    requests: () => requestsAt(store),
  };
}

const vecdb = {
  version: 1,
  class: 'broker',
  // Of local stores too: a call takes minutes, and file tools don't wait for it.
  lane: 'broker',
  accepts_secrets: [],
  labels: [],
  limits: OUTSIDE_LIMITS,
  resources: () => [],
  needs: 'info_store',
  targets: ({ store }: Args): readonly ResourceReference[] => [
    { kind: 'info_store', ref: typeof store === 'string' ? store : '', right: 'use', pointer: '/store' },
  ],
} as const;

/** A chunk that a query found. */
export const StoreHit = Type.Object(
  {
    document_id: Type.String(),
    chunk: Type.Integer({ minimum: 0, description: 'the place of the chunk in its document' }),
    source: Type.String({ description: 'where the document comes from' }),
    score: Type.Number({ description: 'larger is better; comparable within one answer only' }),
    label: Type.Enum(LABELS, { description: 'what the text counts as for flow policy' }),
    text: Type.String(),
    metadata: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
  },
  closed,
);
export type StoreHit = Static<typeof StoreHit>;

const MODES = ['text', 'vector', 'hybrid'] as const;

export const VECDB_QUERY: ToolDefinition = {
  ...vecdb,
  tool_id: 'vecdb.query',
  description:
    'Searches an information store. Give `text` in words, or an `embedding` of the model of the store. Answers with chunks of documents, best first, each with its source.',
  category: 'read',
  mutating: false,
  parameters: Type.Object(
    {
      store: StoreRef,
      text: Type.Optional(
        Type.String({ minLength: 1, maxLength: QUERY_CHARS_MAX, description: 'what to search for, in words' }),
      ),
      embedding: Type.Optional(
        Type.Array(Type.Number(), {
          minItems: 1,
          maxItems: DIMENSIONS_MAX,
          description: "a vector of the store's model, in place of `text`",
        }),
      ),
      k: Type.Optional(Type.Integer({ minimum: 1, maximum: HITS_MAX, description: 'chunks to return; 8 by default' })),
      mode: Type.Optional(
        Type.Enum(MODES, {
          description:
            '`text`: by words; `vector`: by meaning; `hybrid`: by both. The best that the store has, by default',
        }),
      ),
      filters: Type.Optional(
        Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), {
          maxProperties: 6,
          description:
            'on metadata: `{"field":"lang","eq":"en"}`, `in`, `gt`, `gte`, `lt`, `lte`; several by `{"and":[…]}` and `{"or":[…]}`',
        }),
      ),
    },
    closed,
  ),
  result: Type.Object(
    {
      store: Store,
      mode: Type.Enum(MODES, { description: 'how it was searched' }),
      version: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
        description: 'the version of the store that was searched; null for a store outside',
      }),
      hits: Type.Array(StoreHit, { maxItems: HITS_MAX }),
      notice: Type.Union([Type.String(), Type.Null()], { description: 'why it was searched otherwise than asked' }),
    },
    closed,
  ),
  bind: (resources) => onStore(VECDB_QUERY, resources),
};

/** What a call changed, in counts and digests. */
const Change = {
  store: Store,
  digest: Type.Union([Type.String({ pattern: '^[0-9a-f]{64}$' }), Type.Null()], {
    description: 'SHA-256 of the change, which its record has; null for a store outside',
  }),
  upserts: Type.Integer({ minimum: 0 }),
  deletes: Type.Integer({ minimum: 0 }),
  chunks: Type.Integer({ minimum: 0, description: 'parts that the documents were cut into' }),
};

/** Documents that a person is shown of a call, and the beginning of each. */
const SHOWN_MAX = 24;
const PREVIEW_CHARS = 80;
/** Characters that a person is shown of an id. */
const SHOWN_ID_CHARS = 128;

interface ShownDocument {
  readonly document_id?: unknown;
  readonly text?: unknown;
}

/** What the documents of a change are, for somebody who decides on it. */
function shownUpserts({ documents }: Args): Readonly<Record<string, unknown>> {
  const all = Array.isArray(documents) ? (documents as readonly ShownDocument[]) : [];
  return {
    upserts: all.length,
    documents: all.slice(0, SHOWN_MAX).map(({ document_id, text }) => {
      const [id, content] = [document_id, text].map((one) => (typeof one === 'string' ? one : ''));
      return {
        document_id: (id ?? '').slice(0, SHOWN_ID_CHARS).toWellFormed(),
        bytes: new TextEncoder().encode(content).length,
        preview: (content ?? '').slice(0, PREVIEW_CHARS).toWellFormed(),
      };
    }),
  };
}

export const VECDB_UPSERT: ToolDefinition = {
  ...vecdb,
  tool_id: 'vecdb.upsert',
  description:
    'Puts documents into an information store: all of them, or none. A document whose id is there is replaced. Texts are cut into chunks by themselves.',
  category: 'write',
  mutating: true,
  changes_records: true,
  parameters: Type.Object(
    {
      store: StoreRef,
      documents: Type.Array(
        Type.Object(
          {
            document_id: DocumentId,
            text: Type.String({ maxLength: TEXT_CHARS_MAX }),
            source: Type.Optional(
              Type.String({
                maxLength: SOURCE_CHARS_MAX,
                description: 'where it comes from: a URL, a path or a title',
              }),
            ),
            metadata: Type.Optional(Metadata),
          },
          closed,
        ),
        { minItems: 1, maxItems: DOCUMENTS_MAX },
      ),
    },
    closed,
  ),
  result: Type.Object(Change, closed),
  foresees: shownUpserts,
  bind: (resources) => onStore(VECDB_UPSERT, resources),
};

export const VECDB_DELETE: ToolDefinition = {
  ...vecdb,
  tool_id: 'vecdb.delete',
  description: 'Removes documents from an information store: all of them, or none. One that is not there is no error.',
  category: 'write',
  mutating: true,
  changes_records: true,
  parameters: Type.Object(
    { store: StoreRef, document_ids: Type.Array(DocumentId, { minItems: 1, maxItems: DOCUMENTS_MAX }) },
    closed,
  ),
  result: Type.Object(Change, closed),
  bind: (resources) => onStore(VECDB_DELETE, resources),
};

const STORE_TOOLS: ReadonlySet<string> = new Set([VECDB_QUERY, VECDB_UPSERT, VECDB_DELETE].map((one) => one.tool_id));

/** Answers whether a tool works on the contents of an information store. */
export const isStoreTool = (toolId: string): boolean => STORE_TOOLS.has(toolId);
