// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Why a test can't mount its own disk here; null where it can. */
export function whyNoSmallDisk(): string | null {
  if (process.getuid?.() !== 0) return 'mounting needs root';
  return spawnSync('mount', ['--version']).status === 0 ? null : 'there is no program `mount`';
}

const PAGE = Buffer.alloc(4_096);

/** A small disk for one test, which the test can fill: real `ENOSPC` for every writer. */
export class SmallDisk {
  readonly folder: string;

  /** Mounts it at a new folder, owned by that user. */
  constructor(folder: string, { kib, uid = 0 }: { readonly kib: number; readonly uid?: number }) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    const { status, stderr } = spawnSync(
      'mount',
      ['-t', 'tmpfs', '-o', `size=${kib}k,mode=0700,uid=${uid}`, 'tmpfs', folder],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`mounting a small disk: ${stderr}`);
  }

  /** Uses up the remaining space. */
  fill(): void {
    const fd = openSync(this.#filler, 'a');
    try {
      for (;;) writeSync(fd, PAGE);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }

  /** Frees the space. */
  freeSpace(): void {
    rmSync(this.#filler, { force: true });
  }

  remove(): void {
    if (existsSync(this.folder)) spawnSync('umount', ['-l', this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  get #filler(): string {
    return join(this.folder, 'filler');
  }
}
