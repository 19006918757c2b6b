// SPDX-License-Identifier: Apache-2.0
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { withSpace } from './unpack.ts';

/**
 * The job's standard input, in a file without a name. A pipe would do for most programs, but one that opens
 * `/dev/stdin` by name after its writer has finished would wait forever.
 */
export class StdinFile {
  readonly #fd: number;

  constructor(parent: string) {
    const folder = mkdtempSync(join(parent, '.writ-'));
    this.#fd = openSync(join(folder, 'stdin'), 'wx+', 0o600);
    rmSync(folder, { recursive: true });
  }

  append(bytes: Buffer): void {
    withSpace(() => {
      for (let at = 0; at < bytes.length;) at += writeSync(this.#fd, bytes, at);
    });
  }

  /** A read-only descriptor for the job, at the beginning of the file. The caller closes it. */
  open(): number {
    return openSync(`/proc/self/fd/${this.#fd}`, 'r');
  }

  close(): void {
    closeSync(this.#fd);
  }
}
