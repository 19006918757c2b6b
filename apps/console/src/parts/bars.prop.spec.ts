// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { stacksOf, type Count } from './bars.ts';

const DAYS = ['2026-01-01', '2026-01-02', '2026-01-03'];
const counts: fc.Arbitrary<Count[]> = fc.array(
  fc.record({
    day: fc.constantFrom(...DAYS, '2025-12-31'),
    of: fc.option(fc.constantFrom('a', 'b', 'c', 'd', '__proto__')),
    value: fc.nat(1_000),
  }),
  { maxLength: 30 },
);
const sum = (values: readonly number[]): number => values.reduce((before, value) => before + value, 0);

describe('stacks of counts by day', () => {
  it('lose no count of the days, and count none twice, however many series have a colour', () => {
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 6 }), (given, seriesMax) => {
        const { series, others, totals, max } = stacksOf(given, DAYS, seriesMax);
        const expected = sum(given.filter(({ day }) => DAYS.includes(day)).map(({ value }) => value));
        expect(sum([...series, ...(others === null ? [] : [others])].map(({ total }) => total))).toBe(expected);
        expect(sum(totals)).toBe(expected);
        expect(max).toBe(Math.max(0, ...totals));
        expect(series.length).toBeLessThanOrEqual(seriesMax);
      }),
    );
  });

  it('have the largest series first, and a value of each day', () => {
    fc.assert(
      fc.property(counts, (given) => {
        const { series } = stacksOf(given, DAYS, 3);
        const totals = series.map(({ total }) => total);
        expect(totals).toEqual(totals.toSorted((a, b) => b - a));
        for (const { values } of series) expect(values).toHaveLength(DAYS.length);
      }),
    );
  });

  it('of nothing are empty', () => {
    expect(stacksOf([], DAYS, 3)).toEqual({ series: [], others: null, totals: [0, 0, 0], max: 0 });
  });
});
