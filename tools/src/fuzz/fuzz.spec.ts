// SPDX-License-Identifier: Apache-2.0
import { exampleOf, VERBS } from '@writ/mk8-shell';
import { SeededRandom } from './seeded-random.ts';
import { check } from './properties.ts';
import { INPUT_CHARS_MAX, mutated } from './mutate.ts';

const SEEDS = [...VERBS.values()].map((verb) => JSON.stringify(exampleOf(verb)));

test('a seed gives the same inputs each time, another seed gives others, and none is too long', () => {
  const inputs = (seed: number): string[] => {
    const chance = new SeededRandom(seed);
    return Array.from({ length: 300 }, () => mutated(chance.pick(SEEDS), chance.pick(SEEDS), chance));
  };
  expect(inputs(1)).toEqual(inputs(1));
  expect(inputs(2)).not.toEqual(inputs(1));
  expect(Math.max(...inputs(3).map(({ length }) => length))).toBeLessThanOrEqual(INPUT_CHARS_MAX);
});

test("the kind of an answer doesn't depend on quoted parts", () => {
  expect(check('{"operations":[{"verb":"FileRead","args":["a"]}]}')).toEqual(['FileRead of 1', 'read']);
  expect(check('{"operations":[{"verb":"FileRead","args":["../a"]}]}')).toEqual(
    check('{"operations":[{"verb":"FileRead","args":["../b"]}]}'),
  );
  expect(check('{')).not.toEqual([]);
});
