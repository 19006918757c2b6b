// SPDX-License-Identifier: Apache-2.0
import { CALENDAR_LIMITS } from '@writ/calendar';
import { LIMITS } from '@writ/contract';
import { WorkerPool } from '@writ/worker-pool';
import type { ExecutorTasks } from './worker-tasks.ts';

/** The worker threads of this service, for work whose cost the caller's input decides. */
export class ExecutorPool extends WorkerPool<ExecutorTasks> {}

/** Bytes besides the contents: the arguments of the longest call at two bytes a character, and their member names. */
const EXTRA_BYTES = 4 * LIMITS.argsBytes.max;

/** The input limits of tasks with whole files: the longest file, or the longest content of a delta. */
export const INPUT_BYTES_MAX = {
  'calendar.search': CALENDAR_LIMITS.bytes + EXTRA_BYTES,
  'fs.read': LIMITS.fileToolBytes.max + EXTRA_BYTES,
  'fs.edit': LIMITS.fileToolBytes.max + EXTRA_BYTES,
  'secrets.find': LIMITS.deltaBytes.max + EXTRA_BYTES,
} as const;
