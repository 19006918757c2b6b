// SPDX-License-Identifier: Apache-2.0
import { LIMITS } from '@writ/contract';
import { WorkerPool } from '@writ/worker-pool';
import type { ExecutorTasks } from './worker-tasks.ts';

/** The worker threads of this service, for work whose cost the caller's input decides. */
export class ExecutorPool extends WorkerPool<ExecutorTasks> {}

/** What stands beside the contents: arguments of the longest call, two bytes a character, and their members. */
const BESIDE_BYTES = 4 * LIMITS.argsBytes.max;

/** Of tasks that take whole files: as long as the longest file, and the longest content of a delta. */
export const INPUT_BYTES_MAX = {
  'fs.read': LIMITS.fileToolBytes.max + BESIDE_BYTES,
  'fs.edit': LIMITS.fileToolBytes.max + BESIDE_BYTES,
  'secrets.find': LIMITS.deltaBytes.max + BESIDE_BYTES,
} as const;
