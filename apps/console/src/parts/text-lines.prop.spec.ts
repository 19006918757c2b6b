// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { differenceOf } from './text-lines.ts';
import { linesOf } from './unified-diff.ts';

const texts = fc
  .array(fc.constantFrom('a', 'b', '', '+c', '-d', ' e', '@@ -1,1 +1,1 @@x', '\\ f'), { minLength: 1, maxLength: 12 })
  .map((lines) => lines.join('\n'))
  .filter((text) => text !== '');

describe('the difference of two texts', () => {
  it('has every line of both, and counts those that differ', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const { text, added, removed } = differenceOf(before, after);
        const lines = linesOf(text).slice(1);
        const of = (...kinds: readonly string[]) => lines.filter(({ kind }) => kinds.includes(kind));
        expect(
          of('same', 'removed')
            .map((line) => line.text)
            .join('\n'),
        ).toBe(before);
        expect(
          of('same', 'added')
            .map((line) => line.text)
            .join('\n'),
        ).toBe(after);
        expect([of('added').length, of('removed').length]).toEqual([added, removed]);
      }),
    );
  });

  it('of a text with itself is none', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(differenceOf(text, text)).toMatchObject({ added: 0, removed: 0 });
      }),
    );
  });

  it('of texts that are too long to compare has all of their lines', () => {
    const long = Array.from({ length: 1_500 }, (_, at) => `${at}`).join('\n');
    expect(differenceOf(long, `${long}\nx`)).toMatchObject({ added: 1_501, removed: 1_500 });
  });
});
