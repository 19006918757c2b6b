// SPDX-License-Identifier: Apache-2.0
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { FrameError, type EntryHead } from '@writ/sandbox';
import type { BaselineEntry } from './baseline.ts';
import { Fingerprint } from './fingerprint.ts';

/** What the modes of a snapshot are on disk. */
const MODES = { '644': 0o644, '755': 0o755 } as const;

/** A file that comes in chunks and is written as it comes. */
export class IncomingFile {
  readonly #head: Extract<EntryHead, { kind: 'file' }>;
  readonly #fd: number;
  readonly #fingerprint = new Fingerprint();
  #left: number;

  /** Makes it at the absolute path, where nothing may be. Throws what the system objects to. */
  constructor(path: string, head: Extract<EntryHead, { kind: 'file' }>) {
    this.#head = head;
    this.#left = head.size;
    this.#fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, MODES[head.mode]);
  }

  /** Where it stands in the workspace. */
  get path(): string {
    return this.#head.path;
  }

  /**
   * Writes the next chunk; the entry once the file is whole, and null before. Throws FrameError where more comes than
   * was announced, and what the system objects to.
   */
  append(bytes: Buffer): BaselineEntry | null {
    if (bytes.length > this.#left) throw new FrameError('a file is longer than announced');
    for (let at = 0; at < bytes.length;) at += writeSync(this.#fd, bytes, at);
    this.#fingerprint.update(bytes);
    this.#left -= bytes.length;
    if (this.#left > 0) return null;
    closeSync(this.#fd);
    const { mode, size } = this.#head;
    return { kind: 'file', mode, size, fingerprint: this.#fingerprint.digest() };
  }
}
