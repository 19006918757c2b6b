// SPDX-License-Identifier: Apache-2.0 The program of this service's worker threads. Tasks keep nothing of their input,
// because the next one may be another tenant's.
import { serveTasks } from '@writ/worker-pool/thread';
import { ROUTES } from './api/routes.ts';
import { IMPORT_TASKS } from './api/tools/import-tasks.ts';
import { CALL_TASKS } from './calls/call-tasks.ts';
import { edgeTasks } from './edge/work/edge-tasks.ts';
import { TURN_TASKS } from './runs/turns/turn-tasks.ts';

export default serveTasks({ ...edgeTasks(ROUTES), ...CALL_TASKS, ...IMPORT_TASKS, ...TURN_TASKS });
