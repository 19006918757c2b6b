// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from './addresses.ts';

const run = promisify(execFile);
/** A package of 100 MB takes seconds, and a broken registry answers never. */
const INSTALL_MS = 110_000;

/**
 * Installs one Python package alone, without what it depends on, into `.writ/cache`, unless it is there. Returns its
 * folder, for `PYTHONPATH`, or null where Python, pip or the package can't be had: the caller skips its tests by name.
 */
export async function pythonPackage(name: string, version: string): Promise<string | null> {
  const cache = join(repositoryRoot(), '.writ', 'cache');
  const folder = join(cache, `python-${name}-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const partial = await mkdtemp(`${folder}.`);
  try {
    const options = ['--quiet', '--no-deps', '--only-binary', ':all:', '--disable-pip-version-check', '--no-input'];
    const args = ['-m', 'pip', 'install', ...options, '--target', partial, `${name}==${version}`];
    await run('python3', args, { timeout: INSTALL_MS });
    await rename(partial, folder);
    return folder;
  } catch {
    await rm(partial, { recursive: true, force: true });
    // Another process may have installed it meanwhile.
    return existsSync(folder) ? folder : null;
  }
}

/**
 * Installs several Python packages, each alone, and returns a value of `PYTHONPATH` with all of them, or null where one
 * can't be had. The caller names what a package depends on.
 */
export async function pythonPackages(versions: Readonly<Record<string, string>>): Promise<string | null> {
  const folders: string[] = [];
  for (const [name, version] of Object.entries(versions)) {
    const folder = await pythonPackage(name, version);
    if (folder === null) return null;
    folders.push(folder);
  }
  return folders.join(':');
}
