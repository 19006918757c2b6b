// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';

/**
 * Reads a file that a variable names, without its last line break.
 * @throws Error that names variable and path, and nothing of the content.
 */
export function readSecretFile(variable: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(`the file \`${path}\` of \`${variable}\` can't be read`, { cause });
  }
  const content = text.replace(/\r?\n$/, '');
  if (content === '') throw new Error(`the file \`${path}\` of \`${variable}\` is empty`);
  return content;
}
