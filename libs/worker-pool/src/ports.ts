// SPDX-License-Identifier: Apache-2.0
import type { InputOf, OutputOf, TaskTable } from './task-table.ts';

export interface WorkerPoolOptions {
  /** the worker program; its default export is what `serveTasks` returns */
  readonly filename: URL;
  /** at least 2, so that one tenant leaves a thread to the others */
  readonly threads: number;
  /**
   * old-space bound of each thread, in MiB; it bounds neither buffers nor WebAssembly, so inputs are bounded by
   * `inputBytesMax`
   */
  readonly heapMb: number;
  /** work of one tenant that waits; one more is refused with `overloaded` */
  readonly queuedPerTenant: number;
  /** work of all tenants that waits */
  readonly queued: number;
  /** bytes that the input of a task may hold, by the task's name; of a task that isn't named here, `INPUT_BYTES_MAX` */
  readonly inputBytesMax?: Readonly<Record<string, number>>;
}

export interface WorkOptions {
  readonly tenantId: string;
  /** milliseconds that the work may take, from its start on a thread; waiting for a thread doesn't count */
  readonly wallMs: number;
  /** milliseconds that the work may wait for a thread, where it waits for less than its caller does */
  readonly waitMs?: number;
  /** ends the work, and the thread that it runs on */
  readonly signal?: AbortSignal;
}

export interface WorkStats {
  readonly running: number;
  readonly queued: number;
  /** work that was ended since it used more time or memory than it may */
  readonly ended_by_budget: number;
  /** milliseconds that threads were busy with, by the name of the task: also with work that was ended or failed */
  readonly busy_ms: Readonly<Record<string, number>>;
}

/** Where tasks run whose cost the caller's input decides. */
export abstract class Work<Tasks extends TaskTable> {
  /**
   * Runs one task for one tenant. Implementations MUST clone input and output, and MUST keep nothing of either. Faults
   * of the task arrive as they were thrown; its bugs arrive as plain errors. @throws Fault `limit.exceeded` for work
   * beyond its budget, `overloaded` where too much waits, or it waits longer than it may
   */
  abstract run<K extends keyof Tasks & string>(
    task: K,
    input: InputOf<Tasks, K>,
    options: WorkOptions,
  ): Promise<OutputOf<Tasks, K>>;
  abstract stats(): WorkStats;
  /** Takes nothing new and ends what is under way. */
  abstract close(): Promise<void>;
}
