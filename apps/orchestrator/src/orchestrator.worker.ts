// SPDX-License-Identifier: Apache-2.0
// The worker program of this service: what its threads run. Tasks keep nothing of their input, for the next one is
// another tenant's.
import { serveTasks } from '@writ/worker-pool/thread';
import { ROUTES } from './api/routes.ts';
import { CALL_TASKS } from './calls/tasks.ts';
import { edgeTasks } from './edge/work/tasks.ts';
import { TURN_TASKS } from './runs/turns/tasks.ts';

export default serveTasks({ ...edgeTasks(ROUTES), ...CALL_TASKS, ...TURN_TASKS });
