// SPDX-License-Identifier: Apache-2.0
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const keysDir = (stateDir: string): string => join(stateDir, 'keys');

/** The text of an owner-only file in the key directory, which is created if it is missing. */
export const ensureSecret = (stateDir: string, name: string, make: () => string): { path: string; text: string } => {
  const dir = keysDir(stateDir);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const path = join(dir, name);
  if (!existsSync(path)) {
    writeFileSync(`${path}.new`, make(), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }
  return { path, text: readFileSync(path, 'utf8') };
};
