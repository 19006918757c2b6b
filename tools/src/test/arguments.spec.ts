// SPDX-License-Identifier: Apache-2.0
import { parseArguments } from './arguments.ts';

let output: string;
beforeEach(() => {
  output = '';
});
const hear = (text: string): void => {
  output += text;
};
const parse = (...args: string[]) =>
  parseArguments(args, ['lint', 'unit', 'cluster'], ['lint', 'unit'], { writeOut: hear, writeErr: hear });

test('without named checks all but on-request ones run', () => {
  expect(parse()).toEqual({ names: ['lint', 'unit'], keepDurations: false });
  expect(parse('--only', 'cluster')).toMatchObject({ names: ['cluster'] });
  expect(parse('--only', 'unit')).toMatchObject({ names: ['unit'] });
});

test('an unknown check is refused with a list of all', () => {
  expect(parse('--only', 'unit,unti')).toBe(1);
  expect(output).toContain('there is no check `unti`; there are: lint, unit, cluster');
});

test('changes count since the named revision, else since the last commit', () => {
  expect(parse('--changed', 'main')).toMatchObject({ changed: 'main' });
  expect(parse('--changed')).toMatchObject({ changed: 'HEAD' });
});

test('a shard is one of n', () => {
  expect(parse('--shard', '2/4')).toMatchObject({ shard: { index: 2, count: 4 } });
});

test.each(['0/4', '5/4', '1', '1/0', 'a/b', '-1/2', '1/2/3'])(
  'the shard %s is refused with the valid form',
  (shard) => {
    expect(parse('--shard', shard)).toBe(1);
    expect(output).toContain('with I from 1 to N');
  },
);
