// SPDX-License-Identifier: Apache-2.0
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KeyStoreError } from '@writ/signing';

/**
 * Reads and changes the rings of a folder, or what is published of them, while nobody else does. Files have no versions
 * to compare, so of two at once the later one to write would undo what the other wrote. The lock of one who died stays
 * until somebody removes it: nothing here can tell the dead from the slow.
 * @throws KeyStoreError where somebody else does
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
