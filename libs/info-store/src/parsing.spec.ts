// SPDX-License-Identifier: Apache-2.0
import { parseChange } from './document.ts';
import { parseQuery } from './query.ts';
import { isSameDefinition, parseStoreDefinition } from './store-definition.ts';

const refused = (pointer: string) => expect.objectContaining({ name: 'InfoStoreError', reason: 'invalid', pointer });
const document = { document_id: 'a', text: 'x' };

describe('a change', () => {
  it('is accepted, with empty sources and metadata where the caller names none', () => {
    expect(parseChange({ store_id: 's', upserts: [document], deletes: ['b'] })).toEqual({
      store_id: 's',
      upserts: [{ ...document, source: '', metadata: {} }],
      deletes: ['b'],
    });
  });

  it.each([
    ['', null],
    ['', { store_id: 's' }],
    ['', { store_id: 's', deletes: ['a'], extra: 1 }],
    ['', { store_id: 's', upserts: [document], deletes: ['a'] }],
    ['', { store_id: 's', upserts: Array(200).fill(document), deletes: Array(57).fill('b') }],
    ['/store_id', { deletes: ['a'] }],
    ['/store_id', { store_id: '', deletes: ['a'] }],
    ['/upserts', { store_id: 's', upserts: {} }],
    ['/upserts', { store_id: 's', upserts: Array(257).fill(document) }],
    ['/deletes/0', { store_id: 's', deletes: ['a\nb'] }],
    ['/upserts/0', { store_id: 's', upserts: [{ ...document, more: 1 }] }],
    ['/upserts/0/document_id', { store_id: 's', upserts: [{ ...document, document_id: 'x'.repeat(257) }] }],
    ['/upserts/0/text', { store_id: 's', upserts: [{ document_id: 'a' }] }],
    ['/upserts/0/text', { store_id: 's', upserts: [{ ...document, text: 'a\u0000b' }] }],
    ['/upserts/0/text', { store_id: 's', upserts: [{ ...document, text: '\udc00' }] }],
    ['/upserts/0/text', { store_id: 's', upserts: [{ ...document, text: '庭'.repeat(1_400_000) }] }],
    ['/upserts/0/source', { store_id: 's', upserts: [{ ...document, source: 'x'.repeat(2_049) }] }],
    ['/upserts/0/metadata', { store_id: 's', upserts: [{ ...document, metadata: [] }] }],
    ['/upserts/0/metadata', { store_id: 's', upserts: [{ ...document, metadata: { 'a b': 1 } }] }],
    ['/upserts/0/metadata/a', { store_id: 's', upserts: [{ ...document, metadata: { a: null } }] }],
    ['/upserts/0/metadata/a', { store_id: 's', upserts: [{ ...document, metadata: { a: Infinity } }] }],
  ])('is refused at %s', (pointer, change) => {
    expect(() => parseChange(change)).toThrow(refused(pointer));
  });

  it('of more text than its limit is refused', () => {
    const upserts = Array.from({ length: 5 }, (_, n) => ({ document_id: `${n}`, text: 'x'.repeat(3_500_000) }));
    expect(() => parseChange({ store_id: 's', upserts })).toThrow(refused('/upserts'));
  });
});

describe('a query', () => {
  it('is hybrid with a text and vector without, unless it says otherwise', () => {
    expect(parseQuery({ text: 'x' })).toEqual({ mode: 'hybrid', k: 8, text: 'x' });
    expect(parseQuery({ embedding: [1, 2] })).toEqual({ mode: 'vector', k: 8, embedding: [1, 2] });
    const all = { mode: 'text', k: 100, text: 'x', filters: { field: 'a', eq: 1 } };
    expect(parseQuery(all)).toEqual(all);
  });

  it.each([
    ['', {}],
    ['', { text: 'x', limit: 3 }],
    ['/mode', { text: 'x', mode: 'fuzzy' }],
    ['/k', { text: 'x', k: 0 }],
    ['/k', { text: 'x', k: 101 }],
    ['/k', { text: 'x', k: 1.5 }],
    ['/k', { text: 'x', k: '5' }],
    ['/text', { mode: 'hybrid', embedding: [1] }],
    ['/text', { text: 'x'.repeat(4_097) }],
    ['/text', { text: 1 }],
    ['/embedding', { embedding: [] }],
    ['/embedding', { embedding: ['1'] }],
    ['/embedding', { embedding: Array(4_097).fill(1) }],
    ['/filters', { text: 'x', filters: [] }],
  ])('is refused at %s: %j', (pointer, query) => {
    expect(() => parseQuery(query)).toThrow(refused(pointer));
  });
});

describe('the definition of a store', () => {
  it('is accepted, in the language `simple` and without embeddings unless it names them', () => {
    expect(parseStoreDefinition({ store_id: 's' })).toEqual({ store_id: 's', language: 'simple', embedding: null });
    const embedding = { model: 'm', dimensions: 384 };
    expect(parseStoreDefinition({ store_id: 's', language: 'german', embedding }).embedding).toEqual(embedding);
  });

  it.each([
    ['/store_id', {}],
    ['/language', { store_id: 's', language: 'klingon' }],
    ['/language', { store_id: 's', language: "english'; DROP TABLE" }],
    ['/embedding', { store_id: 's', embedding: 'm' }],
    ['/embedding/dimensions', { store_id: 's', embedding: { model: 'm', dimensions: 0 } }],
    ['/embedding/dimensions', { store_id: 's', embedding: { model: 'm', dimensions: '3' } }],
    ['/embedding/model', { store_id: 's', embedding: { model: '', dimensions: 3 } }],
  ])('is refused at %s: %j', (pointer, definition) => {
    expect(() => parseStoreDefinition(definition)).toThrow(refused(pointer));
  });

  it('differs in its language and in its model', () => {
    const one = parseStoreDefinition({ store_id: 's', embedding: { model: 'm', dimensions: 3 } });
    expect(isSameDefinition(one, { ...one })).toBe(true);
    expect(isSameDefinition(one, { ...one, language: 'german' })).toBe(false);
    expect(isSameDefinition(one, { ...one, embedding: null })).toBe(false);
    expect(isSameDefinition(one, { ...one, embedding: { model: 'm', dimensions: 4 } })).toBe(false);
  });
});
