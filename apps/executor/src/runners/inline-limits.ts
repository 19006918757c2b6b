// SPDX-License-Identifier: Apache-2.0
import type { CallLimits } from '@writ/contract';
import type { BlobReader } from '@writ/blobs';

/** A call has used more than it may: of what, and how much that was. */
export class LimitReached extends Error {
  constructor(dimension: 'wall_ms' | 'cpu_ms' | 'disk_write_bytes', most: number) {
    super(`the call used more than its \`${dimension}\` of ${most}`);
    this.name = 'LimitReached';
  }
}

/**
 * Throws LimitReached when a call has taken longer than it may. It runs on the executor's own processor, and what part of the time that was busy for it
 * nobody can tell: its time bounds both.
 */
export function verifyTime(elapsedMs: number, { wall_ms, cpu_ms }: CallLimits): void {
  if (elapsedMs > wall_ms) throw new LimitReached('wall_ms', wall_ms);
  if (elapsedMs > cpu_ms) throw new LimitReached('cpu_ms', cpu_ms);
}

/** Throws LimitReached when a call is to store more than it may. */
export function verifyWritten(bytes: number, { disk_write_bytes }: CallLimits): void {
  if (bytes > disk_write_bytes) throw new LimitReached('disk_write_bytes', disk_write_bytes);
}

/** The reader, as long as there is time: a tool that goes through many files stops at the next one. */
export const timedReader = (reader: BlobReader, verify: () => void): BlobReader => async (sha256) => {
  verify();
  return await reader(sha256);
};
