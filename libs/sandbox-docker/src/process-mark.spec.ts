// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isGone, ownMark } from './process-mark.ts';

const own = ownMark() ?? '';
const [boot, space, pid, start] = own.split(' ');

test('isGone is false for a running process', () => {
  expect(own).toMatch(/^[0-9a-f-]{36} pid:\[\d+\] \d+ \d+$/);
  expect(isGone(own)).toBe(false);
});

test('isGone is true for an ended process, and for one whose number is reused', async () => {
  const child = spawn('true');
  await once(child, 'exit');
  expect(isGone(`${boot} ${space} ${child.pid} ${start}`)).toBe(true);
  expect(isGone(`${boot} ${space} ${pid} ${Number(start) - 1}`)).toBe(true);
});

test('isGone is false for another boot, another namespace and an invalid mark', () => {
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
