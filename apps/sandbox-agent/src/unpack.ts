// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FrameError, parentsOf, type EntryHead } from '@writ/sandbox';
import type { Baseline, BaselineEntry } from './baseline.ts';
import { AgentFault, codeOf } from './fault.ts';
import { IncomingFile } from './incoming-file.ts';

/** Writes the workspace as it arrives: entries in any order, a file's content in chunks after its head. */
export class Unpacker {
  readonly #root: string;
  readonly #entries = new Map<string, BaselineEntry>();
  readonly #createdFolders = new Set<string>();
  #open: IncomingFile | null = null;

  constructor(root: string) {
    this.#root = root;
    this.#createdFolders.add(root);
  }

  /** Begins an entry. Throws AgentFault when the workspace is full, FrameError when the entry can't come now. */
  entry(head: EntryHead, bytes: Buffer): void {
    if (this.#open) throw new FrameError('an entry comes out of turn');
    for (const parent of parentsOf(head.path))
      if (!this.#entries.has(parent)) this.#entries.set(parent, { kind: 'dir' });
    if (head.kind !== 'file') this.#entries.set(head.path, head);
    withSpace(() => {
      if (head.kind === 'dir') return this.#makeDirectory(join(this.#root, head.path));
      // Links are created last: a file is never written through one.
      if (head.kind === 'symlink') return;
      const path = join(this.#root, head.path);
      this.#makeDirectory(dirname(path));
      this.#open = new IncomingFile(path, head);
      this.#append(bytes);
    });
  }

  /** Adds the next chunk of the open file. */
  data(bytes: Buffer): void {
    if (!this.#open) throw new FrameError('content comes without a file');
    withSpace(() => this.#append(bytes));
  }

  /** Creates the links and returns the entries of the workspace. */
  finish(): Baseline {
    if (this.#open) throw new FrameError('a file is shorter than announced');
    for (const [path, entry] of this.#entries) {
      if (entry.kind !== 'symlink') continue;
      withSpace(() => {
        this.#makeDirectory(dirname(join(this.#root, path)));
        symlinkSync(entry.target, join(this.#root, path));
      });
    }
    return this.#entries;
  }

  #append(bytes: Buffer): void {
    const completed = this.#open?.append(bytes) ?? null;
    if (this.#open === null || completed === null) return;
    this.#entries.set(this.#open.path, completed);
    this.#open = null;
  }

  #makeDirectory(path: string): void {
    if (this.#createdFolders.has(path)) return;
    mkdirSync(path, { recursive: true });
    this.#createdFolders.add(path);
  }
}

/** Runs a write into the container; a full disk becomes the fault `workspace_space`. */
export function withSpace(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (codeOf(error) === 'ENOSPC')
      throw new AgentFault('workspace_space', 'what was sent does not fit into the container');
    throw error;
  }
}
