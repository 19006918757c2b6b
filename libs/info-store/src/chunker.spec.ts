// SPDX-License-Identifier: Apache-2.0
import { chunksOf } from './chunker.ts';

const small = { tokensMax: 16, tokensOverlap: 0 };
const partsOf = (text: string, options = small): string[] => chunksOf(text, options).map(({ text: part }) => part);

describe('a chunker', () => {
  it('makes no chunk of an empty text, and one of a short text', () => {
    expect(partsOf('')).toEqual([]);
    expect(partsOf('short')).toEqual(['short']);
  });

  it('cuts before a heading rather than at a later paragraph', () => {
    const intro = 'An introduction of a few words.\n';
    expect(partsOf(`${intro}# Next\n\nText of it that is long enough to cut.`)[0]).toBe(intro);
  });

  it('takes a comment in a block of code for no heading', () => {
    const code = '```\nab\n# a comment\n```\n';
    expect(partsOf(`${code}# Heading\n${'text '.repeat(10)}`)[0]).toBe(code);
  });

  it.each([
    ['a paragraph', `${'a'.repeat(35)}\n\n`, `${'b. '.repeat(6)}${'c'.repeat(40)}`],
    ['a sentence', `${'a'.repeat(35)}. `, `${'b '.repeat(9)}${'c'.repeat(40)}`],
    ['a word', `${'a'.repeat(35)} `, `${'c'.repeat(60)}`],
  ])('cuts after %s if nothing better lies in the second half', (_, first, second) => {
    expect(partsOf(first + second)[0]).toBe(first);
  });

  it('cuts a text without boundaries between code points', () => {
    expect(partsOf('x'.repeat(130)).map((part) => part.length)).toEqual([64, 64, 2]);
    expect(partsOf('🌱'.repeat(20)).map((part) => part.length)).toEqual([16, 16, 8]);
  });

  it('repeats whole words at the end of a chunk in the next one, but none before a heading', () => {
    const [first = '', second = ''] = partsOf('lorem ipsum '.repeat(12), { tokensMax: 16, tokensOverlap: 4 });
    expect(second.startsWith(first.slice(-12))).toBe(true);
    const parts = partsOf(`${'lorem ipsum '.repeat(4)}\n# Heading\nmore text`, { tokensMax: 16, tokensOverlap: 4 });
    expect(parts[1]).toBe('# Heading\nmore text');
  });

  it.each([
    [{ tokensMax: 15, tokensOverlap: 0 }],
    [{ tokensMax: NaN, tokensOverlap: 0 }],
    [{ tokensMax: 20, tokensOverlap: 11 }],
    [{ tokensMax: 20, tokensOverlap: -1 }],
  ])('refuses the options %j', (options) => {
    expect(() => chunksOf('x', options)).toThrow(RangeError);
  });
});
