// SPDX-License-Identifier: Apache-2.0
import { failureReply, valueOf, type WorkReply } from './message.ts';
import { Work, type WorkOptions, type WorkStats } from './ports.ts';
import type { InputOf, OutputOf, TaskTable } from './task-table.ts';

/**
 * Runs tasks where it is asked, without budgets: for programs of one user and for specs. A service of several tenants
 * MUST have a WorkerPool.
 */
export class InlineWork<Tasks extends TaskTable> extends Work<Tasks> {
  readonly #tasks: Tasks;

  constructor(tasks: Tasks) {
    super();
    this.#tasks = tasks;
  }

  override async run<K extends keyof Tasks & string>(
    task: K,
    input: InputOf<Tasks, K>,
    { signal }: WorkOptions,
  ): Promise<OutputOf<Tasks, K>> {
    signal?.throwIfAborted();
    return structuredClone(valueOf(task, await this.#reply(task, input))) as OutputOf<Tasks, K>;
  }

  override stats(): WorkStats {
    return { running: 0, queued: 0, ended_by_budget: 0, busy_ms: {} };
  }

  override async close(): Promise<void> {
    // Nothing is under way once its callers are gone.
  }

  async #reply(task: string, input: unknown): Promise<WorkReply> {
    try {
      return { ok: true, value: await this.#tasks[task]?.(structuredClone(input) as never) };
    } catch (error) {
      return failureReply(error);
    }
  }
}
