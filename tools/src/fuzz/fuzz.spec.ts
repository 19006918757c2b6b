// SPDX-License-Identifier: Apache-2.0
import { exampleOf, VERBS } from '@writ/mk8-shell';
import { Chance } from './chance.ts';
import { check } from './claims.ts';
import { INPUT_CHARS_MAX, mutated } from './mutate.ts';

const SEEDS = [...VERBS.values()].map((verb) => JSON.stringify(exampleOf(verb)));

test('a seed makes the same inputs each time, another one others, and none is longer than it may be', () => {
  const inputs = (seed: number): string[] => {
    const chance = new Chance(seed);
    return Array.from({ length: 300 }, () => mutated(chance.pick(SEEDS), chance.pick(SEEDS), chance));
  };
  expect(inputs(1)).toEqual(inputs(1));
  expect(inputs(2)).not.toEqual(inputs(1));
  expect(Math.max(...inputs(3).map(({ length }) => length))).toBeLessThanOrEqual(INPUT_CHARS_MAX);
});

test('what an input is answered says what kind of an answer it was, without what it quotes', () => {
  expect(check('{"operations":[{"verb":"FileRead","args":["a"]}]}')).toEqual(['FileRead of 1', 'read']);
  expect(check('{"operations":[{"verb":"FileRead","args":["../a"]}]}')).toEqual(
    check('{"operations":[{"verb":"FileRead","args":["../b"]}]}'),
  );
  expect(check('{')).not.toEqual([]);
});
