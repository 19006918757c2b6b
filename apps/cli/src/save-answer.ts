// SPDX-License-Identifier: Apache-2.0
import { createWriteStream, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { CliError } from './cli-error.ts';

/**
 * Writes an answer's body to a temporary file, and renames it when it is complete. Resolves with its length.
 * @throws CliError where the answer breaks off
 */
export async function saveAnswer(answer: Response, file: string): Promise<number> {
  const partial = `${file}.partial`;
  try {
    await pipeline(Readable.fromWeb(answer.body as WebStream), createWriteStream(partial, { flags: 'wx' }));
    await rename(partial, file);
    return statSync(file).size;
  } catch (cause) {
    await rm(partial, { force: true });
    throw new CliError('http', 'the archive broke off before its end, and nothing was kept of it', undefined, {
      cause,
    });
  }
}
