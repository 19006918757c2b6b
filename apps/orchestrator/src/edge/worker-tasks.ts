// SPDX-License-Identifier: Apache-2.0
import type { InputOf, OutputOf, Work } from '@writ/worker-pool';
import type { Tasks } from './tasks.ts';

/** The longest that each task may run, in milliseconds: many times what the largest input takes that means no harm. */
const WALL_MS: Readonly<Record<keyof Tasks, number>> = {
  'body.read': 5_000,
  'json.read': 5_000,
  'texts.compare': 10_000,
  'change.preview': 5_000,
  'delta.read': 5_000,
  'turn.read': 5_000,
  'turn.render': 5_000,
};

/** Whose share of the threads a request takes that comes with the platform key, or with none. */
export const NO_TENANT = 'platform';

/** Runs work off the event loop, each task under its budget and the share of the tenant that it is done for. */
export class WorkerTasks {
  readonly #work: Pick<Work<Tasks>, 'run'>;

  constructor(work: Pick<Work<Tasks>, 'run'>) {
    this.#work = work;
  }

  /** Faults: those of the task; `limit.exceeded` where it takes more time or memory than it may; `overloaded`. */
  async run<K extends keyof Tasks>(task: K, tenantId: string, input: InputOf<Tasks, K>): Promise<OutputOf<Tasks, K>> {
    return await this.#work.run(task, input, { tenantId, wallMs: WALL_MS[task] });
  }
}
