// SPDX-License-Identifier: Apache-2.0
import type { Pool } from '@writ/database';
import type { LifetimePlan } from '@writ/nest-kit';
import { setTimeout as sleep } from 'node:timers/promises';

interface Stopping {
  stopAll(): void;
}
/** `drain`: what can end at once does, and nothing new begins; `close` ends the rest. */
interface Closing {
  drain?(): void;
  close(): Promise<void>;
}

/**
 * How an executor ends: it takes nothing new, lets calls finish for a while, gives the rest back for other executors,
 * and leaves no container behind.
 * @param drainMs for so long calls that run may end by themselves
 */
export function drainCalls(
  running: Stopping,
  closing: readonly Closing[],
  pool: Pool,
  drainMs: number,
): NonNullable<LifetimePlan['drain']> {
  return async (stopWorkers) => {
    const stopped = stopWorkers();
    for (const each of closing) each.drain?.();
    await Promise.race([stopped, sleep(drainMs, undefined, { ref: false })]);
    running.stopAll();
    await Promise.all([stopped, ...closing.map((each) => each.close())]);
    await pool.end();
  };
}
