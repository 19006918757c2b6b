// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { DIMENSIONS } from './rules/rule.ts';
import { dimensionScores, scoreOf } from './score.ts';

const points = fc.integer({ min: 1, max: 1000 });

describe('the score', () => {
  test('is between 0 and 1 with three decimals, and the order of what adds to it does not matter', () => {
    fc.assert(
      fc.property(fc.array(points), (all) => {
        const score = scoreOf(all);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        expect(Math.round(score * 1000) / 1000).toBe(score);
        expect(scoreOf([...all].reverse())).toBe(score);
      }),
    );
  });

  test('never falls when something is added', () => {
    fc.assert(
      fc.property(fc.array(points), points, (all, more) => {
        expect(scoreOf([...all, more])).toBeGreaterThanOrEqual(scoreOf(all));
      }),
    );
  });

  test('is at least that of each dimension', () => {
    const contribution = fc.record({ rule: fc.constant('a.b'), dimension: fc.constantFrom(...DIMENSIONS), points });
    fc.assert(
      fc.property(fc.array(contribution), (all) => {
        const whole = scoreOf(all.map((one) => one.points));
        for (const one of Object.values(dimensionScores(all))) expect(whole).toBeGreaterThanOrEqual(one);
      }),
    );
  });
});
