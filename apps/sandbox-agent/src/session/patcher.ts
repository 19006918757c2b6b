// SPDX-License-Identifier: Apache-2.0
import { lstatSync, mkdirSync, readdirSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CONFLICTS_MAX, FrameError, type CheckedPath, type EntryHead } from '@writ/sandbox';
import type { BaselineEntry } from '../baseline.ts';
import { codeOf } from '../fault.ts';
import { IncomingFile } from '../incoming-file.ts';
import { withSpace } from '../unpack.ts';
import { currentEntry } from './survey-changes.ts';

/** Larger files count as changed without a comparison: the workspace itself has no more space. */
const COMPARED_BYTES_MAX = 512 * 1024 * 1024;

/**
 * Writes changes from the head into the workspace of a session: first it checks for conflicts with unreported changes,
 * then it writes.
 */
export class Patcher {
  readonly #root: string;
  readonly #reported: Map<string, BaselineEntry>;
  #checks: CheckedPath[] = [];
  #open: IncomingFile | null = null;

  /** @param reported the state of the workspace that the adapter has; kept up to date here */
  constructor(root: string, reported: Map<string, BaselineEntry>) {
    this.#root = root;
    this.#reported = reported;
  }

  /** Adds paths that are to be written. With `last`, returns those of all added paths that have unreported changes. */
  check(paths: readonly CheckedPath[], last: boolean): string[] | null {
    this.#checks.push(...paths);
    if (!last) return null;
    const checks = this.#checks;
    this.#checks = [];
    const deleted = new Set(checks.filter(({ gone }) => gone).map(({ path }) => path));
    const conflicts: string[] = [];
    for (const { path } of checks) {
      if (this.#hasUnreportedChange(path, deleted) && conflicts.length < CONFLICTS_MAX) conflicts.push(path);
    }
    return conflicts;
  }

  /**
   * Writes or deletes one entry. Throws AgentFault when the workspace is full, FrameError when the entry can't come
   * now.
   */
  apply(path: string, after: EntryHead | null, bytes: Buffer): void {
    if (this.#open) throw new FrameError('an entry comes out of turn');
    this.#removeEntry(path, after?.kind === 'dir');
    if (after === null) {
      this.#reported.delete(path);
      return;
    }
    if (after.kind !== 'file') this.#reported.set(path, after);
    withSpace(() => {
      const absolute = join(this.#root, path);
      mkdirSync(after.kind === 'dir' ? absolute : dirname(absolute), { recursive: true });
      if (after.kind === 'symlink') symlinkSync(after.target, absolute);
      if (after.kind !== 'file') return;
      this.#open = new IncomingFile(absolute, after);
      this.#append(bytes);
    });
  }

  /** Whether a file is incomplete. */
  get isOpen(): boolean {
    return this.#open !== null;
  }

  /** Adds the next chunk of the open file. */
  data(bytes: Buffer): void {
    if (!this.#open) throw new FrameError('content comes without a file');
    withSpace(() => this.#append(bytes));
  }

  #hasUnreportedChange(path: string, deleted: ReadonlySet<string>): boolean {
    const reported = this.#reported.get(path);
    const current = currentEntry(this.#root, path, reported, COMPARED_BYTES_MAX);
    if (current === null) return reported !== undefined;
    if (current !== 'same') return true;
    // A directory is deleted only with all its entries.
    return (
      reported?.kind === 'dir' &&
      deleted.has(path) &&
      readdirSync(join(this.#root, path)).some((name) => !deleted.has(`${path}/${name}`))
    );
  }

  /**
   * Removes the entry at a path, which the adapter has. Deepest entries come first, so directories are empty by then.
   */
  #removeEntry(path: string, forDirectory: boolean): void {
    const absolute = join(this.#root, path);
    try {
      if (!lstatSync(absolute).isDirectory()) unlinkSync(absolute);
      else if (!forDirectory) rmdirSync(absolute);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error;
    }
  }

  #append(bytes: Buffer): void {
    const completed = this.#open?.append(bytes) ?? null;
    if (this.#open === null || completed === null) return;
    this.#reported.set(this.#open.path, completed);
    this.#open = null;
  }
}
