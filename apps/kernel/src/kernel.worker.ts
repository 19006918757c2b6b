// SPDX-License-Identifier: Apache-2.0
// The worker program of the kernel: the tasks of its threads. A task keeps nothing of its input, since the next one is
// another tenant's.
import { serveTasks } from '@writ/worker-pool/thread';
import { executionTasks } from './execution/worker-tasks.ts';
import { judgingTasks } from './judging/worker-tasks.ts';
import { managementTasks } from './management/worker-tasks.ts';

export const kernelTasks = { ...judgingTasks, ...executionTasks, ...managementTasks };
export type KernelTasks = typeof kernelTasks;

export default serveTasks(kernelTasks);
