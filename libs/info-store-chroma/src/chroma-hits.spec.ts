// SPDX-License-Identifier: Apache-2.0
import { hitsOf } from './chroma-hits.ts';

/** An answer with one hit, whose parts are replaced as they stand in JSON. */
const answer = ({
  id = '"a"',
  text = '"t"',
  metadata = 'null',
  distance = '0.5',
}: Readonly<Record<string, string>>) => ({
  body: `{"ids":[[${id}]],"documents":[[${text}]],"metadatas":[[${metadata}]],"distances":[[${distance}]]}`,
  space: 'cosine',
  k: 5,
});
const read = (parts: Readonly<Record<string, string>>) => hitsOf(answer(parts))[0];

describe('the hits of an answer of Chroma', () => {
  it.each([
    ['is `null`', 'null'],
    ['is empty', ''],
    ['is a list', '[]'],
    ['is a text', '"x"'],
    ['is deep', '['.repeat(100_000)],
    ['has no list of ids', '{"ids":null}'],
    ['has no distances', '{"ids":[["a"]],"documents":[["t"]],"metadatas":[[null]],"distances":null}'],
    ['has an infinite distance', answer({ distance: '1e400' }).body],
    ['has a negative distance', answer({ distance: '-1.5' }).body],
    ['has an id with U+0000', answer({ id: '"a\\u0000"' }).body],
    ['has an id with half a character', answer({ id: '"\\ud800"' }).body],
    ['has an empty id', answer({ id: '""' }).body],
  ])('are malformed where the body %s', (_what, body) => {
    expect(() => hitsOf({ body, space: 'cosine', k: 5 })).toThrow(
      expect.objectContaining({ name: 'ChromaError', reason: 'malformed' }) as Error,
    );
  });

  it('are as many as were asked for', () => {
    const ids = Array.from({ length: 300 }, (_, n) => `"d${n}"`).join(',');
    const distances = Array.from({ length: 300 }, () => '0').join(',');
    const body = `{"ids":[[${ids}]],"documents":[[]],"metadatas":[[]],"distances":[[${distances}]]}`;
    expect(hitsOf({ body, space: 'l2', k: 5 }).map(({ document_id }) => document_id)).toEqual([
      'd0',
      'd1',
      'd2',
      'd3',
      'd4',
    ]);
  });

  it('have texts that every store can hold, and no place below the first', () => {
    expect(read({ text: '"t\\ud800\\u0000"' })?.text).toBe('t\ufffd\ufffd');
    const metadata =
      '{"writ.chunk":-1.5,"writ.document_id":"","writ.source":"\\u0000","n":-0,"__proto__":{"x":1},"o":{}}';
    const hit = read({ metadata });
    expect(hit).toMatchObject({ document_id: 'a', chunk: 0, source: '' });
    expect(Object.entries(hit?.metadata ?? {})).toEqual([['n', 0]]);
  });

  it('have the first members of very many, in little time', () => {
    const members = Array.from({ length: 200_000 }, (_, n) => `"!${n}":0,"m${n}":0`).join(',');
    const started = performance.now();
    expect(Object.keys(read({ metadata: `{${members}}` })?.metadata ?? {})).toHaveLength(32);
    // An error that is thrown for each of them takes several seconds.
    expect(performance.now() - started).toBeLessThan(4_000);
  });
});
