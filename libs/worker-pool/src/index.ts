// SPDX-License-Identifier: Apache-2.0
export { inSlices, pacer, runInSlices, SLICE_MS, yieldNow } from './in-slices.ts';
export { InlineWork } from './inline-work.ts';
export { Work, type WorkerPoolOptions, type WorkOptions, type WorkStats } from './ports.ts';
export type { InputOf, OutputOf, TaskTable } from './task-table.ts';
export { poolSizes } from './pool-sizes.ts';
export { watchPool } from './watch-pool.ts';
export { workerProgram } from './worker-program.ts';
export { WorkerPool } from './worker-pool.ts';
