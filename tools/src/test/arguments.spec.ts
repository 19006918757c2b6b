// SPDX-License-Identifier: Apache-2.0
import { parseArguments } from './arguments.ts';

let said: string;
beforeEach(() => {
  said = '';
});
const hear = (text: string): void => {
  said += text;
};
const parse = (...args: string[]) =>
  parseArguments(args, ['lint', 'unit', 'cluster'], ['lint', 'unit'], { writeOut: hear, writeErr: hear });

test('everything but what runs on request runs where no check is named', () => {
  expect(parse()).toEqual({ names: ['lint', 'unit'], keepDurations: false });
  expect(parse('--only', 'cluster')).toMatchObject({ names: ['cluster'] });
  expect(parse('--only', 'unit')).toMatchObject({ names: ['unit'] });
});

test('a check that does not exist is refused, with those that do', () => {
  expect(parse('--only', 'unit,unti')).toBe(1);
  expect(said).toContain('there is no check `unti`; there are: lint, unit, cluster');
});

test('changes count since the revision that is named, else since the last commit', () => {
  expect(parse('--changed', 'main')).toMatchObject({ changed: 'main' });
  expect(parse('--changed')).toMatchObject({ changed: 'HEAD' });
});

test('a shard is one of n', () => {
  expect(parse('--shard', '2/4')).toMatchObject({ shard: { index: 2, count: 4 } });
});

test.each(['0/4', '5/4', '1', '1/0', 'a/b', '-1/2', '1/2/3'])(
  'the shard %s is refused with the form that it has',
  (shard) => {
    expect(parse('--shard', shard)).toBe(1);
    expect(said).toContain('with I from 1 to N');
  },
);
