// SPDX-License-Identifier: Apache-2.0
import { parseArguments } from './arguments.ts';

let printed: string;
beforeEach(() => {
  printed = '';
});
const print = (text: string): void => {
  printed += text;
};
const parse = (...args: string[]) => parseArguments(args, { writeOut: print, writeErr: print });

test('each action has its own option', () => {
  expect(parse('--node')).toEqual({ action: 'node', images: [] });
  expect(parse('--metrics')).toEqual({ action: 'metrics', images: [] });
  expect(parse('--down')).toEqual({ action: 'down', images: [] });
  expect(parse('--load', 'a.tar', 'b.tar')).toEqual({ action: 'load', images: ['a.tar', 'b.tar'] });
});

test.each([
  [['--node', '--down'], 'cannot be used with option'],
  [['--load'], 'argument missing'],
  [['--up'], 'unknown option'],
])('%j is refused with a reason', (args, reason) => {
  expect(parse(...args)).toBe(1);
  expect(printed).toContain(reason);
});

test('without an action everything is installed', () => {
  expect(parse()).toEqual({ action: 'install', images: [] });
  expect(printed).toBe('');
});

test("help lists the machine's requirements and is no failure", () => {
  expect(parse('--help')).toBe(0);
  for (const text of ['10 GiB', 'WRIT_STATE_DIR', '--down']) expect(printed).toContain(text);
});
