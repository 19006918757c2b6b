// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from './addresses.ts';

const run = promisify(execFile);
/** A hundred megabytes take seconds, and a broken registry answers never. */
const INSTALL_MS = 110_000;
const FILES = ['package.json', 'package-lock.json'] as const;

/**
 * Installs what the lockfile in a folder pins into `.writ/cache`, unless it is there: programs that only a test starts,
 * and that are too large for everybody's installation. No script of a package runs. Returns the folder with
 * `node_modules`, or null where npm or a package can't be had: the caller skips its tests by name.
 *
 * @param name for the folder of the cache
 * @param pinned the folder with `package.json` and `package-lock.json`
 * @param installMs how long it may take, for what is larger than most
 */
export async function npmPackages(name: string, pinned: string, installMs = INSTALL_MS): Promise<string | null> {
  const lock = createHash('sha256').update(await readFile(join(pinned, FILES[1])));
  const cache = join(repositoryRoot(), '.writ', 'cache');
  const folder = join(cache, `npm-${name}-${lock.digest('hex').slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const partial = await mkdtemp(`${folder}.`);
  try {
    for (const file of FILES) await copyFile(join(pinned, file), join(partial, file));
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev', '--loglevel=error'];
    await run('npm', ['ci', ...options], { cwd: partial, timeout: installMs });
    await rename(partial, folder);
    return folder;
  } catch {
    await rm(partial, { recursive: true, force: true });
    // Another process may have installed it meanwhile.
    return existsSync(folder) ? folder : null;
  }
}
