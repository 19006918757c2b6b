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
    const change = await changeOf([documentOf()], ['0', '1', '2']);
    const applied = store.apply(change, { signal: controller.signal });
    setImmediate(() => controller.abort(new Error('cancelled')));
    // All of it, or ambiguous: never an error that says that nothing has happened.
    expect(await applied.catch((error: { reason: string }) => error.reason)).toEqual(
      expect.toSatisfy((end) => end === 'ambiguous' || (end as { deletes?: number }).deletes === 3),
    );
  });

  it('of the most documents that a call may have takes few requests', async () => {
    const { store, sent } = storeOf(found);
    const documents = Array.from({ length: 256 }, (_, n) => ({ ...documentOf(), document_id: `${n}` }));
    const room = { requests: 10, bytes: 1024 * 1024 };
    expect(await store.apply(await changeOf(documents), { room })).toEqual({ upserts: 256, deletes: 0, chunks: 256 });
    expect(sent).toHaveLength(1 + 256 / 32 + 1);
    const gone = storeOf(found);
    await gone.store.apply(
      await changeOf(
        [],
        documents.map(({ document_id }) => document_id),
      ),
    );
    expect(gone.sent).toHaveLength(2);
    expect(JSON.parse(gone.sent[1]!.body!)).toEqual({
      where: { 'writ.document_id': { $in: documents.map(({ document_id }) => document_id) } },
    });
  });

  it('deletes what is left of older versions, for all documents of one length at once', async () => {
    const { store, sent } = storeOf(found);
    const documents = ['tea', 'milk', ''].map((text, n) => ({ ...documentOf(), document_id: `${n}`, text }));
    await store.apply(await changeOf(documents));
    const left = (chunks: number, ids: string[]) => ({
      where: { $and: [{ 'writ.document_id': { $in: ids } }, { 'writ.chunk': { $gte: chunks } }] },
    });
    expect(sent.slice(2).map(({ body }) => JSON.parse(body!) as unknown)).toEqual([
      left(1, ['0', '1']),
      left(0, ['2']),
    ]);
  });

  it.each([
    [{ requests: 3, bytes: 1024 * 1024 }, '4 requests, and 3 are left'],
    [{ requests: 4, bytes: 20_000 }, 'more than the 20000 bytes that are left'],
  ])('is refused before anything is sent if only %j is left', async (room, why) => {
    const { store, sent } = storeOf(found);
    const change = await changeOf([documentOf()], ['b']);
    await expect(store.apply(change, { room })).rejects.toMatchObject({
      reason: 'too_large',
      message: expect.stringContaining(why) as string,
    });
    expect(sent).toEqual([]);
    await storeOf(found).store.apply(change, { room: { requests: 4, bytes: 1024 * 1024 } });
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
