// SPDX-License-Identifier: Apache-2.0
import { Fault, type CallLimits } from '@writ/contract';

/** A call has used more than it may: of what, and how much that was. */
export class LimitReached extends Error {
  constructor(dimension: 'wall_ms' | 'cpu_ms' | 'disk_write_bytes', most: number) {
    super(`the call used more than its \`${dimension}\` of ${most}`);
    this.name = 'LimitReached';
  }
}

/**
 * Throws LimitReached when a call has taken longer than it may. It runs on the executor's own processor, and what part
 * of the time that was busy for it nobody can tell: its time bounds both.
 */
export function verifyTime(elapsedMs: number, { wall_ms, cpu_ms }: CallLimits): void {
  if (elapsedMs > wall_ms) throw new LimitReached('wall_ms', wall_ms);
  if (elapsedMs > cpu_ms) throw new LimitReached('cpu_ms', cpu_ms);
}

/** Throws LimitReached when a call is to store more than it may. */
export function verifyWritten(bytes: number, { disk_write_bytes }: CallLimits): void {
  if (bytes > disk_write_bytes) throw new LimitReached('disk_write_bytes', disk_write_bytes);
}

/** Milliseconds that a call has left of its time. */
export const timeLeft = (elapsedMs: number, { wall_ms, cpu_ms }: CallLimits): number =>
  Math.max(1, Math.min(wall_ms, cpu_ms) - elapsedMs);

/** What a call has used too much of, in words, where that is what an error says; otherwise null. */
export function limitOf(error: unknown): string | null {
  return error instanceof LimitReached || (error instanceof Fault && error.code === 'limit.exceeded')
    ? error.message
    : null;
}
