// SPDX-License-Identifier: Apache-2.0
import { failureReply, valueOf, type TaskReply } from './message.ts';
import { TaskRunner, type TaskOptions, type TaskRunnerStats } from './task-runner.ts';
import type { InputOf, OutputOf, TaskTable } from './task-table.ts';

/**
 * Runs tasks on the calling thread, without budgets: for programs of one user and for specs. A service of several
 * tenants MUST use a WorkerPool.
 */
export class InlineTaskRunner<Tasks extends TaskTable> extends TaskRunner<Tasks> {
  readonly #tasks: Tasks;

  constructor(tasks: Tasks) {
    super();
    this.#tasks = tasks;
  }

  override async run<K extends keyof Tasks & string>(
    task: K,
    input: InputOf<Tasks, K>,
    { signal, transfer }: TaskOptions,
  ): Promise<OutputOf<Tasks, K>> {
    signal?.throwIfAborted();
    return structuredClone(valueOf(task, await this.#reply(task, input, transfer))) as OutputOf<Tasks, K>;
  }

  override stats(): TaskRunnerStats {
    return { running: 0, queued: 0, ended_by_budget: 0, busy_ms: {} };
  }

  override async close(): Promise<void> {
    // No task runs once its callers are gone.
  }

  async #reply(task: string, input: unknown, transfer: TaskOptions['transfer'] = []): Promise<TaskReply> {
    try {
      const cloned = structuredClone(input, { transfer: [...transfer] });
      return { ok: true, value: await this.#tasks[task]?.(cloned as never) };
    } catch (error) {
      return failureReply(error);
    }
  }
}
