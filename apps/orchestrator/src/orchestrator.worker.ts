// SPDX-License-Identifier: Apache-2.0
// The worker program of this service: what its threads run. Tasks keep nothing of their input, for the next one is
// another tenant's.
import { serveTasks } from '@writ/worker-pool/thread';
import { TASKS } from './edge/tasks.ts';

export const orchestratorTasks = TASKS;
export type OrchestratorTasks = typeof orchestratorTasks;

export default serveTasks(orchestratorTasks);
