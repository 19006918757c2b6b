// SPDX-License-Identifier: Apache-2.0
import { parentPort } from 'node:worker_threads';
import { failureReply, type TaskMessage, type TaskReply, type TaskStarted } from './message.ts';
import type { TaskTable } from './task-table.ts';

/**
 * Makes the handler that a worker program exports by default. Tasks MUST keep nothing of their input in the thread,
 * because the next task is another tenant's.
 *
 *     export default serveTasks({ 'text.count': ({ text }: { text: string }) => text.length });
 */
export function serveTasks<T extends TaskTable>(tasks: T): (message: TaskMessage) => Promise<TaskReply> {
  return async ({ id, task, input }) => {
    const started: TaskStarted = { started: id };
    // The pool receives it while this thread still computes.
    parentPort?.postMessage(started);
    try {
      const run = Object.hasOwn(tasks, task) ? tasks[task] : undefined;
      if (run === undefined) throw new Error(`the worker program has no task \`${task}\``);
      return { ok: true, value: await run(input as never) };
    } catch (error) {
      return failureReply(error);
    }
  };
}
