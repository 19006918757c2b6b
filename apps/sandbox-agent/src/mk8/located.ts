// SPDX-License-Identifier: Apache-2.0
//
// Paths, walked one directory at a time. INVARIANT (by descriptor): every name is looked up in a directory that is held
// open, and no link is followed by the system, so that whatever a program puts in the way meanwhile, what is used lies
// below the workspace. Links are read and walked by hand, as openat2(2) does with RESOLVE_BENEATH.
import { closeSync, constants, lstatSync, mkdirSync, openSync, readlinkSync, type Stats } from 'node:fs';

/** open(2): a descriptor that only says where something is; Node has no name for it. */
const O_PATH = 0o10_000_000;
const DIRECTORY = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** As many as Linux follows. */
const LINKS_MAX = 40;

/** A path that leads out of the workspace, or in circles. */
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

/** @throws where it is no directory, a link among them */
export const openFolder = (folder: number, name: string): number => openSync(entryOf(folder, name), DIRECTORY);

/** Where a path leads: the directories on its way, held open, and what of it is no directory or isn't there. */
export class Located {
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

  leave(): void {
    const last = this.#folders.pop();
    if (last !== undefined) closeSync(last.fd);
  }

  /** Makes the first `count` names of the rest directories. */
  make(count: number): void {
    for (const name of this.rest.splice(0, count)) {
      mkdirSync(entryOf(this.folder, name), 0o755);
      this.enter(name);
    }
  }

  close(): void {
    while (this.#folders.length > 0) this.leave();
  }
}

/**
 * Walks a path from the root. `last` says whether a link at its end is followed. The caller closes what it gets.
 * @throws Escape; Error where a file stands in the way
 */
export function locate(root: string, path: string, last: 'follow' | 'keep' = 'follow'): Located {
  const names = path === '' ? [] : path.split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..')) throw new Escape(path);
  const located = new Located(root);
  try {
    walk(located, names, { root, path, last });
    return located;
  } catch (error) {
    located.close();
    throw error;
  }
}

function walk(
  located: Located,
  names: readonly string[],
  { root, path, last }: { readonly root: string; readonly path: string; readonly last: 'follow' | 'keep' },
): void {
  let ahead = [...names];
  let links = 0;
  for (let name = ahead.shift(); name !== undefined; name = ahead.shift()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      if (located.depth === 0) throw new Escape(path);
      located.leave();
      continue;
    }
    const facts = last === 'keep' && ahead.length === 0 ? null : factsOf(located.folder, name);
    if (facts?.isDirectory() === true) located.enter(name);
    else if (facts?.isSymbolicLink() === true) {
      if (++links > LINKS_MAX) throw new Escape(path);
      const target = readlinkSync(entryOf(located.folder, name));
      ahead = [...below(located, target, { root, path }), ...ahead];
    } else {
      // Nothing that isn't a directory has anything above it, either.
      if (ahead.includes('..')) throw new Escape(path);
      located.rest = [name, ...ahead.filter((segment) => segment !== '' && segment !== '.')];
      return;
    }
  }
}

/** The way that a link leads from here. One that names the workspace itself begins there anew. */
function below(
  located: Located,
  target: string,
  { root, path }: { readonly root: string; readonly path: string },
): string[] {
  if (!target.startsWith('/')) return target.split('/');
  if (target !== root && !target.startsWith(`${root}/`)) throw new Escape(path);
  while (located.depth > 0) located.leave();
  return target.slice(root.length).split('/');
}
