// SPDX-License-Identifier: Apache-2.0
import { parseArguments } from './arguments.ts';

let said: string;
beforeEach(() => { said = ''; });
const hear = (text: string): void => { said += text; };
const parse = (...args: string[]) => parseArguments(args, ['lint', 'unit'], { writeOut: hear, writeErr: hear });

test('everything runs unless some checks are named', () => {
  expect(parse()).toEqual(['lint', 'unit']);
  expect(parse('--only', 'unit')).toEqual(['unit']);
});

test('a check that does not exist is refused, with those that do', () => {
  expect(parse('--only', 'unit,unti')).toBe(1);
  expect(said).toContain('there is no check `unti`; there are: lint, unit');
});
