// SPDX-License-Identifier: Apache-2.0
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import type { ReadStream } from 'node:tty';

/** What a person types to have it done: a whole word, since an idle Enter must not be enough. */
const YES = 'yes';

/** Asks a person at a terminal, on stderr. True for `yes` alone; the end of the input is a no. */
export async function askPerson(question: string, input: ReadStream, output: Writable): Promise<boolean> {
  output.write(`${question} Type \`${YES}\`: `);
  const lines = createInterface({ input, terminal: false });
  try {
    for await (const line of lines) return line.trim() === YES;
    return false;
  } finally {
    lines.close();
  }
}
