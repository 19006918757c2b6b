// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from './addresses.ts';

const run = promisify(execFile);
/** Some thirty packages take seconds, and a broken registry answers never. */
const INSTALL_MS = 110_000;

/** A virtual environment of Python with the packages of a lock file. */
export interface PythonEnvironment {
  /** the interpreter of the environment */
  readonly python: string;
  /** the path of a program that one of its packages brings */
  readonly program: (name: string) => string;
}

export interface PythonEnvironmentOptions {
  /** the interpreter that makes it; by default the first `python3` of the path */
  readonly interpreter?: string;
  /** the oldest version that will do, such as `3.11` */
  readonly atLeast?: string;
}

/**
 * A virtual environment in `.writ/cache` with exactly the packages of `lock`, a file of lines `name==version`. Where a
 * line has hashes, pip checks those of all files. It is made once for each content of the file and each version of
 * Python. Null where Python, pip or a package can't be had:
 * the caller skips its tests by name.
 */
export async function pythonEnvironment(
  name: string,
  lock: string,
  { interpreter = 'python3', atLeast = '3.10' }: PythonEnvironmentOptions = {},
): Promise<PythonEnvironment | null> {
  const version = await versionOf(interpreter);
  if (version === null || isOlder(version, atLeast)) return null;
  const hash = createHash('sha256')
    .update(version)
    .update(await readFile(lock))
    .digest('hex');
  const cache = join(repositoryRoot(), '.writ', 'cache');
  const folder = join(cache, `python-${name}-${hash.slice(0, 16)}`);
  await mkdir(cache, { recursive: true });
  if (!existsSync(folder) && !(await install(interpreter, lock, folder))) return null;
  return { python: join(folder, 'bin', 'python'), program: (program) => join(folder, 'bin', program) };
}

async function versionOf(interpreter: string): Promise<string | null> {
  try {
    const print = 'import sys, venv; print("%d.%d.%d" % sys.version_info[:3])';
    return (await run(interpreter, ['-c', print])).stdout.trim();
  } catch {
    return null;
  }
}

/** Whether a version such as `3.9.2` is older than one such as `3.11`. */
export function isOlder(version: string, atLeast: string): boolean {
  const [parts, bounds] = [version.split('.').map(Number), atLeast.split('.').map(Number)];
  const at = bounds.findIndex((bound, index) => bound !== (parts[index] ?? 0));
  return at !== -1 && (parts[at] ?? 0) < (bounds[at] ?? 0);
}

/**
 * Makes the environment in a folder of its own, since its programs name their interpreter by its path. A link of the
 * known name leads to it as soon as it is complete.
 */
async function install(interpreter: string, lock: string, folder: string): Promise<boolean> {
  const own = await mkdtemp(`${folder}.`);
  try {
    await run(interpreter, ['-m', 'venv', own], { timeout: INSTALL_MS });
    const options = ['--quiet', '--no-deps', '--only-binary', ':all:', '--disable-pip-version-check', '--no-input'];
    await run(join(own, 'bin', 'python'), ['-m', 'pip', 'install', ...options, '--requirement', lock], {
      timeout: INSTALL_MS,
    });
    await run(join(own, 'bin', 'python'), ['-m', 'pip', 'check', '--disable-pip-version-check']);
    await symlink(own, folder);
    return true;
  } catch {
    await rm(own, { recursive: true, force: true });
    // Another process may have made it meanwhile.
    return existsSync(folder);
  }
}
