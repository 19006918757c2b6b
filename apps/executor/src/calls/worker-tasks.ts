// SPDX-License-Identifier: Apache-2.0
import { ARGUMENT_TASKS } from './argument-tasks.ts';
import { SECRET_TASKS } from '../redaction/secret-tasks.ts';
import { FILE_TASKS } from './file-tasks.ts';

/** What the executor gives to worker threads, by its name. */
export const executorTasks = { ...ARGUMENT_TASKS, ...FILE_TASKS, ...SECRET_TASKS };

export type ExecutorTasks = typeof executorTasks;
