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

test('npm start keeps running unless --once is given', () => {
  expect(parse()).toEqual({ once: false });
  expect(parse('--once')).toEqual({ once: true });
});

test.each([
  ['--twice', 'unknown option'],
  ['now', 'too many arguments'],
])('%s is refused with a reason', (arg, reason) => {
  expect(parse(arg)).toBe(1);
  expect(printed).toContain(reason);
});

test('help names every variable and is no failure', () => {
  expect(parse('--help')).toBe(0);
  for (const name of ['WRIT_HTTP_PORT', 'WRIT_DATABASE_URL', 'WRIT_NATS_URL', 'DOCKER_HOST'])
    expect(printed).toContain(name);
});
