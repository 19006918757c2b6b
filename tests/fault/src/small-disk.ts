// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Why a disk of a test's own can't be had here; null where it can. */
export function whyNoSmallDisk(): string | null {
  if (process.getuid?.() !== 0) return 'mounting needs root';
  return spawnSync('mount', ['--version']).status === 0 ? null : 'there is no program `mount`';
}

const PAGE = Buffer.alloc(4_096);

/** A disk of a test's own that is full when the test says so: real `ENOSPC` for whoever writes to it. */
export class SmallDisk {
  readonly folder: string;

  /** Mounts it at a folder that is made for it, owned by that user. */
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

  /** Takes all the room that is left. */
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

  /** Gives the room back. */
  makeRoom(): void {
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
