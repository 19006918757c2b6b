// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import { KeyStore, type Draft, type Entries } from './key-store.ts';
import type { KeySet } from './layout.ts';

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown';

/**
 * Keys in a folder: a sub-folder per set, a file per entry. Files of open sets are readable by all users, others by
 * their owner only.
 */
export class FolderStore extends KeyStore {
  readonly #root: string;

  constructor(root: string) {
    super();
    this.#root = root;
  }

  override nameOf(set: KeySet): string {
    return join(this.#root, set.name);
  }

  override async read(set: KeySet): Promise<Entries | null> {
    const existing = new Set(this.#list(set));
    // A mounted volume is an empty folder before the first run.
    const entries = set.entries
      .filter(({ name }) => existing.has(name))
      .map(({ name }) => [name, this.#readFile(set, name)]);
    return await Promise.resolve(entries.length === 0 ? null : (Object.fromEntries(entries) as Entries));
  }

  /** Each file is made separately: if two runs make one, the first stays and the other run reads it. */
  override draft(set: KeySet): Draft {
    const entries: Record<string, string> = {};
    this.#makeFolder(set);
    return {
      entry: async (name, make) => {
        if (!this.#list(set).includes(name)) this.#create(set, name, await make());
        return (entries[name] = this.#readFile(set, name));
      },
      commit: () => Promise.resolve(entries),
    };
  }

  #list(set: KeySet): readonly string[] {
    try {
      return readdirSync(this.nameOf(set));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return [];
      throw new Failure(
        `\`${this.nameOf(set)}\` can't be read (${codeOf(error)}): give this user the folder that \`--out\` names`,
        error,
      );
    }
  }

  #readFile(set: KeySet, name: string): string {
    const path = join(this.nameOf(set), name);
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      throw new Failure(`\`${path}\` can't be read (${codeOf(error)}): run this as the user that owns it`, error);
    }
  }

  #makeFolder(set: KeySet): void {
    try {
      mkdirSync(this.nameOf(set), { recursive: true, mode: set.open ? 0o755 : 0o700 });
    } catch (error) {
      throw new Failure(
        `\`${this.nameOf(set)}\` can't be made (${codeOf(error)}): give this user the folder that \`--out\` names`,
        error,
      );
    }
  }

  /** Makes a file atomically; keeps an existing one. */
  #create(set: KeySet, name: string, text: string): void {
    const folder = this.nameOf(set);
    const next = join(folder, `.${name}.${randomBytes(6).toString('hex')}`);
    try {
      const fd = openSync(next, 'wx', set.open ? 0o644 : 0o600);
      try {
        writeSync(fd, text);
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
      // Unlike a rename, a link fails where the name is taken.
      linkSync(next, join(folder, name));
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return;
      throw new Failure(
        `\`${join(folder, name)}\` can't be written (${codeOf(error)}): give this user the folder that \`--out\` names`,
        error,
      );
    } finally {
      rmSync(next, { force: true });
      syncFolder(folder);
    }
  }
}

/** Makes the file's name survive a power cut, as its content does. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
