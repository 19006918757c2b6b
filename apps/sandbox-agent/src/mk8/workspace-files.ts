// SPDX-License-Identifier: Apache-2.0
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync,
  type Dirent,
  type Stats,
} from 'node:fs';
import { HostFiles, type DirectoryEntry, type FileFacts } from '@writ/mk8-shell';
import { entryOf, Escape, factsOf, isAbsent, resolvePath, ResolvedPath, openFolder } from './resolved-path.ts';

/** A pipe or a device that a program left would block an open without these flags. */
const SAFE_OPEN_FLAGS = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The files below a directory, by descriptors. Each method works synchronously, so that no own code runs between its
 * steps.
 */
export class WorkspaceFiles extends HostFiles {
  readonly #root: string;

  /** @param root its absolute path, without a slash at its end */
  constructor(root: string) {
    super();
    this.#root = root;
  }

  resolve(path: string): Promise<string | null> {
    return asPromise(() => {
      try {
        return this.#withPath(path, 'follow', (located) => located.path);
      } catch (error) {
        if (error instanceof Escape) return null;
        throw error;
      }
    });
  }

  stat(path: string): Promise<FileFacts | null> {
    return asPromise(() =>
      this.#withPath(path, 'follow', ({ folder, rest: [name, ...deeper] }) => {
        if (name === undefined)
          return { kind: 'directory', size: 0, modifiedMs: lstatSync(`${entryOf(folder, '')}.`).mtimeMs };
        const facts = deeper.length > 0 ? null : factsOf(folder, name);
        return facts === null
          ? null
          : { kind: 'file', size: requireRegularFile(facts, path).size, modifiedMs: facts.mtimeMs };
      }),
    );
  }

  list(path: string): Promise<readonly DirectoryEntry[]> {
    return asPromise(() =>
      this.#withPath(path, 'follow', ({ folder, rest }) => {
        if (rest.length > 0) throw new Error(`there is no directory \`${path}\``);
        return readdirSync(entryOf(folder, ''), { withFileTypes: true }).map((entry) => ({
          name: entry.name,
          kind: kindOf(entry),
        }));
      }),
    );
  }

  read(path: string, bytesMax: number): Promise<Uint8Array> {
    return asPromise(() =>
      this.#withFile(path, constants.O_RDONLY, (fd, { size }) => readUpTo(fd, Math.min(bytesMax, size))),
    );
  }

  write(path: string, bytes: Uint8Array, how: 'replace' | 'append'): Promise<void> {
    return asPromise(() =>
      this.#withPath(path, 'follow', (located) => {
        if (located.rest.length === 0) throw new Error(`\`${path}\` is a directory`);
        located.createDirectories(located.rest.length - 1);
        const fd = openSync(
          entryOf(located.folder, located.rest[0] ?? ''),
          constants.O_WRONLY | constants.O_CREAT | SAFE_OPEN_FLAGS | (how === 'append' ? constants.O_APPEND : 0),
          0o644,
        );
        try {
          requireRegularFile(fstatSync(fd), path);
          if (how === 'replace') ftruncateSync(fd);
          for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
        } finally {
          closeSync(fd);
        }
      }),
    );
  }

  makeDirectory(path: string): Promise<void> {
    return asPromise(() =>
      this.#withPath(path, 'follow', (located) => {
        located.createDirectories(located.rest.length);
      }),
    );
  }

  remove(path: string): Promise<void> {
    return asPromise(() =>
      this.#withPath(path, 'keep', ({ folder, rest: [name, ...deeper] }) => {
        if (name === undefined) throw new Error("the workspace itself can't be removed");
        if (deeper.length === 0) removeEntry(folder, name);
      }),
    );
  }

  move(from: string, to: string): Promise<void> {
    return asPromise(() =>
      this.#withPath(from, 'keep', (source) =>
        this.#withPath(to, 'follow', (target) => {
          if (target.rest.length === 0) throw new Error(`\`${to}\` is a directory`);
          if (source.rest.length !== 1 || factsOf(source.folder, source.rest[0] ?? '') === null)
            throw new Error(`there is no file \`${from}\``);
          target.createDirectories(target.rest.length - 1);
          renameSync(entryOf(source.folder, source.rest[0] ?? ''), entryOf(target.folder, target.rest[0] ?? ''));
        }),
      ),
    );
  }

  /** Holds a directory open during `use`, for a program that starts in it. @throws where it is no directory */
  inFolder<Answer>(path: string, use: (folder: number) => Answer): Answer {
    return this.#withPath(path, 'follow', ({ folder, rest }) => {
      if (rest.length > 0) throw new Error(`there is no directory \`${path}\``);
      return use(folder);
    });
  }

  #withFile<Answer>(path: string, flags: number, use: (fd: number, facts: Stats) => Answer): Answer {
    return this.#withPath(path, 'follow', ({ folder, rest: [name, ...deeper] }) => {
      if (name === undefined || deeper.length > 0) throw new Error(`there is no file \`${path}\``);
      const fd = openSync(entryOf(folder, name), flags | SAFE_OPEN_FLAGS);
      try {
        return use(fd, requireRegularFile(fstatSync(fd), path));
      } finally {
        closeSync(fd);
      }
    });
  }

  #withPath<Answer>(path: string, last: 'follow' | 'keep', use: (located: ResolvedPath) => Answer): Answer {
    const located = resolvePath(this.#root, path, last);
    try {
      return use(located);
    } finally {
      located.close();
    }
  }
}

/** Turns a throw into a rejection. */
const asPromise = <Answer>(act: () => Answer): Promise<Answer> =>
  new Promise((resolve) => {
    resolve(act());
  });

const kindOf = (entry: Dirent): DirectoryEntry['kind'] =>
  entry.isDirectory() ? 'directory' : entry.isSymbolicLink() ? 'link' : 'file';

function requireRegularFile(facts: Stats, path: string): Stats {
  if (!facts.isFile()) throw new Error(`\`${path.slice(0, 200)}\` is neither a file nor a directory`);
  return facts;
}

function readUpTo(fd: number, bytesMax: number): Uint8Array {
  const bytes = Buffer.alloc(bytesMax);
  let length = 0;
  for (let got = 1; got > 0 && length < bytesMax; length += got)
    got = readSync(fd, bytes, length, bytesMax - length, null);
  return bytes.subarray(0, length);
}

/** Removes an entry and everything below it. A link itself is removed, not its target. */
function removeEntry(folder: number, name: string): void {
  try {
    const facts = factsOf(folder, name);
    if (facts === null) return;
    if (!facts.isDirectory()) return void unlinkSync(entryOf(folder, name));
    const inner = openFolder(folder, name);
    try {
      for (const entry of readdirSync(entryOf(inner, ''))) removeEntry(inner, entry);
    } finally {
      closeSync(inner);
    }
    rmdirSync(entryOf(folder, name));
  } catch (error) {
    // Another process has removed it already.
    if (!isAbsent(error)) throw error;
  }
}
