// SPDX-License-Identifier: Apache-2.0
import { InlineTaskRunner, type TaskTable } from '@writ/worker-pool';
import { ROUTES } from '../api/routes.ts';
import { IMPORT_TASKS } from '../api/tools/import-tasks.ts';
import { CALL_TASKS } from '../calls/call-tasks.ts';
import { edgeTasks } from '../edge/work/edge-tasks.ts';
import { WorkerTasks } from '../edge/work/worker-tasks.ts';
import { TURN_TASKS } from '../runs/turns/turn-tasks.ts';

/** Runs tasks on the calling thread, on copies of their inputs, as worker threads would get them. */
export const inlineTasks = new WorkerTasks(
  new InlineTaskRunner<TaskTable>({ ...edgeTasks(ROUTES), ...CALL_TASKS, ...IMPORT_TASKS, ...TURN_TASKS }),
);
