// SPDX-License-Identifier: Apache-2.0
// The worker program of this service: the tasks of its threads. Tasks keep nothing of their input, because the next
// input belongs to another tenant.
import { serveTasks } from '@writ/worker-pool/thread';
import { executorTasks } from './calls/worker-tasks.ts';

export default serveTasks(executorTasks);
