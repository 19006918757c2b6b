// SPDX-License-Identifier: Apache-2.0
import { createInterface } from 'node:readline/promises';
import { buffer } from 'node:stream/consumers';
import { Writable } from 'node:stream';
import type { ReadStream } from 'node:tty';
import { usage } from './cli-error.ts';
import { isDecodedWhole, textOf } from './utf8.ts';

/** The newline at the end of a pipe or a file; the value itself may contain others, as a private key does. */
const LAST_NEWLINE = /\r?\n$/;

/**
 * Reads a secret value: at a terminal, a line without echo; otherwise all of the input except its last newline. It is
 * never an argument, since the shell's history and the process list show arguments.
 * @throws CliError `usage` for input that is not UTF-8
 */
export async function readHidden(prompt: string, input: ReadStream, output: Writable): Promise<string> {
  if (!input.isTTY) return textOf(await buffer(input), 'standard input').replace(LAST_NEWLINE, '');
  output.write(prompt);
  // Readline puts the terminal into raw mode and echoes to its output, which discards everything.
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
