// SPDX-License-Identifier: Apache-2.0
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../remove-tree.ts';

/**
 * Calls `use` with an empty folder for all temporary files of a run of the checks, and removes it afterwards: a check
 * that is killed, or forgets its folder, doesn't fill the disk. The folder has a fixed name, so that a run also removes
 * what a killed one left. Its path is short: sockets lie in it.
 *
 * @param stateId of the state directory, which one run at a time holds
 */
export const withTemporary = async <T>(stateId: string, use: (folder: string) => Promise<T>): Promise<T> => {
  const folder = join(tmpdir(), `writ-tests-${stateId}`);
  removeTree(folder);
  mkdirSync(folder, { mode: 0o755 });
  try {
    return await use(folder);
  } finally {
    removeTree(folder);
  }
};
