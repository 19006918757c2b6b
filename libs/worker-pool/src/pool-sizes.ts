// SPDX-License-Identifier: Apache-2.0
import { availableParallelism } from 'node:os';
import type { WorkerPoolOptions } from './ports.ts';

/** Threads of one service at most: more of them only take turns on the processors, and each may hold `heapMb`. */
const THREADS_MAX = 8;
/** Old space of a thread, in MiB: the trees of the largest command and the largest arguments fit several times. */
const HEAP_MB = 256;
/** Work of one tenant that waits: some seconds of it, at the budgets that are usual. */
const QUEUED_PER_TENANT = 32;
/** Work of all tenants that waits: what its inputs take stays far below the memory of a service. */
const QUEUED = 256;

/** The sizes of a service's pool: a thread for each processor, and two at least. */
export const poolSizes = (): Omit<WorkerPoolOptions, 'filename'> => ({
  threads: Math.min(THREADS_MAX, Math.max(2, availableParallelism())),
  heapMb: HEAP_MB,
  queuedPerTenant: QUEUED_PER_TENANT,
  queued: QUEUED,
});
