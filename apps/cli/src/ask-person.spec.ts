// SPDX-License-Identifier: Apache-2.0
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ReadStream } from 'node:tty';
import { askPerson } from './ask-person.ts';

test.each([
  ['yes\n', true],
  [' yes \n', true],
  ['y\n', false],
  ['\n', false],
  ['YES\n', false],
  ['', false],
  ['no\nyes\n', false],
])('the answer %j confirms: %s', async (typed, isYes) => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.end(typed);
  expect(await askPerson('Really?', input as unknown as ReadStream, output)).toBe(isYes);
  output.end();
  expect(await text(output)).toContain('Really? Type `yes`: ');
});
