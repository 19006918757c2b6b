// SPDX-License-Identifier: Apache-2.0
import { formatId, type TenantId } from '@writ/contract';
import { HashEmbedder } from '@writ/embedding';
import type { Document } from './document.ts';
import type { Filter } from './filter.ts';
import type { InfoStore, InfoStorePublisher, StagedChange } from './info-store.ts';
import { HITS_MAX } from './limits.ts';
import { prepareChange } from './prepare-change.ts';
import type { Hit, Query } from './query.ts';
import { RANK_CONSTANT } from './rank-fusion.ts';
import type { StoreDefinition } from './store-definition.ts';

export interface InfoStoreUnderTest {
  readonly store: InfoStore;
  readonly publisher: InfoStorePublisher;
  readonly close: () => Promise<void>;
}

const embedder = new HashEmbedder(32);
const EMBEDDING = { model: embedder.model, dimensions: embedder.dimensions };
const OPERATION = 'op_1';
const [ALICE, BOB] = [1, 2].map((n) => formatId('tenant', new Uint8Array(16).fill(n))) as [TenantId, TenantId];

const documentOf = (document_id: string, text: string, metadata: Document['metadata'] = {}): Document => ({
  document_id,
  text,
  source: `https://example.org/${document_id}`,
  metadata,
});

/** Texts of several chunks: a word in each, and one in a chunk of its own. */
const longText = (word: string): string =>
  Array.from({ length: 40 }, (_, n) => `Paragraph ${n} of ${word} says ${'a few things '.repeat(8)}.\n\n`).join('');

/** The requirements on every information store; runs on the fake and on each adapter. */
export function infoStoreContract(name: string, make: () => Promise<InfoStoreUnderTest>): void {
  describe(`${name} as an information store`, () => {
    let under: InfoStoreUnderTest;
    let stores = 0;
    beforeAll(async () => {
      under = await make();
    });
    afterAll(() => under.close());

    async function newStore(over: Partial<StoreDefinition> = {}): Promise<string> {
      const store_id = `store ${(stores += 1)}`;
      await under.publisher.register(ALICE, { store_id, language: 'simple', embedding: EMBEDDING, ...over });
      return store_id;
    }

    async function stage(
      store_id: string,
      upserts: readonly Document[],
      deletes: readonly string[] = [],
    ): Promise<StagedChange> {
      const change = await prepareChange({ store_id, upserts, deletes }, { embedder });
      return await under.store.stage(ALICE, OPERATION, change);
    }

    const publish = ({ change_id: changeId, digest }: StagedChange) =>
      under.publisher.publish(ALICE, { operationId: OPERATION, changeId, digest });

    async function put(store_id: string, ...documents: readonly Document[]): Promise<void> {
      await publish(await stage(store_id, documents));
    }

    async function find(store_id: string, text: string, over: Partial<Query> = {}): Promise<readonly Hit[]> {
      const [embedding] = await embedder.embed([text]);
      return (await under.store.query(ALICE, store_id, { mode: 'text', k: 10, text, embedding, ...over })).hits;
    }

    const idsOf = (hits: readonly Hit[]): string[] => hits.map(({ document_id }) => document_id);

    it('shows nothing of a staged change, and all of it once it is published', async () => {
      const store = await newStore();
      const staged = await stage(store, [documentOf('a', 'red apples'), documentOf('b', 'red pears')]);
      for (const mode of ['text', 'vector', 'hybrid'] as const) expect(await find(store, 'red', { mode })).toEqual([]);
      expect(await under.store.stats(ALICE, store)).toMatchObject({ version: 0, documents: 0, chunks: 0 });
      expect(staged).toMatchObject({ store_id: store, upserts: 2, deletes: 0, chunks: 2 });
      expect(await publish(staged)).toEqual({ storeId: store, version: 1 });
      for (const mode of ['text', 'vector', 'hybrid'] as const)
        expect(idsOf(await find(store, 'red', { mode })).sort()).toEqual(['a', 'b']);
      expect(await under.store.stats(ALICE, store)).toMatchObject({ version: 1, documents: 2, chunks: 2 });
    });

    it('replaces and removes documents with all their chunks in one version', async () => {
      const store = await newStore();
      await put(
        store,
        documentOf('a', longText('apples')),
        documentOf('b', longText('pears')),
        documentOf('c', 'plums'),
      );
      const before = await under.store.stats(ALICE, store);
      expect(before?.chunks).toBeGreaterThan(10);
      const staged = await stage(store, [documentOf('a', 'one orange')], ['b', 'never there']);
      expect(idsOf(await find(store, 'pears', { k: 1 }))).toEqual(['b']);
      await publish(staged);
      expect(await find(store, 'apples')).toEqual([]);
      expect(await find(store, 'pears')).toEqual([]);
      expect(idsOf(await find(store, 'orange'))).toEqual(['a']);
      expect(idsOf(await find(store, 'apples', { mode: 'vector' })).sort()).toEqual(['a', 'c']);
      expect(await under.store.stats(ALICE, store)).toMatchObject({ version: 2, documents: 2, chunks: 2 });
    });

    it('finds the best of what is visible, however many better chunks were replaced or are staged', async () => {
      const store = await newStore();
      const better = 'tea '.repeat(30_000);
      await put(store, documentOf('a', better), documentOf('b', 'one cup of tea'));
      const replaced = await stage(store, [documentOf('a', 'coffee')]);
      expect((await under.store.stats(ALICE, store))?.chunks).toBeGreaterThan(HITS_MAX);
      await publish(replaced);
      await stage(store, [documentOf('b', better)]);
      for (const mode of ['text', 'vector', 'hybrid'] as const)
        expect({ mode, ids: idsOf(await find(store, 'tea', { mode, k: 1 })) }).toEqual({ mode, ids: ['b'] });
    });

    it('refuses to publish a change that was discarded, and keeps one that was published', async () => {
      const store = await newStore();
      const [dropped, kept] = [await stage(store, [documentOf('a', 'x')]), await stage(store, [documentOf('b', 'y')])];
      await under.store.discard(ALICE, dropped.change_id);
      await expect(publish(dropped)).rejects.toMatchObject({ reason: 'change_unknown' });
      await publish(kept);
      await under.store.discard(ALICE, kept.change_id);
      expect(idsOf(await find(store, 'y'))).toEqual(['b']);
      expect(await find(store, 'x')).toEqual([]);
    });

    it('publishes a change only for its operation, with its digest, and to its tenant', async () => {
      const store = await newStore();
      const { change_id: changeId, digest } = await stage(store, [documentOf('a', 'x')]);
      const request = { operationId: OPERATION, changeId, digest };
      const attempt = (tenant: TenantId, over: Partial<typeof request>) =>
        under.publisher.publish(tenant, { ...request, ...over });
      await expect(attempt(ALICE, { operationId: 'op_2' })).rejects.toMatchObject({ reason: 'change_differs' });
      await expect(attempt(ALICE, { digest: 'ab'.repeat(32) })).rejects.toMatchObject({ reason: 'change_differs' });
      await expect(attempt(ALICE, { changeId: 'none' })).rejects.toMatchObject({ reason: 'change_unknown' });
      await expect(attempt(BOB, {})).rejects.toMatchObject({ reason: 'change_unknown' });
      expect(await under.store.stats(ALICE, store)).toMatchObject({ version: 0, documents: 0 });
    });

    it('publishes a change once, however often its operation asks', async () => {
      const store = await newStore();
      const staged = await stage(store, [documentOf('a', 'x')]);
      expect(await Promise.all([publish(staged), publish(staged)])).toEqual(
        Array(2).fill({ storeId: store, version: 1 }),
      );
      await publish(await stage(store, [documentOf('a', 'y')]));
      expect(await publish(staged)).toEqual({ storeId: store, version: 1 });
      expect(idsOf(await find(store, 'y'))).toEqual(['a']);
    });

    it('shows of two changes of a document the one that was published last', async () => {
      const store = await newStore();
      const [first, second] = [
        await stage(store, [documentOf('a', 'one')]),
        await stage(store, [documentOf('a', 'two')]),
      ];
      await publish(second);
      await publish(first);
      expect((await find(store, 'one')).map(({ text }) => text)).toEqual(['one']);
      expect(await find(store, 'two')).toEqual([]);
      expect(await under.store.stats(ALICE, store)).toMatchObject({ version: 2, documents: 1, chunks: 1 });
    });

    it('loses no document of many changes that are published at once', async () => {
      const store = await newStore();
      const staged = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          stage(store, [documentOf(`own ${n}`, 'x'), documentOf('shared', `x ${n}`)]),
        ),
      );
      const versions = await Promise.all(staged.map(publish));
      expect(versions.map(({ version }) => version).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      expect(await under.store.stats(ALICE, store)).toMatchObject({ version: 8, documents: 9, chunks: 9 });
      expect(await find(store, 'x', { k: 20 })).toHaveLength(9);
    });

    it('keeps the stores of tenants apart', async () => {
      const store = await newStore();
      await put(store, documentOf('a', 'mine'));
      expect(await under.store.stats(BOB, store)).toBeNull();
      const query: Query = { mode: 'text', k: 1, text: 'mine' };
      await expect(under.store.query(BOB, store, query)).rejects.toMatchObject({ reason: 'store_unknown' });
      await under.publisher.register(BOB, { store_id: store, language: 'simple', embedding: EMBEDDING });
      expect((await under.store.query(BOB, store, query)).hits).toEqual([]);
      const [embedding] = await embedder.embed(['mine']);
      expect((await under.store.query(BOB, store, { mode: 'vector', k: 1, embedding })).hits).toEqual([]);
    });

    it('finds chunks by words, with their text, source and metadata, at most k', async () => {
      const store = await newStore();
      await put(
        store,
        documentOf('a', 'green tea', { lang: 'en', year: 2020, draft: false }),
        documentOf('b', 'tea tea tea'),
      );
      const hits = await find(store, 'green tea');
      expect(hits).toEqual([
        {
          document_id: 'a',
          chunk: 0,
          text: 'green tea',
          score: expect.any(Number),
          source: 'https://example.org/a',
          metadata: { lang: 'en', year: 2020, draft: false },
        },
      ]);
      expect(await find(store, 'tea', { k: 1 })).toHaveLength(1);
      expect(await find(store, 'coffee')).toEqual([]);
    });

    it('finds chunks by the cosine of their embeddings, best first', async () => {
      const store = await newStore();
      await put(
        store,
        documentOf('a', 'green tea leaves'),
        documentOf('b', 'green tea'),
        documentOf('c', 'black coffee'),
      );
      const hits = await find(store, 'green tea', { mode: 'vector' });
      expect(idsOf(hits)).toEqual(['b', 'a', 'c']);
      expect(hits[0]?.score).toBeCloseTo(1, 2);
      expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).sort((a, b) => b - a));
      expect(idsOf(await find(store, 'green tea', { mode: 'vector', k: 1 }))).toEqual(['b']);
    });

    it('fuses the ranks of both searches in the mode hybrid', async () => {
      const store = await newStore();
      await put(store, documentOf('both', 'green tea'), documentOf('near', 'tea'), documentOf('far', 'black coffee'));
      const hits = await find(store, 'green tea', { mode: 'hybrid' });
      expect(idsOf(hits)).toEqual(['both', 'near', 'far']);
      expect(hits[0]?.score).toBeCloseTo(2 / (RANK_CONSTANT + 1), 6);
      expect(hits[1]?.score).toBeCloseTo(1 / (RANK_CONSTANT + 2), 6);
    });

    const FILTERS: readonly (readonly [Filter, readonly string[]])[] = [
      [{ field: 'lang', eq: 'de' }, ['b']],
      [{ field: 'lang', in: ['de', 'en'] }, ['a', 'b']],
      [{ field: 'year', gte: 2010, lt: 2020 }, ['b']],
      [{ field: 'year', eq: '2010' }, []],
      [
        {
          or: [
            { field: 'lang', eq: 'de' },
            { field: 'draft', eq: true },
          ],
        },
        ['b', 'c'],
      ],
      [
        {
          and: [
            { field: 'lang', eq: 'en' },
            { field: 'year', gt: 2020 },
          ],
        },
        [],
      ],
      [{ field: 'nothing', eq: true }, []],
    ];
    it('shows only documents that match the filter, in each mode', async () => {
      const store = await newStore();
      await put(
        store,
        documentOf('a', 'tea', { lang: 'en', year: 2020 }),
        documentOf('b', 'tea', { lang: 'de', year: 2010 }),
        documentOf('c', 'tea', { draft: true }),
      );
      for (const [filters, ids] of FILTERS) {
        for (const mode of ['text', 'vector', 'hybrid'] as const)
          expect({ filters, mode, ids: idsOf(await find(store, 'tea', { mode, filters })).sort() }).toEqual({
            filters,
            mode,
            ids,
          });
      }
    });

    it('refuses vectors of another model than its own, in changes and in queries', async () => {
      const [store, plain] = [await newStore(), await newStore({ embedding: null })];
      const other = await prepareChange(
        { store_id: store, upserts: [documentOf('a', 'x')], deletes: [] },
        { embedder: new HashEmbedder(16) },
      );
      const differs = { reason: 'model_differs' };
      await expect(under.store.stage(ALICE, OPERATION, other)).rejects.toMatchObject(differs);
      await expect(stage(plain, [documentOf('a', 'x')])).rejects.toMatchObject(differs);
      await expect(find(plain, 'x', { mode: 'vector' })).rejects.toMatchObject(differs);
      await expect(find(store, 'x', { mode: 'vector', embedding: new Float32Array(16).fill(1) })).rejects.toMatchObject(
        differs,
      );
      const zero = new Float32Array(32);
      await expect(find(store, 'x', { mode: 'vector', embedding: zero })).rejects.toMatchObject({ reason: 'invalid' });
    });

    it('without embeddings searches texts alone', async () => {
      const store = await newStore({ embedding: null });
      const change = await prepareChange(
        { store_id: store, upserts: [documentOf('a', 'green tea')], deletes: [] },
        { embedder: null },
      );
      await publish(await under.store.stage(ALICE, OPERATION, change));
      expect(idsOf(await find(store, 'tea'))).toEqual(['a']);
    });

    it('is registered once, with one definition, and is gone with its documents once it is unregistered', async () => {
      const store = await newStore();
      const definition: StoreDefinition = { store_id: store, language: 'simple', embedding: EMBEDDING };
      await under.publisher.register(ALICE, definition);
      const other = under.publisher.register(ALICE, { ...definition, language: 'english' });
      await expect(other).rejects.toMatchObject({ reason: 'store_differs' });
      await put(store, documentOf('a', 'x'));
      const staged = await stage(store, [documentOf('b', 'x')]);
      expect(await under.publisher.unregister(ALICE, store)).toBe(true);
      expect(await under.publisher.unregister(ALICE, store)).toBe(false);
      expect(await under.store.stats(ALICE, store)).toBeNull();
      await expect(publish(staged)).rejects.toMatchObject({ name: 'InfoStoreError' });
      await expect(stage(store, [documentOf('a', 'x')])).rejects.toMatchObject({ reason: 'store_unknown' });
      await under.publisher.register(ALICE, definition);
      expect(await find(store, 'x')).toEqual([]);
      expect(await under.store.stats(ALICE, store)).toMatchObject({ version: 0, documents: 0 });
    });

    it('shows the same after a sweep, which takes changes that were never published', async () => {
      const store = await newStore();
      await put(store, documentOf('a', 'old'), documentOf('b', 'tea'));
      await put(store, documentOf('a', 'tea'));
      const [open, dropped] = [
        await stage(store, [documentOf('c', 'tea')]),
        await stage(store, [documentOf('d', 'tea')]),
      ];
      await under.store.discard(ALICE, dropped.change_id);
      while ((await under.publisher.sweep(ALICE, new Date(0), 2)) > 0);
      for (const mode of ['text', 'vector'] as const)
        expect(idsOf(await find(store, 'tea', { mode })).sort()).toEqual(['a', 'b']);
      await publish(open);
      const late = await stage(store, [documentOf('e', 'tea')]);
      const later = new Date(Date.now() + 3_600_000);
      while ((await under.publisher.sweep(ALICE, later, 2)) > 0);
      await expect(publish(late)).rejects.toMatchObject({ reason: 'change_unknown' });
      expect(idsOf(await find(store, 'tea')).sort()).toEqual(['a', 'b', 'c']);
    });

    it('ends with the reason of its signal', async () => {
      const store = await newStore();
      const reason = new Error('the caller went away');
      const query: Query = { mode: 'text', k: 1, text: 'x' };
      await expect(under.store.query(ALICE, store, query, AbortSignal.abort(reason))).rejects.toBe(reason);
      const change = await prepareChange({ store_id: store, upserts: [], deletes: ['a'] }, { embedder });
      await expect(under.store.stage(ALICE, OPERATION, change, AbortSignal.abort(reason))).rejects.toBe(reason);
    });

    it.each([
      '"unclosed',
      'or or or',
      '-tea',
      '!!! & | ( ) :* <->',
      "it's",
      '\\',
      ' ',
      '“tea”',
      'tea:*',
      '%_',
      '🌱',
      'words '.repeat(600),
    ])('answers the query %.20s without an error', async (text) => {
      const store = await newStore();
      await put(store, documentOf('a', 'tea'));
      expect(Array.isArray(await find(store, text))).toBe(true);
    });
  });
}
