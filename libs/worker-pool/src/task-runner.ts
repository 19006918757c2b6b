// SPDX-License-Identifier: Apache-2.0
import type { MessagePort } from 'node:worker_threads';
import type { InputOf, OutputOf, TaskTable } from './task-table.ts';

export interface WorkerPoolOptions {
  /** the worker program; its default export is what `serveTasks` returns */
  readonly filename: URL;
  /** at least 2, so that one tenant always leaves a thread to others */
  readonly threads: number;
  /**
   * old-space limit of each thread, in MiB; it covers neither buffers nor WebAssembly, so `inputBytesMax` bounds inputs
   */
  readonly heapMb: number;
  /** queued tasks of one tenant; one more is refused with `overloaded` */
  readonly queuedPerTenant: number;
  /** queued tasks of all tenants */
  readonly queued: number;
  /** limit on the input of a task, in bytes, by the task's name; `INPUT_BYTES_MAX` for a task without an entry */
  readonly inputBytesMax?: Readonly<Record<string, number>>;
}

export interface TaskOptions {
  readonly tenantId: string;
  /**
   * limit on the run time of the task, in milliseconds, from its start on a thread; waiting for a thread doesn't count
   */
  readonly wallMs: number;
  /** limit on the wait for a thread, in milliseconds; without it, the task waits as long as its caller */
  readonly waitMs?: number;
  /** ends the task and the thread that runs it */
  readonly signal?: AbortSignal;
  /** ports of the input, which move to the thread: for a task that asks for more while it runs */
  readonly transfer?: readonly MessagePort[];
}

export interface TaskRunnerStats {
  readonly running: number;
  readonly queued: number;
  /** tasks that were stopped because they exceeded their limit of time or memory */
  readonly ended_by_budget: number;
  /** milliseconds that threads were busy, by task name; includes tasks that were stopped or failed */
  readonly busy_ms: Readonly<Record<string, number>>;
}

/** Runs tasks whose cost depends on the caller's input. */
export abstract class TaskRunner<Tasks extends TaskTable> {
  /**
   * Runs one task for one tenant. Implementations MUST clone input and output, and MUST keep neither. Faults of the
   * task arrive unchanged; its bugs arrive as plain errors.
   * @throws Fault `limit.exceeded` for a task that exceeds its budget; `overloaded` if a queue is full, or the task
   * waits too long
   */
  abstract run<K extends keyof Tasks & string>(
    task: K,
    input: InputOf<Tasks, K>,
    options: TaskOptions,
  ): Promise<OutputOf<Tasks, K>>;
  abstract stats(): TaskRunnerStats;
  /** Accepts no new tasks and stops the running ones. */
  abstract close(): Promise<void>;
}
