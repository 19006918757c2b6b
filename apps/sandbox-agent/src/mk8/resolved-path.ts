// SPDX-License-Identifier: Apache-2.0
//
// Resolves paths one directory at a time. INVARIANT (by descriptor): every name is looked up in a directory that is
// held open, and the system follows no link. So whatever a program puts in the way meanwhile, the result is below the
// workspace. Links are read and resolved in this code, as openat2(2) does with RESOLVE_BENEATH.
import { closeSync, constants, lstatSync, mkdirSync, openSync, readlinkSync, type Stats } from 'node:fs';

/** open(2): a descriptor that only refers to a location; Node has no constant for it. */
const O_PATH = 0o10_000_000;
const DIRECTORY = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** As many links as Linux follows. */
const LINKS_MAX = 40;

/** A path that leads out of the workspace, or in a cycle. */
export class Escape extends Error {
  constructor(path: string) {
    super(`\`${path.slice(0, 200)}\` leads out of the workspace`);
    this.name = 'Escape';
  }
}

export const isAbsent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

/** An entry of a directory that is held open. */
export const entryOf = (folder: number, name: string): string => `/proc/self/fd/${folder}/${name}`;

export function factsOf(folder: number, name: string): Stats | null {
  return lstatSync(entryOf(folder, name), { throwIfNoEntry: false }) ?? null;
}

/** @throws where it is no directory, also for a link */
export const openFolder = (folder: number, name: string): number => openSync(entryOf(folder, name), DIRECTORY);

/**
 * A resolved path: the directories on its way, held open, and the remaining names that are no directory or don't exist.
 */
export class ResolvedPath {
  readonly #folders: { readonly fd: number; readonly name: string }[];
  /** names below the last directory; none where the path leads to a directory */
  rest: string[] = [];

  constructor(root: string) {
    this.#folders = [{ fd: openSync(root, DIRECTORY), name: '' }];
  }

  /** the last directory */
  get folder(): number {
    return this.#folders.at(-1)?.fd ?? -1;
  }

  /** with all links followed */
  get path(): string {
    return [...this.#folders.slice(1).map(({ name }) => name), ...this.rest].join('/');
  }

  get depth(): number {
    return this.#folders.length - 1;
  }

  enter(name: string): void {
    this.#folders.push({ fd: openFolder(this.folder, name), name });
  }

  exit(): void {
    const last = this.#folders.pop();
    if (last !== undefined) closeSync(last.fd);
  }

  /** Creates the first `count` names of the rest as directories. */
  createDirectories(count: number): void {
    for (const name of this.rest.splice(0, count)) {
      mkdirSync(entryOf(this.folder, name), 0o755);
      this.enter(name);
    }
  }

  close(): void {
    while (this.#folders.length > 0) this.exit();
  }
}

/**
 * Resolves a path from the root. `last` tells whether a link at its end is followed. The caller closes the result.
 * @throws Escape; Error where a file stands in the way
 */
export function resolvePath(root: string, path: string, last: 'follow' | 'keep' = 'follow'): ResolvedPath {
  const names = path === '' ? [] : path.split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..')) throw new Escape(path);
  const resolved = new ResolvedPath(root);
  try {
    walk(resolved, names, { root, path, last });
    return resolved;
  } catch (error) {
    resolved.close();
    throw error;
  }
}

function walk(
  resolved: ResolvedPath,
  names: readonly string[],
  { root, path, last }: { readonly root: string; readonly path: string; readonly last: 'follow' | 'keep' },
): void {
  let remaining = [...names];
  let links = 0;
  for (let name = remaining.shift(); name !== undefined; name = remaining.shift()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      if (resolved.depth === 0) throw new Escape(path);
      resolved.exit();
      continue;
    }
    const facts = last === 'keep' && remaining.length === 0 ? null : factsOf(resolved.folder, name);
    if (facts?.isDirectory() === true) resolved.enter(name);
    else if (facts?.isSymbolicLink() === true) {
      if (++links > LINKS_MAX) throw new Escape(path);
      const target = readlinkSync(entryOf(resolved.folder, name));
      remaining = [...targetNames(resolved, target, { root, path }), ...remaining];
    } else {
      // An entry that isn't a directory has no parent lookup.
      if (remaining.includes('..')) throw new Escape(path);
      resolved.rest = [name, ...remaining.filter((segment) => segment !== '' && segment !== '.')];
      return;
    }
  }
}

/** The names of a link's target. A target that names the workspace's root restarts from it. */
function targetNames(
  resolved: ResolvedPath,
  target: string,
  { root, path }: { readonly root: string; readonly path: string },
): string[] {
  if (!target.startsWith('/')) return target.split('/');
  if (target !== root && !target.startsWith(`${root}/`)) throw new Escape(path);
  while (resolved.depth > 0) resolved.exit();
  return target.slice(root.length).split('/');
}
