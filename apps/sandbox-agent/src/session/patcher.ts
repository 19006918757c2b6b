// SPDX-License-Identifier: Apache-2.0
import { lstatSync, mkdirSync, readdirSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CONFLICTS_MAX, FrameError, type CheckedPath, type EntryHead } from '@writ/sandbox';
import type { BaselineEntry } from '../baseline.ts';
import { codeOf } from '../fault.ts';
import { IncomingFile } from '../incoming-file.ts';
import { withSpace } from '../unpack.ts';
import { look } from './survey.ts';

/** What is larger is not compared but taken for changed: the workspace itself has no more. */
const COMPARED_BYTES_MAX = 512 * 1024 * 1024;

/**
 * Brings what changed elsewhere into the workspace of a session: first asks whether anything untold stands in the way,
 * then writes.
 */
export class Patcher {
  readonly #root: string;
  readonly #told: Map<string, BaselineEntry>;
  #checks: CheckedPath[] = [];
  #open: IncomingFile | null = null;

  /** @param told what stands in the workspace, as the adapter knows it; kept up to date here */
  constructor(root: string, told: Map<string, BaselineEntry>) {
    this.#root = root;
    this.#told = told;
  }

  /**
   * Takes paths that are about to be written; with `last` answers those of all at which something was changed and not
   * told yet.
   */
  check(paths: readonly CheckedPath[], last: boolean): string[] | null {
    this.#checks.push(...paths);
    if (!last) return null;
    const checks = this.#checks;
    this.#checks = [];
    const going = new Set(checks.filter(({ gone }) => gone).map(({ path }) => path));
    const conflicts: string[] = [];
    for (const { path } of checks) {
      if (this.#isUntold(path, going) && conflicts.length < CONFLICTS_MAX) conflicts.push(path);
    }
    return conflicts;
  }

  /**
   * Writes one entry, or takes it away. Throws AgentFault when the workspace is full, FrameError when it can't come
   * now.
   */
  apply(path: string, after: EntryHead | null, bytes: Buffer): void {
    if (this.#open) throw new FrameError('an entry comes out of turn');
    this.#clear(path, after?.kind === 'dir');
    if (after === null) {
      this.#told.delete(path);
      return;
    }
    if (after.kind !== 'file') this.#told.set(path, after);
    withSpace(() => {
      const absolute = join(this.#root, path);
      mkdirSync(after.kind === 'dir' ? absolute : dirname(absolute), { recursive: true });
      if (after.kind === 'symlink') symlinkSync(after.target, absolute);
      if (after.kind !== 'file') return;
      this.#open = new IncomingFile(absolute, after);
      this.#append(bytes);
    });
  }

  /** Whether a file is still to be continued. */
  get isOpen(): boolean {
    return this.#open !== null;
  }

  /** The next chunk of the file that is open. */
  data(bytes: Buffer): void {
    if (!this.#open) throw new FrameError('content comes without a file');
    withSpace(() => this.#append(bytes));
  }

  #isUntold(path: string, going: ReadonlySet<string>): boolean {
    const told = this.#told.get(path);
    const seen = look(this.#root, path, told, COMPARED_BYTES_MAX);
    if (seen === null) return told !== undefined;
    if (seen !== 'same') return true;
    // A directory goes only with all that is in it.
    return (
      told?.kind === 'dir' &&
      going.has(path) &&
      readdirSync(join(this.#root, path)).some((name) => !going.has(`${path}/${name}`))
    );
  }

  /**
   * Makes room: what stood there was told, so it is known elsewhere. Deepest entries come first, so directories are
   * empty by then.
   */
  #clear(path: string, forDirectory: boolean): void {
    const absolute = join(this.#root, path);
    try {
      if (!lstatSync(absolute).isDirectory()) unlinkSync(absolute);
      else if (!forDirectory) rmdirSync(absolute);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error;
    }
  }

  #append(bytes: Buffer): void {
    const whole = this.#open?.append(bytes) ?? null;
    if (this.#open === null || whole === null) return;
    this.#told.set(this.#open.path, whole);
    this.#open = null;
  }
}
