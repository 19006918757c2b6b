// SPDX-License-Identifier: Apache-2.0
import { parseMessage, Task, TASK_CREATE } from '@writ/contract';

/** A committed call that created or changed a task. */
export interface TaskChange {
  readonly operation_id: string;
  readonly tool_id: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * The tasks that result from the calls, in the order of their creation. INVARIANT (said once): the calls are a task's
 * only state, so it can't differ from what was recorded, and erasing the calls erases the tasks.
 *
 * @param changes in the order in which they were committed; a change of a task whose creation isn't among them (erased)
 * is ignored
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

/** Ignores fields that a newer version may have accepted. */
function changed({ task_id, ...before }: Task, edit: Readonly<Record<string, unknown>>): Task {
  const { title, note, status } = { ...before, ...edit };
  return parseMessage(Task, { task_id, title, note, status });
}
