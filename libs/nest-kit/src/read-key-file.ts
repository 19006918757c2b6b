// SPDX-License-Identifier: Apache-2.0
import { readSecretFile } from './read-secret-file.ts';

/** AES-256. */
export const KEY_BYTES = 32;

/**
 * Reads a file that holds a key of 32 bytes in base64.
 * @throws Error that names variable and path, and nothing of the content.
 */
export function readKeyFile(variable: string, path: string): Buffer {
  const text = readSecretFile(variable, path).trim();
  const key = Buffer.from(text, 'base64');
  // Node skips what isn't base64, so a damaged key would be another key.
  if (key.length !== KEY_BYTES || key.toString('base64') !== text) throw new Error(`the file of \`${variable}\` does not hold 32 bytes in base64`);
  return key;
}
