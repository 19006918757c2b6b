// SPDX-License-Identifier: Apache-2.0
import { PassThrough, Writable } from 'node:stream';
import type { ReadStream } from 'node:tty';
import { readHidden } from './read-hidden.ts';

const screen = () => {
  const shown: string[] = [];
  return {
    shown,
    output: new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        shown.push(String(chunk));
        done();
      },
    }),
  };
};

test('hidden input at a terminal is read up to the end of the line, and not echoed', async () => {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const { shown, output } = screen();
  const typed = readHidden('value: ', input as unknown as ReadStream, output);
  input.write('hunter2\n');
  expect(await typed).toBe('hunter2');
  expect(shown.join('')).toBe('value: \n');
});

test('hidden input from a pipe is read without its last newline, and without a prompt', async () => {
  const input = new PassThrough();
  const { shown, output } = screen();
  input.end('-----BEGIN-----\nabc\n');
  expect(await readHidden('value: ', input as unknown as ReadStream, output)).toBe('-----BEGIN-----\nabc');
  expect(shown).toEqual([]);
});
