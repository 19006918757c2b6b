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
import { entryOf, Escape, factsOf, isAbsent, locate, Located, openFolder } from './located.ts';

/** A pipe or a device that a program left would hold up whoever opens it. */
const SAFELY = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The files below a directory, by descriptors; works at once, so that nothing of its own comes between two looks. */
export class WorkspaceFiles extends HostFiles {
  readonly #root: string;

  /** @param root its absolute path, without a slash at its end */
  constructor(root: string) {
    super();
    this.#root = root;
  }

  resolve(path: string): Promise<string | null> {
    return settled(() => {
      try {
        return this.#at(path, 'follow', (located) => located.path);
      } catch (error) {
        if (error instanceof Escape) return null;
        throw error;
      }
    });
  }

  stat(path: string): Promise<FileFacts | null> {
    return settled(() =>
      this.#at(path, 'follow', ({ folder, rest: [name, ...deeper] }) => {
        if (name === undefined)
          return { kind: 'directory', size: 0, modifiedMs: lstatSync(`${entryOf(folder, '')}.`).mtimeMs };
        const facts = deeper.length > 0 ? null : factsOf(folder, name);
        return facts === null ? null : { kind: 'file', size: regular(facts, path).size, modifiedMs: facts.mtimeMs };
      }),
    );
  }

  list(path: string): Promise<readonly DirectoryEntry[]> {
    return settled(() =>
      this.#at(path, 'follow', ({ folder, rest }) => {
        if (rest.length > 0) throw new Error(`there is no directory \`${path}\``);
        return readdirSync(entryOf(folder, ''), { withFileTypes: true }).map((entry) => ({
          name: entry.name,
          kind: kindOf(entry),
        }));
      }),
    );
  }

  read(path: string, bytesMax: number): Promise<Uint8Array> {
    return settled(() =>
      this.#withFile(path, constants.O_RDONLY, (fd, { size }) => readUpTo(fd, Math.min(bytesMax, size))),
    );
  }

  write(path: string, bytes: Uint8Array, how: 'replace' | 'append'): Promise<void> {
    return settled(() =>
      this.#at(path, 'follow', (located) => {
        if (located.rest.length === 0) throw new Error(`\`${path}\` is a directory`);
        located.make(located.rest.length - 1);
        const fd = openSync(
          entryOf(located.folder, located.rest[0] ?? ''),
          constants.O_WRONLY | constants.O_CREAT | SAFELY | (how === 'append' ? constants.O_APPEND : 0),
          0o644,
        );
        try {
          regular(fstatSync(fd), path);
          if (how === 'replace') ftruncateSync(fd);
          for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
        } finally {
          closeSync(fd);
        }
      }),
    );
  }

  makeDirectory(path: string): Promise<void> {
    return settled(() =>
      this.#at(path, 'follow', (located) => {
        located.make(located.rest.length);
      }),
    );
  }

  remove(path: string): Promise<void> {
    return settled(() =>
      this.#at(path, 'keep', ({ folder, rest: [name, ...deeper] }) => {
        if (name === undefined) throw new Error("the workspace itself can't be removed");
        if (deeper.length === 0) removeEntry(folder, name);
      }),
    );
  }

  move(from: string, to: string): Promise<void> {
    return settled(() =>
      this.#at(from, 'keep', (source) =>
        this.#at(to, 'follow', (target) => {
          if (target.rest.length === 0) throw new Error(`\`${to}\` is a directory`);
          if (source.rest.length !== 1 || factsOf(source.folder, source.rest[0] ?? '') === null)
            throw new Error(`there is no file \`${from}\``);
          target.make(target.rest.length - 1);
          renameSync(entryOf(source.folder, source.rest[0] ?? ''), entryOf(target.folder, target.rest[0] ?? ''));
        }),
      ),
    );
  }

  /** Holds a directory open while it is used, for what starts there. @throws where it is none */
  inFolder<Answer>(path: string, use: (folder: number) => Answer): Answer {
    return this.#at(path, 'follow', ({ folder, rest }) => {
      if (rest.length > 0) throw new Error(`there is no directory \`${path}\``);
      return use(folder);
    });
  }

  #withFile<Answer>(path: string, flags: number, use: (fd: number, facts: Stats) => Answer): Answer {
    return this.#at(path, 'follow', ({ folder, rest: [name, ...deeper] }) => {
      if (name === undefined || deeper.length > 0) throw new Error(`there is no file \`${path}\``);
      const fd = openSync(entryOf(folder, name), flags | SAFELY);
      try {
        return use(fd, regular(fstatSync(fd), path));
      } finally {
        closeSync(fd);
      }
    });
  }

  #at<Answer>(path: string, last: 'follow' | 'keep', use: (located: Located) => Answer): Answer {
    const located = locate(this.#root, path, last);
    try {
      return use(located);
    } finally {
      located.close();
    }
  }
}

/** What throws rejects. */
const settled = <Answer>(act: () => Answer): Promise<Answer> =>
  new Promise((resolve) => {
    resolve(act());
  });

const kindOf = (entry: Dirent): DirectoryEntry['kind'] =>
  entry.isDirectory() ? 'directory' : entry.isSymbolicLink() ? 'link' : 'file';

function regular(facts: Stats, path: string): Stats {
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

/** Removes an entry and all that is below it. A link is removed as such. */
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
    // Whoever else removes it has done the work.
    if (!isAbsent(error)) throw error;
  }
}
