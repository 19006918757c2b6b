// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@writ/contract';
import type { InputOf, OutputOf, Work } from '@writ/worker-pool';
import type { ExecutorTasks } from '../executor.worker.ts';

/** The worker threads, for one call: in its tenant's share, and no longer than the call goes on. */
export interface CallWork {
  /**
   * Runs a task for `wallMs` at most.
   * @throws Fault `limit.exceeded` past that; the signal's reason once the call is to stop
   */
  run<K extends keyof ExecutorTasks & string>(
    task: K,
    input: InputOf<ExecutorTasks, K>,
    wallMs: number,
  ): Promise<OutputOf<ExecutorTasks, K>>;
}

/** Between two offers to a pool that is full, in milliseconds. */
const PAUSE_MS = 50;

/** Where too much of the tenant's work waits already, a call waits as well, as long as its own time lasts. */
export const callWork = (work: Work<ExecutorTasks>, tenantId: string, signal: AbortSignal): CallWork =>
  new PooledCall(work, tenantId, signal);

class PooledCall implements CallWork {
  readonly #work: Work<ExecutorTasks>;
  readonly #tenantId: string;
  readonly #signal: AbortSignal;

  constructor(work: Work<ExecutorTasks>, tenantId: string, signal: AbortSignal) {
    this.#work = work;
    this.#tenantId = tenantId;
    this.#signal = signal;
  }

  async run<K extends keyof ExecutorTasks & string>(
    task: K,
    input: InputOf<ExecutorTasks, K>,
    wallMs: number,
  ): Promise<OutputOf<ExecutorTasks, K>> {
    const until = performance.now() + wallMs;
    for (;;) {
      const left = until - performance.now();
      if (left <= 0)
        throw new Fault(
          'limit.exceeded',
          `\`${task}\` waited longer than ${Math.round(wallMs)} ms for a thread: ask for less at once`,
        );
      try {
        return (await this.#work.run(task, input, {
          tenantId: this.#tenantId,
          wallMs: left,
          signal: this.#signal,
        })) as OutputOf<ExecutorTasks, K>;
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== 'overloaded') throw error;
        await sleep(PAUSE_MS, undefined, { signal: this.#signal });
      }
    }
  }
}
