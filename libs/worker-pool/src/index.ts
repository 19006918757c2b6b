// SPDX-License-Identifier: Apache-2.0
export { inSlices, pacer, runInSlices, SLICE_MS, yieldNow } from './in-slices.ts';
export { InlineTaskRunner } from './inline-task-runner.ts';
export { TaskRunner, type WorkerPoolOptions, type TaskOptions, type TaskRunnerStats } from './task-runner.ts';
export type { InputOf, OutputOf, TaskTable } from './task-table.ts';
export { poolSizes } from './pool-sizes.ts';
export { watchPool } from './watch-pool.ts';
export { workerProgram } from './worker-program.ts';
export { WorkerPool } from './worker-pool.ts';
