// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isGone, ownMark } from './process-mark.ts';

const own = ownMark() ?? '';
const [boot, space, pid, start] = own.split(' ');

test('a process that lives is not gone', () => {
  expect(own).toMatch(/^[0-9a-f-]{36} pid:\[\d+\] \d+ \d+$/);
  expect(isGone(own)).toBe(false);
});

test('one that has ended is, and so is one whose number another process has by now', async () => {
  const child = spawn('true');
  await once(child, 'exit');
  expect(isGone(`${boot} ${space} ${child.pid} ${start}`)).toBe(true);
  expect(isGone(`${boot} ${space} ${pid} ${Number(start) - 1}`)).toBe(true);
});

test("nothing is known of another boot, of other processes' numbers, or of what is no mark", () => {
  for (const mark of [
    `0${boot} ${space} 99999999 1`,
    `${boot} pid:[1] 99999999 1`,
    `${boot} ${space}`,
    `${boot} ${space} x 1`,
    `${boot} ${space} 0 1`,
    '',
    'x',
  ]) {
    expect({ mark, isGone: isGone(mark) }).toEqual({ mark, isGone: false });
  }
});
