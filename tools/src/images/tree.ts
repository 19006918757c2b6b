// SPDX-License-Identifier: Apache-2.0
//
// A file tree of an image. The same tree gives the same bytes, on any machine and at any time.
import { createHash } from 'node:crypto';
import { createWriteStream, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pack } from 'tar-stream';

/** The owner of a file in the image. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}
export const ROOT: Owner = { uid: 0, gid: 0 };

/** A file, a folder or a link, at a path relative to the image's root. */
export type Entry =
  | { readonly type: 'file'; readonly mode: number; readonly owner: Owner; readonly from: string }
  | { readonly type: 'text'; readonly mode: number; readonly owner: Owner; readonly text: string }
  | { readonly type: 'folder'; readonly mode: number; readonly owner: Owner }
  | { readonly type: 'link'; readonly owner: Owner; readonly to: string };

const READABLE = 0o644;
const EXECUTABLE = 0o755;

/** The tree of an image or a layer. Parent folders of an entry are created with it. */
export class Tree {
  readonly #entries = new Map<string, Entry>();

  /** Adds an entry, which replaces an earlier one with the same path. */
  add(path: string, entry: Entry): void {
    for (let above = dirname(path); above !== '.' && !this.#entries.has(above); above = dirname(above)) {
      this.#entries.set(above, { type: 'folder', mode: EXECUTABLE, owner: ROOT });
    }
    this.#entries.set(path, entry);
  }

  text(path: string, text: string, mode = READABLE): void {
    this.add(path, { type: 'text', mode, owner: ROOT, text });
  }

  folder(path: string, mode = EXECUTABLE, owner = ROOT): void {
    this.add(path, { type: 'folder', mode, owner });
  }

  /** Adds a file of the machine, with its execute bit, owned by root. */
  file(path: string, from: string): void {
    const { mode } = lstatSync(from);
    this.add(path, { type: 'file', mode: (mode & 0o111) === 0 ? READABLE : EXECUTABLE, owner: ROOT, from });
  }

  /**
   * Adds the content of a folder of the machine.
   *
   * @param isWanted decides for each file and link, by its path relative to that folder
   */
  copy(path: string, from: string, isWanted: (relative: string) => boolean = () => true): void {
    for (const { name, parentPath, isDirectory, isLink } of walk(from)) {
      const source = join(parentPath, name);
      const relative = source.slice(from.length + 1);
      if (isDirectory || !isWanted(relative)) continue;
      if (isLink) this.add(join(path, relative), { type: 'link', owner: ROOT, to: readlinkSync(source) });
      else this.file(join(path, relative), source);
    }
  }

  get paths(): readonly string[] {
    return [...this.#entries.keys()].sort();
  }

  /** A hash of the whole tree. */
  get hash(): string {
    const hash = createHash('sha256');
    for (const path of this.paths) {
      const entry = this.#entries.get(path) as Entry;
      const content = entry.type === 'file' ? createHash('sha256').update(readFileSync(entry.from)).digest('hex') : '';
      hash.update(`${JSON.stringify([path, entry.type === 'file' ? { ...entry, from: content } : entry])}\n`);
    }
    return hash.digest('hex');
  }

  /**
   * Writes the tree as a tar file.
   *
   * @param mtime of every entry
   */
  async write(file: string, mtime: Date): Promise<void> {
    const tar = pack();
    const written = pipeline(tar, createWriteStream(file));
    for (const path of this.paths) {
      const entry = this.#entries.get(path) as Entry;
      const header = { name: path, mtime, ...entry.owner, uname: '', gname: '' };
      if (entry.type === 'folder') tar.entry({ ...header, type: 'directory', mode: entry.mode });
      else if (entry.type === 'link') tar.entry({ ...header, type: 'symlink', linkname: entry.to, mode: 0o777 });
      else {
        const content = entry.type === 'text' ? Buffer.from(entry.text) : readFileSync(entry.from);
        await new Promise<void>((resolve, reject) => {
          tar.entry({ ...header, mode: entry.mode }, content, (error) => {
            if (error) reject(error);
            else resolve();
          });
        });
      }
    }
    tar.finalize();
    await written;
  }
}

interface Found {
  readonly name: string;
  readonly parentPath: string;
  readonly isDirectory: boolean;
  readonly isLink: boolean;
}

const walk = (folder: string): readonly Found[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true }).map((entry) => ({
    name: entry.name,
    parentPath: entry.parentPath,
    isDirectory: entry.isDirectory(),
    isLink: entry.isSymbolicLink(),
  }));
