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

const failure = (code: FaultCode, message: string, hint: string): FileToolOutcome<never> => ({
  ok: false,
  code,
  message,
  hint,
});
const success = <R>(result: R): FileToolOutcome<R> => ({ ok: true, delta: null, blobs: [], result });

/**
 * Answers a call about tasks. The executor stores nothing: the kernel derives tasks from the committed calls of their
 * session. So a call changes a task when it is committed, and its result shows the task as this call sees it.
 */
export function runTaskTool({
  toolId,
  operationId,
  args,
  tasks,
}: Pick<Call, 'toolId' | 'operationId' | 'args' | 'tasks'>): FileToolOutcome<unknown> {
  if (tasks === undefined) throw new Error(`a call of \`${toolId}\` came without the tasks of its session`);
  const { items, changes } = tasks;
  const { task_id, any, ...members } = args as Partial<Task> & { readonly any?: true };
  if (toolId === TASK_LIST.tool_id)
    return success({ tasks: items.filter(({ status }) => members.status === undefined || status === members.status) });
  if (changes >= TASK_CHANGES_MAX)
    return failure(
      'limit.exceeded',
      `these tasks were changed ${TASK_CHANGES_MAX} times, which is as often as they may`,
      'go on in another session',
    );
  if (toolId === TASK_CREATE.tool_id) {
    if (items.length >= TASKS_MAX)
      return failure(
        'limit.exceeded',
        `the session has ${TASKS_MAX} tasks, which is as many as it may`,
        'change one with `task.edit`, or go on in another session',
      );
    return success({ task: { title: '', note: '', status: 'open', ...members, task_id: operationId } });
  }
  if (toolId !== TASK_EDIT.tool_id) throw new Error(`\`${toolId}\` is no tool of tasks`);
  const task = items.find((each) => each.task_id === task_id);
  if (task === undefined)
    return failure(
      'task.unknown',
      any === true ? `the tenant has no task \`${String(task_id)}\`` : `the session has no task \`${String(task_id)}\``,
      '`task.list` tells those that there are',
    );
  return success({ task: { ...task, ...members } });
}
