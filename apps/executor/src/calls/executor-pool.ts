// SPDX-License-Identifier: Apache-2.0
import { CALENDAR_LIMITS } from '@writ/calendar';
import { LIMITS } from '@writ/contract';
import { REPLY_BYTES_MAX as SPEECH_REPLY_BYTES_MAX } from '@writ/transcription-http';
import { WorkerPool, type WorkerPoolOptions } from '@writ/worker-pool';
import type { ExecutorTasks } from './worker-tasks.ts';

/** The worker threads of this service, for work whose cost the caller's input decides. */
export class ExecutorPool extends WorkerPool<ExecutorTasks> {}

/**
 * Old space of a thread for such sessions, in MiB: many times what a session may receive. A thread that runs
 * out of it can end its process, so that what a session collects is bounded before.
 */
const SESSION_HEAP_MB = 256;

/**
 * The sizes of the pool for sessions at mailboxes and MCP servers. Its threads mostly wait for servers, so that they
 * are apart from those that compute. Each broker call has one at most, and one tenant may have all calls: no session
 * waits. A pool has two at least, which start when a task comes: an executor without such calls starts none.
 * @param sessions at a time: of calls, and of what lists tools
 */
export function sessionPoolSizes(sessions: number): Omit<WorkerPoolOptions, 'filename'> {
  const threads = Math.max(2, sessions + 1);
  return { threads, heapMb: SESSION_HEAP_MB, queuedPerTenant: threads, queued: threads };
}

/** Bytes besides the contents: the arguments of the longest call at two bytes a character, and their member names. */
const EXTRA_BYTES = 4 * LIMITS.argsBytes.max;

/** The longest answer of a server of a store, in bytes: several times the hits of one query. */
export const STORE_ANSWER_BYTES_MAX = 8 * 1024 * 1024;

/** The input limits of tasks with whole files: the longest file, or the longest content of a delta. */
export const INPUT_BYTES_MAX = {
  'calendar.search': CALENDAR_LIMITS.bytes + EXTRA_BYTES,
  'fs.read': LIMITS.fileToolBytes.max + EXTRA_BYTES,
  'fs.edit': LIMITS.fileToolBytes.max + EXTRA_BYTES,
  // A character of a text counts two bytes.
  'store.hits': 2 * STORE_ANSWER_BYTES_MAX + EXTRA_BYTES,
  'transcript.read': SPEECH_REPLY_BYTES_MAX + EXTRA_BYTES,
  'secrets.find': LIMITS.deltaBytes.max + EXTRA_BYTES,
} as const;
