// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runProgram } from '../parts/packages.ts';
import { identify, isAlive, type Identity } from '../process/identity.ts';
import { removeTree } from '../remove-tree.ts';
import type { Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';
import { findGo } from './toolchain.ts';

/** The inputs of a build from the set-up. */
export interface GoOptions {
  /** Absolute path of the folder for built programs. */
  readonly cacheDir: string;
  /** Shows the progress. */
  readonly report: (line: string) => void;
  /** The environment of `go`; our own by default. */
  readonly env?: Setup['env'];
  /** Bytes of free disk space at a folder; what the file system says by default. */
  readonly freeBytes?: (dir: string) => number;
}

/** The `go` command with caches for one build. */
export interface GoWorkspace {
  /** A folder for sources and intermediate files, removed after the build. */
  readonly dir: string;
  /**
   * Runs `go` with these arguments. When it fails, throws `SetupError` with "could not WHAT" and the end of its output.
   */
  readonly go: (
    what: string,
    args: readonly string[],
    options?: { readonly cwd?: string; readonly env?: Setup['env'] },
  ) => Promise<void>;
  /** The standard output of a short `go` command. */
  readonly read: (what: string, args: readonly string[], cwd?: string) => string;
}

/** Builds use every processor for minutes: other work has priority. */
const NICENESS = '10';

/**
 * Packages compiled in parallel. Each needs up to a GiB of memory, so the number suits small machines and is used on
 * large ones too.
 */
const PARALLEL = '2';

const PREFIX = 'go-build-';
const UNNAMED = '.new';
const OWNER = 'owner.json';
const GIB = 1024 ** 3;

const ownerOf = (dir: string): Identity | undefined => {
  try {
    return JSON.parse(readFileSync(join(dir, OWNER), 'utf8')) as Identity;
  } catch {
    return undefined;
  }
};

/** Removes caches of killed builds. */
const removeLeftovers = (cacheDir: string): void => {
  for (const name of readdirSync(cacheDir).filter((each) => each.startsWith(PREFIX) && !each.endsWith(UNNAMED))) {
    const owner = ownerOf(join(cacheDir, name));
    if (owner === undefined || !isAlive(owner)) removeTree(join(cacheDir, name));
  }
};

const freeBytesOf = (dir: string): number => {
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize;
};

/** Throws `SetupError` where less disk space is free than a build needs. */
export const verifyFreeSpace = (
  { cacheDir: dir, freeBytes = freeBytesOf }: GoOptions,
  bytesMin: number,
  what: string,
): void => {
  const free = freeBytes(dir);
  if (free >= bytesMin) return;
  const needed = `needs ${Math.ceil(bytesMin / GIB)} GiB of free disk space while it runs`;
  throw new SetupError(`${what} ${needed}, and ${dir} has ${(free / GIB).toFixed(1)} GiB`, [
    'free some space there, or set WRIT_STATE_DIR to a directory on a larger disk',
  ]);
};

/**
 * The variables of a build. Modules come from the user's own module cache where it has them, and otherwise from the
 * user's proxy.
 *
 * @param moduleCache the user's own module cache
 * @param proxies the user's GOPROXY
 */
export const goEnvironment = (dir: string, moduleCache: string, proxies: string): Record<string, string> => ({
  CGO_ENABLED: '0',
  GOCACHE: join(dir, 'build'),
  // Not the system's temporary folder: a killed linker leaves hundreds of megabytes there.
  GOTMPDIR: join(dir, 'tmp'),
  GOMODCACHE: join(dir, 'mod'),
  GOPROXY: `file://${join(moduleCache, 'cache', 'download')},${proxies}`,
  GOWORK: 'off',
  GOFLAGS: `-p=${PARALLEL} -buildvcs=false`,
});

const open = (go: string, dir: string, { report, env: given = process.env }: GoOptions): GoWorkspace => {
  const ask = (name: string): string => spawnSync(go, ['env', name], { encoding: 'utf8', env: given }).stdout.trim();
  const env = {
    ...given,
    PATH: `${given['PATH'] ?? ''}:${dirname(go)}`,
    ...goEnvironment(dir, ask('GOMODCACHE'), ask('GOPROXY')),
  };
  return {
    dir,
    go: async (what, args, options = {}) => {
      // `nice` can't set a working directory: Go's `-C` must be its first flag.
      const [verb = '', ...rest] = args;
      const at = options.cwd === undefined ? [] : ['-C', options.cwd];
      const { status, tail } = await runProgram(
        'nice',
        ['-n', NICENESS, go, verb, ...at, ...rest],
        { ...env, ...options.env },
        report,
      );
      if (status !== 0)
        throw new SetupError(`could not ${what}; the end of what go said:`, [
          ...tail,
          "where the module proxy can't be reached, set GOPROXY to one that can",
        ]);
    },
    read: (what, args, cwd = dir) => {
      const { status, stdout, stderr } = spawnSync(go, args, { cwd, encoding: 'utf8', env });
      if (status !== 0) throw new SetupError(`could not ${what}; what go said:`, stderr.trim().split('\n'));
      return stdout;
    },
  };
};

/**
 * Calls `build` with a `go` command that has its own module and build caches, and removes them afterwards: those of
 * Kubernetes need 4 GB. Caches of killed builds are removed first.
 *
 * @param why completes the sentence "Go is needed …"
 */
export const withGoWorkspace = async <T>(
  options: GoOptions,
  why: string,
  build: (workspace: GoWorkspace) => Promise<T>,
): Promise<T> => {
  const go = findGo(options.env ?? process.env, why);
  mkdirSync(options.cacheDir, { recursive: true });
  removeLeftovers(options.cacheDir);
  const dir = join(options.cacheDir, `${PREFIX}${process.pid}-${Math.round(performance.now())}`);
  // Its owner is written before it has its name: otherwise another build would remove it as a leftover.
  mkdirSync(`${dir}${UNNAMED}`);
  writeFileSync(join(`${dir}${UNNAMED}`, OWNER), JSON.stringify(identify(process.pid)));
  mkdirSync(join(`${dir}${UNNAMED}`, 'tmp'));
  renameSync(`${dir}${UNNAMED}`, dir);
  // An interrupted build frees the space too.
  const removeAtExit = (): void => removeTree(dir);
  process.once('exit', removeAtExit);
  try {
    return await build(open(go, dir, options));
  } finally {
    process.off('exit', removeAtExit);
    removeTree(dir);
  }
};
