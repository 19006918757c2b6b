// SPDX-License-Identifier: Apache-2.0
import type { Pool } from '@writ/database';
import type { LifetimePlan } from '@writ/nest-kit';
import { setTimeout as sleep } from 'node:timers/promises';

interface Stopping {
  stopAll(): void;
}
/** `drain` ends what can end at once and lets nothing new begin; `close` ends the rest. */
interface Closing {
  drain?(): void;
  close(): Promise<void>;
}

/**
 * How an executor shuts down: it accepts nothing new, lets calls finish for a while, releases the rest for other
 * executors, and removes every container.
 * @param drainMs milliseconds for which running calls may finish by themselves
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
