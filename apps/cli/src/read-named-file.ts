// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { usage } from './cli-error.ts';
import { textOf } from './utf8.ts';

/**
 * The bytes of a file that the caller named; `option` is the option that named it.
 * @throws CliError `usage` for a file that can't be read
 */
export function readNamedFile(path: string, option?: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw usage(
      `${option === undefined ? '' : `\`${option}\`: `}\`${path}\` can't be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    );
  }
}

/**
 * The text of a file that the caller named.
 * @throws CliError `usage` for a file that can't be read, or that is not UTF-8
 */
export const readNamedText = (path: string, option?: string): string =>
  textOf(readNamedFile(path, option), `${option === undefined ? '' : `\`${option}\`: `}\`${path}\``);
