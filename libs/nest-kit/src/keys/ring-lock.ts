// SPDX-License-Identifier: Apache-2.0
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KeyStoreError } from '@writ/signing';

/**
 * Runs `run` under an exclusive lock on the folder, to read and change its rings or their published files. Files have
 * no versions to compare, so of two concurrent writers the later one would undo the change of the first. The lock of a
 * process that died stays until a person removes it, since a dead owner and a slow one look the same.
 * @throws KeyStoreError where another process holds the lock
 */
export function whileRingsAreLocked<T>(folder: string, run: () => T): T {
  const lock = join(folder, '.changing');
  try {
    writeFileSync(lock, `${String(process.pid)}\n`, { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new KeyStoreError(`\`${lock}\` can't be written (${code ?? 'unknown'})`, { cause });
    throw new KeyStoreError(
      `somebody changes these keys: \`${lock}\` is there. Try again; where the one who wrote it died, remove it`,
      { cause },
    );
  }
  try {
    return run();
  } finally {
    rmSync(lock, { force: true });
  }
}
