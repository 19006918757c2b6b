// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FrameError, parentsOf, type EntryHead } from '@writ/sandbox';
import type { Baseline, BaselineEntry } from './baseline.ts';
import { AgentFault, codeOf } from './fault.ts';
import { IncomingFile } from './incoming-file.ts';

/** Writes the workspace as it comes in: entries in any order, a file's content in chunks after its head. */
export class Unpacker {
  readonly #root: string;
  readonly #entries = new Map<string, BaselineEntry>();
  readonly #made = new Set<string>();
  #open: IncomingFile | null = null;

  constructor(root: string) {
    this.#root = root;
    this.#made.add(root);
  }

  /** Begins an entry. Throws AgentFault when the workspace is full, FrameError when the entry can't come now. */
  entry(head: EntryHead, bytes: Buffer): void {
    if (this.#open) throw new FrameError('an entry comes out of turn');
    for (const parent of parentsOf(head.path))
      if (!this.#entries.has(parent)) this.#entries.set(parent, { kind: 'dir' });
    if (head.kind !== 'file') this.#entries.set(head.path, head);
    withSpace(() => {
      if (head.kind === 'dir') return this.#makeDirectory(join(this.#root, head.path));
      // Links are made last: a file is never written through one.
      if (head.kind === 'symlink') return;
      const path = join(this.#root, head.path);
      this.#makeDirectory(dirname(path));
      this.#open = new IncomingFile(path, head);
      this.#append(bytes);
    });
  }

  /** The next chunk of the file that is open. */
  data(bytes: Buffer): void {
    if (!this.#open) throw new FrameError('content comes without a file');
    withSpace(() => this.#append(bytes));
  }

  /** Makes the links and answers what now stands in the workspace. */
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
    const whole = this.#open?.append(bytes) ?? null;
    if (this.#open === null || whole === null) return;
    this.#entries.set(this.#open.path, whole);
    this.#open = null;
  }

  #makeDirectory(path: string): void {
    if (this.#made.has(path)) return;
    mkdirSync(path, { recursive: true });
    this.#made.add(path);
  }
}

/** Runs a writing into the container; that there is no room for what was sent is told as such. */
export function withSpace(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (codeOf(error) === 'ENOSPC')
      throw new AgentFault('workspace_space', 'what was sent does not fit into the container');
    throw error;
  }
}
