// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { replaceMatches, TextFinder } from './find-text.ts';

/** Few letters, so that texts match, overlap and nearly match. */
const text = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom('a', 'b'), { minLength, maxLength }).map((letters) => letters.join(''));
const encode = (of: string): Uint8Array => new TextEncoder().encode(of);

function placesOf(within: string, find: string, overlapping: boolean): number[] {
  const places: number[] = [];
  new TextFinder(encode(find)).each(encode(within), overlapping, (at) => places.push(at));
  return places;
}

describe('a text finder', () => {
  it('finds the same matches as `indexOf`, with and without overlaps', () => {
    fc.assert(
      fc.property(text(0, 60), text(1, 6), (within, find) => {
        for (const [overlapping, step] of [
          [true, 1],
          [false, find.length],
        ] as const) {
          const expected: number[] = [];
          for (let at = within.indexOf(find); at !== -1; at = within.indexOf(find, at + step)) expected.push(at);
          expect(placesOf(within, find, overlapping)).toEqual(expected);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('replaces like `split` and `join`', () => {
    fc.assert(
      fc.property(text(0, 80), text(1, 4), fc.string({ maxLength: 60 }), (within, find, replacement) => {
        const made = replaceMatches(
          encode(within),
          new TextFinder(encode(find)),
          encode(replacement),
          within.split(find).length - 1,
        );
        expect(new TextDecoder('utf-8', { ignoreBOM: true }).decode(made)).toBe(
          new TextDecoder('utf-8', { ignoreBOM: true }).decode(encode(within.split(find).join(replacement))),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it('takes linear time where `indexOf` takes time in the product of both lengths', () => {
    const find = encode(`b${'a'.repeat(100_000)}`);
    const within = new Uint8Array(8 * 1024 * 1024).fill(0x61);
    const began = performance.now();
    new TextFinder(find).each(within, true, () => {
      throw new Error('it is not there');
    });
    // `indexOf` takes minutes for it; the limit leaves a busy machine a hundredfold of the needed time.
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});

test('the input stays unchanged, even a Buffer, whose `slice` would share its bytes', () => {
  for (const replacement of ['xy', 'x', 'xyz']) {
    const text = Buffer.from('ab ab');
    expect(
      Buffer.from(replaceMatches(text, new TextFinder(Buffer.from('ab')), Buffer.from(replacement), 2)).toString(),
    ).toBe(`${replacement} ${replacement}`);
    expect(text.toString()).toBe('ab ab');
  }
});
