// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { usage } from './cli-error.ts';

/** The bytes of a file that the caller named, by an option where that is said. @throws CliError `usage` for one that can't be read */
export function readNamedFile(path: string, option?: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw usage(`${option === undefined ? '' : `\`${option}\`: `}\`${path}\` can't be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
}
