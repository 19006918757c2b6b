// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { chunksOf, type ChunkOptions } from './chunker.ts';

const pieces = fc.constantFrom(
  'word',
  'A sentence ends. ',
  '\n',
  '\n\n',
  '# Heading\n',
  '## Two\n',
  '```\n# no heading\n```\n',
  ' ',
  '\t',
  '\r\n',
  'é',
  '庭に水をやる。',
  '🌱',
  '👩‍👩‍👧',
  'x'.repeat(300),
  '!',
  '…',
  '\u2028',
  '\u00a0',
  '#',
  '######## ',
);
const texts = fc.oneof(
  fc.array(pieces, { maxLength: 200 }).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme', maxLength: 500 }),
);
const options: fc.Arbitrary<ChunkOptions> = fc
  .integer({ min: 16, max: 80 })
  .chain((tokensMax) =>
    fc.integer({ min: 0, max: Math.floor(tokensMax / 2) }).map((tokensOverlap) => ({ tokensMax, tokensOverlap })),
  );

const costOf = (text: string): number =>
  Array.from({ length: text.length }, (_, n) => (text.charCodeAt(n) < 0x250 ? 1 : 4)).reduce<number>(
    (a, b) => a + b,
    0,
  );

describe('the chunks of any text', () => {
  it('cover it in order without a gap, and hold what stands at their place', () => {
    fc.assert(
      fc.property(texts, options, (text, chosen) => {
        const chunks = chunksOf(text, chosen);
        expect(chunks.map(({ index }) => index)).toEqual(chunks.map((_, n) => n));
        let covered = '';
        for (const { text: part, start, end } of chunks) {
          expect(part).toBe(text.slice(start, end));
          expect(start).toBeLessThanOrEqual(covered.length);
          expect(end).toBeGreaterThan(covered.length);
          covered += text.slice(covered.length, end);
        }
        expect(covered).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it('stay within the budget, repeat at most the overlap, and never cut a surrogate pair', () => {
    fc.assert(
      fc.property(texts, options, (text, chosen) => {
        const chunks = chunksOf(text, chosen);
        chunks.forEach(({ text: part, start }, n) => {
          expect(costOf(part)).toBeLessThanOrEqual(chosen.tokensMax * 4);
          expect(part.isWellFormed()).toBe(true);
          const before = chunks[n - 1]?.end ?? 0;
          expect(costOf(text.slice(start, before))).toBeLessThanOrEqual(chosen.tokensOverlap * 4);
        });
      }),
      { numRuns: 500 },
    );
  });

  it('are few: four times as many as without overlap and with full chunks, at most', () => {
    fc.assert(
      fc.property(texts, options, (text, chosen) => {
        const least = costOf(text) / (chosen.tokensMax * 4);
        const headings = text.match(/^#{1,6}[ \t]/gm)?.length ?? 0;
        expect(chunksOf(text, chosen).length).toBeLessThanOrEqual(least * 4 + headings + 1);
      }),
    );
  });

  it.each(['a', '\n', '# h\n', '🌱', 'word ', '. ', '```\n'])('take time linear in its length: %j', (piece) => {
    const timeOf = (length: number): number => {
      const text = piece.repeat(length);
      const before = process.threadCpuUsage();
      chunksOf(text);
      const { user, system } = process.threadCpuUsage(before);
      return (user + system) / 1_000;
    };
    timeOf(10_000);
    const [short, long] = [50_000, 800_000].map((length) => Math.min(timeOf(length), timeOf(length)));
    // Sixteen times the length: a quadratic splitter would take 256 times as long.
    expect(long! / Math.max(short!, 2)).toBeLessThan(100);
  });
});
