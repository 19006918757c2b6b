// SPDX-License-Identifier: Apache-2.0
import {
  TASK_CHANGES_MAX,
  TASK_CREATE,
  TASK_EDIT,
  TASK_LIST,
  TASKS_MAX,
  type FaultCode,
  type Task,
} from '@writ/contract';
import type { FileToolOutcome } from '@writ/workspace';
import type { Call } from '../calls/runner.ts';

const no = (code: FaultCode, message: string, hint: string): FileToolOutcome<never> => ({
  ok: false,
  code,
  message,
  hint,
});
const said = <R>(result: R): FileToolOutcome<R> => ({ ok: true, delta: null, blobs: [], result });

/**
 * Answers a call about tasks. Nothing is kept here: a task is what the committed calls of its session say, so a call
 * changes one by being committed, and what is answered is how it looks from this call.
 */
export function runTaskTool({
  toolId,
  operationId,
  args,
  tasks,
}: Pick<Call, 'toolId' | 'operationId' | 'args' | 'tasks'>): FileToolOutcome<unknown> {
  if (tasks === undefined) throw new Error(`a call of \`${toolId}\` came without the tasks of its session`);
  const { items, changes } = tasks;
  const { task_id, ...said_of } = args as Partial<Task>;
  if (toolId === TASK_LIST.tool_id)
    return said({ tasks: items.filter(({ status }) => said_of.status === undefined || status === said_of.status) });
  if (changes >= TASK_CHANGES_MAX)
    return no(
      'limit.exceeded',
      `tasks of the session were changed ${TASK_CHANGES_MAX} times, which is as often as they may`,
      'go on in another session',
    );
  if (toolId === TASK_CREATE.tool_id) {
    if (items.length >= TASKS_MAX)
      return no(
        'limit.exceeded',
        `the session has ${TASKS_MAX} tasks, which is as many as it may`,
        'change one with `task.edit`, or go on in another session',
      );
    return said({ task: { title: '', note: '', status: 'open', ...said_of, task_id: operationId } });
  }
  if (toolId !== TASK_EDIT.tool_id) throw new Error(`\`${toolId}\` is no tool of tasks`);
  const task = items.find((each) => each.task_id === task_id);
  if (task === undefined)
    return no(
      'task.unknown',
      `the session has no task \`${String(task_id)}\``,
      '`task.list` tells those that there are',
    );
  return said({ task: { ...task, ...said_of } });
}
