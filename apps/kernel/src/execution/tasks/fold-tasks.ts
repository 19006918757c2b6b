// SPDX-License-Identifier: Apache-2.0
import { parseMessage, Task, TASK_CREATE } from '@writ/contract';

/** A call that made or changed a task, and was committed. */
export interface TaskChange {
  readonly operation_id: string;
  readonly tool_id: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * The tasks that the calls leave, in the order in which they were made. INVARIANT (said once): nothing else is a task's
 * state, so it can't differ from what was recorded, and what is erased of the calls is gone of the tasks.
 *
 * @param changes in the order in which they were committed; one of a task whose making isn't among them (erased) says
 * nothing
 */
export function foldTasks(changes: readonly TaskChange[]): Task[] {
  const tasks = new Map<string, Task>();
  for (const { operation_id, tool_id, args } of changes) {
    const isNew = tool_id === TASK_CREATE.tool_id;
    const before = isNew
      ? { task_id: operation_id, title: '', note: '', status: 'open' as const }
      : tasks.get(String(args['task_id']));
    if (before !== undefined) tasks.set(before.task_id, changed(before, args));
  }
  return [...tasks.values()];
}

/** What a newer version may have let a call say besides is left out. */
function changed({ task_id, ...before }: Task, said: Readonly<Record<string, unknown>>): Task {
  const { title, note, status } = { ...before, ...said };
  return parseMessage(Task, { task_id, title, note, status });
}
