// SPDX-License-Identifier: Apache-2.0
import type { InputOf, OutputOf, TaskTable, TaskRunner } from '@writ/worker-pool';

/** Requests with the platform key, or without a key, use this share of the threads. */
export const NO_TENANT = 'platform';

/** A task that the event loop submits to the threads. The worker program has a function of this name. */
export interface Task<Input, Output> {
  readonly name: string;
  /** its time limit in milliseconds: many times what the largest legitimate input needs */
  readonly wallMs: number;
  /** never set; only carries the types of the function */
  readonly signature?: (input: Input) => Output;
}

/** A task of a module's table. */
export const taskOf = <Tasks extends TaskTable, Name extends keyof Tasks & string>(
  name: Name,
  wallMs: number,
): Task<InputOf<Tasks, Name>, OutputOf<Tasks, Name>> => ({ name, wallMs });

/** Runs work off the event loop, each task under its time limit and its tenant's share of the threads. */
export class WorkerTasks {
  readonly #work: Pick<TaskRunner<TaskTable>, 'run'>;

  constructor(work: Pick<TaskRunner<TaskTable>, 'run'>) {
    this.#work = work;
  }

  /** Faults: those of the task; `limit.exceeded` where it takes more time or memory than it may; `overloaded`. */
  async run<Input, Output>({ name, wallMs }: Task<Input, Output>, tenantId: string, input: Input): Promise<Output> {
    return (await this.#work.run(name, input as never, { tenantId, wallMs })) as Output;
  }
}
