// SPDX-License-Identifier: Apache-2.0
import { InlineWork } from '@writ/worker-pool';
import { TASKS } from '../work/tasks.ts';
import { WorkerTasks } from '../work/worker-tasks.ts';

/** Runs tasks where they are asked for, on copies of their inputs, as threads would get them. */
export const inlineTasks = new WorkerTasks(new InlineWork(TASKS));
