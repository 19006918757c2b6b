// SPDX-License-Identifier: Apache-2.0
import { WorkerPool } from '@writ/worker-pool';
import type { OrchestratorTasks } from '../orchestrator.worker.ts';

/** The worker threads of this service, for work whose cost the caller's input decides. */
export class OrchestratorPool extends WorkerPool<OrchestratorTasks> {}
