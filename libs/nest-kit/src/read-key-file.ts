// SPDX-License-Identifier: Apache-2.0
import { KEY_BYTES } from '@writ/sealing';
import { readSecretFile } from './read-secret-file.ts';

/**
 * Reads a file that holds a key of 32 bytes in base64.
 * @throws Error that names variable and path, and nothing of the content
 */
export function readKeyFile(variable: string, path: string): Buffer {
  return keyOf(readSecretFile(variable, path), `the file of \`${variable}\``);
}

/**
 * Reads a key of 32 bytes in base64 from a variable.
 * @throws Error that names the variable, and nothing of the content
 */
export function readKey(variable: string, text: string): Buffer {
  return keyOf(text, `\`${variable}\``);
}

function keyOf(given: string, where: string): Buffer {
  const text = given.trim();
  const key = Buffer.from(text, 'base64');
  // Node.js skips characters that aren't base64, so a damaged text would yield another key.
  if (key.length !== KEY_BYTES || key.toString('base64') !== text)
    throw new Error(`${where} does not hold 32 bytes in base64`);
  return key;
}
