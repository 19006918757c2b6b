// SPDX-License-Identifier: Apache-2.0
import { HashEmbedder } from '@writ/embedding';
import { changeDigest, prepareChange } from './prepare-change.ts';
import type { Document, StoreChange } from './document.ts';

const documentOf = (document_id: string, text: string): Document => ({
  document_id,
  text,
  source: 'a title',
  metadata: { b: 1, a: 'x' },
});
const change: StoreChange = {
  store_id: 's',
  upserts: [documentOf('2', 'two'), documentOf('1', 'one')],
  deletes: ['d', 'c'],
};

describe('the digest of a change', () => {
  it('has these bytes, whatever the order of documents and metadata', () => {
    expect(changeDigest(change)).toMatchInlineSnapshot(
      `"f7ff2009be9bae54f729a58ed046118b93ed73b335989385e273e87fdac5b9be"`,
    );
    const other = { ...change, upserts: [...change.upserts].reverse(), deletes: ['c', 'd'] };
    expect(changeDigest(other)).toBe(changeDigest(change));
  });

  it.each<[string, StoreChange]>([
    ['a text', { ...change, upserts: [documentOf('2', 'two'), documentOf('1', 'one!')] }],
    ['a delete', { ...change, deletes: ['c'] }],
    ['the store', { ...change, store_id: 't' }],
    ['a source', { ...change, upserts: change.upserts.map((each) => ({ ...each, source: '' })) }],
    ['metadata', { ...change, upserts: change.upserts.map((each) => ({ ...each, metadata: {} })) }],
  ])('differs with %s', (_, other) => {
    expect(changeDigest(other)).not.toBe(changeDigest(change));
  });
});

describe('a prepared change', () => {
  it('has chunks of each document with their embeddings, in order', async () => {
    const embedder = new HashEmbedder(8);
    const long = documentOf('long', 'many words of a text '.repeat(4_000));
    const { documents, model } = await prepareChange({ ...change, upserts: [long] }, { embedder });
    expect(model).toBe('hash-8');
    expect(documents[0]!.chunks.length).toBeGreaterThan(64);
    for (const { text, embedding } of documents[0]!.chunks.slice(-2))
      expect([embedding]).toEqual(await embedder.embed([text]));
  });

  it('has many short documents embedded in one call', async () => {
    const calls: number[] = [];
    class Counting extends HashEmbedder {
      override embed = (texts: readonly string[]) => {
        calls.push(texts.length);
        return super.embed(texts);
      };
    }
    const upserts = Array.from({ length: 256 }, (_, n) => documentOf(`${n}`, n === 7 ? '' : `text ${n}`));
    const { documents } = await prepareChange({ ...change, upserts }, { embedder: new Counting(8) });
    expect(calls).toEqual([255]);
    expect(documents[7]!.chunks).toEqual([]);
    expect([documents[255]!.chunks[0]!.embedding]).toEqual(await new HashEmbedder(8).embed(['text 255']));
  });

  it('has no embeddings without an embedder', async () => {
    const { documents, model } = await prepareChange(change, { embedder: null });
    expect(model).toBeNull();
    expect(documents.map(({ chunks }) => chunks.map(({ embedding }) => embedding))).toEqual([[null], [null]]);
  });

  it('ends with the reason of its signal', async () => {
    const reason = new Error('gone');
    await expect(prepareChange(change, { embedder: null, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
