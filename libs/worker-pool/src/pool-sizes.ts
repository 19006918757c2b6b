// SPDX-License-Identifier: Apache-2.0
import { availableParallelism } from 'node:os';
import type { WorkerPoolOptions } from './task-runner.ts';

/** Bound on the threads of a service: more only compete for the processors, and each may hold `heapMb`. */
const THREADS_MAX = 8;
/** Old space of a thread, in MiB. The trees of the largest command and the largest arguments fit several times. */
const HEAP_MB = 256;
/** Queued tasks of one tenant: some seconds of work at the usual budgets. */
const QUEUED_PER_TENANT = 32;
/** Queued tasks of all tenants. Their inputs stay far below the memory of a service. */
const QUEUED = 256;

/** The sizes of a service's pool: one thread per processor, and at least two. */
export const poolSizes = (): Omit<WorkerPoolOptions, 'filename'> => ({
  threads: Math.min(THREADS_MAX, Math.max(2, availableParallelism())),
  heapMb: HEAP_MB,
  queuedPerTenant: QUEUED_PER_TENANT,
  queued: QUEUED,
});
