// SPDX-License-Identifier: Apache-2.0
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import type { ReadStream } from 'node:tty';

/** What a person types to confirm. It is a whole word, since an accidental Enter must not be enough. */
const YES = 'yes';

/** Asks a person at a terminal, on stderr. Only `yes` confirms; the end of the input declines. */
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
