// SPDX-License-Identifier: Apache-2.0
import type { InputOf, OutputOf, TaskTable, Work } from '@writ/worker-pool';

/** Whose share of the threads a request takes that comes with the platform key, or with none. */
export const NO_TENANT = 'platform';

/** Work that the threads do, as the event loop asks for it. The worker program has a function of that name. */
export interface Task<Input, Output> {
  readonly name: string;
  /** the longest that it may run, in milliseconds: many times what the largest input takes that means no harm */
  readonly wallMs: number;
  /** is never set: it only carries the types of the function */
  readonly signature?: (input: Input) => Output;
}

/** A task of a module's table. */
export const taskOf = <Tasks extends TaskTable, Name extends keyof Tasks & string>(
  name: Name,
  wallMs: number,
): Task<InputOf<Tasks, Name>, OutputOf<Tasks, Name>> => ({ name, wallMs });

/** Runs work off the event loop, each task under its budget and the share of the tenant that it is done for. */
export class WorkerTasks {
  readonly #work: Pick<Work<TaskTable>, 'run'>;

  constructor(work: Pick<Work<TaskTable>, 'run'>) {
    this.#work = work;
  }

  /** Faults: those of the task; `limit.exceeded` where it takes more time or memory than it may; `overloaded`. */
  async run<Input, Output>({ name, wallMs }: Task<Input, Output>, tenantId: string, input: Input): Promise<Output> {
    return (await this.#work.run(name, input as never, { tenantId, wallMs })) as Output;
  }
}
