// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@writ/contract';
import type { InputOf, OutputOf, TaskTable, TaskRunner } from '@writ/worker-pool';

/** The worker threads for one call, within its tenant's share and while the call runs. */
export interface CallWork<Tasks extends TaskTable> {
  /**
   * Runs a task for `wallMs` at most.
   * @throws Fault `limit.exceeded` past that; the signal's reason when the call must stop
   */
  run<K extends keyof Tasks & string>(task: K, input: InputOf<Tasks, K>, wallMs: number): Promise<OutputOf<Tasks, K>>;
}

/** Milliseconds between two tries while the pool is full. */
const PAUSE_MS = 50;

/**
 * The worker threads for one call. While too much of the tenant's work is queued, the call waits as long as its own
 * time lasts.
 */
export const callWork = <Tasks extends TaskTable>(
  work: TaskRunner<Tasks>,
  tenantId: string,
  signal: AbortSignal,
): CallWork<Tasks> => new PooledCall(work, tenantId, signal);

class PooledCall<Tasks extends TaskTable> implements CallWork<Tasks> {
  readonly #work: TaskRunner<Tasks>;
  readonly #tenantId: string;
  readonly #signal: AbortSignal;

  constructor(work: TaskRunner<Tasks>, tenantId: string, signal: AbortSignal) {
    this.#work = work;
    this.#tenantId = tenantId;
    this.#signal = signal;
  }

  async run<K extends keyof Tasks & string>(
    task: K,
    input: InputOf<Tasks, K>,
    wallMs: number,
  ): Promise<OutputOf<Tasks, K>> {
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
        })) as OutputOf<Tasks, K>;
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== 'overloaded') throw error;
        await sleep(PAUSE_MS, undefined, { signal: this.#signal });
      }
    }
  }
}
