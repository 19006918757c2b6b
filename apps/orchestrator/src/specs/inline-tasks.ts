// SPDX-License-Identifier: Apache-2.0
import { InlineWork } from '@writ/worker-pool';
import { TASKS } from '../edge/tasks.ts';
import { WorkerTasks } from '../edge/worker-tasks.ts';

/** Runs tasks where they are asked for, on copies of their inputs, as threads would get them. */
export const inlineTasks = new WorkerTasks(new InlineWork(TASKS));
