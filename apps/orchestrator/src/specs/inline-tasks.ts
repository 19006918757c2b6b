// SPDX-License-Identifier: Apache-2.0
import { InlineWork, type TaskTable } from '@writ/worker-pool';
import { ROUTES } from '../api/routes.ts';
import { CALL_TASKS } from '../calls/tasks.ts';
import { edgeTasks } from '../edge/work/tasks.ts';
import { WorkerTasks } from '../edge/work/worker-tasks.ts';
import { TURN_TASKS } from '../runs/turns/tasks.ts';

/** Runs tasks where they are asked for, on copies of their inputs, as threads would get them. */
export const inlineTasks = new WorkerTasks(
  new InlineWork<TaskTable>({ ...edgeTasks(ROUTES), ...CALL_TASKS, ...TURN_TASKS }),
);
