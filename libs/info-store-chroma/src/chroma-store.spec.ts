// SPDX-License-Identifier: Apache-2.0
import { HashEmbedder } from '@writ/embedding';
import { prepareChange, type Document } from '@writ/info-store';
import { ChromaStore, type ChromaResponse } from './index.ts';

const embedder = new HashEmbedder(8);
const documentOf = (metadata: Document['metadata'] = {}): Document => ({
  document_id: 'a',
  text: 'tea',
  source: '',
  metadata,
});
const COLLECTION = JSON.stringify({ id: '1', dimension: 8, configuration_json: { hnsw: { space: 'l2' } } });

/** A store of a server that answers these responses in turn; an error means that there is none. */
function storeOf(...responses: readonly (ChromaResponse | Error)[]) {
  const sent: { url: string; body: string | null }[] = [];
  const store = new ChromaStore({
    base: 'http://chroma.example/',
    tenant: 't/../x',
    collection: 'c d',
    embedding: embedder,
    send: async (_, url, body) => {
      const response = responses[sent.length];
      sent.push({ url, body });
      if (response instanceof Error) throw response;
      return response ?? { status: 200, body: '{}' };
    },
  });
  return { store, sent };
}
const found = { status: 200, body: COLLECTION };
const changeOf = (upserts: readonly Document[], deletes: readonly string[] = []) =>
  prepareChange({ store_id: 's', upserts, deletes }, { embedder });

describe('a change of a store of Chroma', () => {
  it.each<[string, readonly (ChromaResponse | Error)[]]>([
    ['unavailable', [new Error('no route')]],
    ['missing', [{ status: 404, body: '' }]],
    ['unavailable', [{ status: 503, body: '' }]],
    ['malformed', [{ status: 200, body: 'no json' }]],
    ['malformed', [{ status: 200, body: '{}' }]],
    ['refused', [found, { status: 400, body: '' }]],
    ['unavailable', [found, { status: 429, body: '' }]],
    ['ambiguous', [found, new Error('the connection was lost')]],
    ['ambiguous', [found, { status: 500, body: '' }]],
    ['ambiguous', [found, { status: 200, body: '' }, { status: 400, body: '' }]],
    ['ambiguous', [found, { status: 200, body: '' }, { status: 429, body: '' }]],
  ])('ends %s after the responses %j', async (reason, responses) => {
    await expect(storeOf(...responses).store.apply(await changeOf([documentOf()], ['b']))).rejects.toMatchObject({
      name: 'ChromaError',
      reason,
    });
  });

  it('ends ambiguous if it is cancelled after a part of it', async () => {
    const controller = new AbortController();
    const { store } = storeOf(found);
    const change = await changeOf(
      [],
      Array.from({ length: 3 }, (_, n) => `${n}`),
    );
    const applied = store.apply(change, controller.signal);
    setImmediate(() => controller.abort(new Error('cancelled')));
    // All of it, or ambiguous: never an error that says that nothing has happened.
    expect(await applied.catch((error: { reason: string }) => error.reason)).toEqual(
      expect.toSatisfy((end) => end === 'ambiguous' || (end as { deletes?: number }).deletes === 3),
    );
  });

  it('is not sent if its metadata has names of ours, or it has no vectors', async () => {
    const { store, sent } = storeOf(found);
    const taken = await changeOf([documentOf({ 'writ.chunk': 1 })]);
    await expect(store.apply(taken)).rejects.toMatchObject({ reason: 'invalid' });
    const plain = await prepareChange({ store_id: 's', upserts: [documentOf()], deletes: [] }, { embedder: null });
    await expect(store.apply(plain)).rejects.toMatchObject({ reason: 'model_differs' });
    expect(sent).toEqual([]);
  });

  it('names tenant and collection so that no path leads elsewhere', async () => {
    const { store, sent } = storeOf(found);
    await store.apply(await changeOf([], ['b']));
    expect(sent.map(({ url }) => url)).toEqual([
      'http://chroma.example/api/v2/tenants/t%2F..%2Fx/databases/default_database/collections/c%20d',
      'http://chroma.example/api/v2/tenants/t%2F..%2Fx/databases/default_database/collections/1/delete',
    ]);
  });
});

describe('a query of a store of Chroma', () => {
  it('refuses other modes than vectors, and ranges of texts, before it sends anything', async () => {
    const { store, sent } = storeOf(found);
    const embedding = new Float32Array(8).fill(1);
    await expect(store.query({ mode: 'text', k: 1, text: 'x' })).rejects.toMatchObject({ pointer: '/mode' });
    const filters = { field: 'a', gt: 'b' } as const;
    await expect(store.query({ mode: 'vector', k: 1, embedding, filters })).rejects.toMatchObject({
      pointer: '/filters',
    });
    expect(sent).toEqual([]);
  });

  it.each(['{}', '{"ids":[["a"]],"documents":[["x"]],"metadatas":[[null]],"distances":[[null]]}', '[]'])(
    'calls the response %s malformed',
    async (body) => {
      const { store } = storeOf(found, { status: 200, body });
      const embedding = new Float32Array(8).fill(1);
      await expect(store.query({ mode: 'vector', k: 1, embedding })).rejects.toMatchObject({ reason: 'malformed' });
    },
  );
});
