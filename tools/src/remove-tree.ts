// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';

/**
 * Removes a folder with all in it, if it exists. Folders in it may be read-only, as those of Go's modules are: root
 * removes from such a folder, others don't.
 */
export const removeTree = (folder: string): void => {
  spawnSync('chmod', ['-R', 'u+w', folder], { stdio: 'ignore' });
  rmSync(folder, { recursive: true, force: true });
};
