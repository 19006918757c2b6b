// SPDX-License-Identifier: Apache-2.0
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { FrameError, type EntryHead } from '@writ/sandbox';
import type { BaselineEntry } from './baseline.ts';
import { Fingerprint } from './fingerprint.ts';

/** The file modes on disk for the modes of a snapshot. */
const MODES = { '644': 0o644, '755': 0o755 } as const;

/** A file that arrives in chunks and is written as it arrives. */
export class IncomingFile {
  readonly #head: Extract<EntryHead, { kind: 'file' }>;
  readonly #fd: number;
  readonly #fingerprint = new Fingerprint();
  #left: number;

  /** Creates the file at the absolute path, which must not exist. Throws the system's error. */
  constructor(path: string, head: Extract<EntryHead, { kind: 'file' }>) {
    this.#head = head;
    this.#left = head.size;
    this.#fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, MODES[head.mode]);
  }

  /** Its path in the workspace. */
  get path(): string {
    return this.#head.path;
  }

  /**
   * Writes the next chunk; returns the entry once the file is complete, and null before. Throws FrameError for more
   * bytes than announced, and the system's errors.
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
