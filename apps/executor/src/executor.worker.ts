// SPDX-License-Identifier: Apache-2.0
// The worker program of this service: what its threads run. Tasks keep nothing of their input, for the next one is
// another tenant's.
import { serveTasks } from '@writ/worker-pool/thread';
import { ARGUMENT_TASKS } from './attempts/argument-tasks.ts';
import { SECRET_TASKS } from './redaction/secret-tasks.ts';
import { FILE_TASKS } from './calls/file-tasks.ts';

export const executorTasks = { ...ARGUMENT_TASKS, ...FILE_TASKS, ...SECRET_TASKS };
export type ExecutorTasks = typeof executorTasks;

export default serveTasks(executorTasks);
