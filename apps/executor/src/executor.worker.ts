// SPDX-License-Identifier: Apache-2.0
// The worker program of this service: what its threads run. Tasks keep nothing of their input, for the next one is
// another tenant's.
import { serveTasks } from '@writ/worker-pool/thread';
import { executorTasks } from './calls/worker-tasks.ts';

export default serveTasks(executorTasks);
