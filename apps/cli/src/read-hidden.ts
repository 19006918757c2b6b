// SPDX-License-Identifier: Apache-2.0
import { createInterface } from 'node:readline/promises';
import { buffer } from 'node:stream/consumers';
import { Writable } from 'node:stream';
import type { ReadStream } from 'node:tty';
import { usage } from './cli-error.ts';
import { isDecodedWhole, textOf } from './utf8.ts';

/** Ends a line of a pipe or a file; the value itself may hold others, as a private key does. */
const LAST_NEWLINE = /\r?\n$/;

/**
 * Reads a value that mustn't be seen: from a terminal a line without echo, else all of the input but its last newline.
 * Never an argument: those stand in the shell's history and in the list of processes.
 * @throws CliError `usage` for what is not UTF-8
 */
export async function readHidden(prompt: string, input: ReadStream, output: Writable): Promise<string> {
  if (!input.isTTY) return textOf(await buffer(input), 'standard input').replace(LAST_NEWLINE, '');
  output.write(prompt);
  // Readline puts the terminal into raw mode and echoes to its output: to nowhere.
  const silent = createInterface({
    input,
    output: new Writable({
      write: (_chunk, _encoding, done) => {
        done();
      },
    }),
    terminal: true,
    historySize: 0,
  });
  try {
    const line = await silent.question('');
    if (!isDecodedWhole(line)) throw usage('what was typed is not UTF-8: give it by standard input');
    return line;
  } finally {
    silent.close();
    output.write('\n');
  }
}
