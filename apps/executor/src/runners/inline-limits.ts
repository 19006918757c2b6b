// SPDX-License-Identifier: Apache-2.0
import { Fault, type CallLimits } from '@writ/contract';

/** A call has exceeded a limit: the dimension and the limit. */
export class LimitReached extends Error {
  constructor(dimension: 'wall_ms' | 'cpu_ms' | 'disk_write_bytes', limit: number) {
    super(`the call used more than its \`${dimension}\` of ${limit}`);
    this.name = 'LimitReached';
  }
}

/**
 * Throws LimitReached when a call has taken longer than it may. The call runs on the executor's own processor, and its
 * share of that time can't be measured. So its wall time bounds both.
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

/** The message of an error that reports an exceeded limit; null for any other error. */
export function limitOf(error: unknown): string | null {
  return error instanceof LimitReached || (error instanceof Fault && error.code === 'limit.exceeded')
    ? error.message
    : null;
}
