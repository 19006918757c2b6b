// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (one work, one thread): a thread runs one task at a time. Whatever stops the task early (time, memory,
// cancellation, a crash) affects no other task.
// INVARIANT (room for others): one tenant uses at most all threads but one, its queue is bounded, and tenants
// take turns.
// INVARIANT (nothing to reach): threads have no environment variables and no shared memory.
import { Fault } from '@writ/contract';
import { FairLimiter } from '@writ/fairness';
import { Piscina } from 'piscina';
import { bytesOf } from './input-bytes.ts';
import { valueOf, type TaskMessage, type TaskReply, type TaskStarted } from './message.ts';
import { TaskRunner, type WorkerPoolOptions, type TaskOptions, type TaskRunnerStats } from './task-runner.ts';
import type { InputOf, OutputOf, TaskTable } from './task-table.ts';

/**
 * Default limit on the input of a task, in bytes. A larger input takes long to clone, and the threads' limits don't
 * cover buffers.
 */
const INPUT_BYTES_MAX = 16 * 1024 * 1024;
/**
 * How long an idle thread is kept, in milliseconds: a start takes some hundred, and a session's next call comes within
 * seconds.
 */
const IDLE_MS = 30_000;
/**
 * How long a thread may take to begin its task, in milliseconds: it loads its program first, on a machine that may be
 * busy.
 */
const START_MS = 30_000;
/**
 * V8's young generation, in MiB. Its default grows with the machine; this suffices for the short-lived objects of one
 * task.
 */
const YOUNG_MB = 32;
/**
 * The niceness of threads relative to the event loop, which renews leases and serves all callers. It has no effect
 * where the system doesn't support it.
 */
const NICE = 5;
/** Stack size of a thread, in MiB; the main thread has about one. */
const STACK_MB = 4;

/** Why a task was stopped before it was done. */
type StopReason = 'time' | 'start' | 'cancelled' | 'closed';

interface Turn {
  readonly id: number;
  readonly tenantId: string;
  /** called when the task may begin, or with the error that prevents it */
  begin: (problem?: Error) => void;
}

/** A pool of worker threads for tasks whose cost depends on the caller's input. `TaskRunner` describes the port. */
export class WorkerPool<Tasks extends TaskTable> extends TaskRunner<Tasks> {
  readonly #options: WorkerPoolOptions;
  readonly #threads: Piscina;
  readonly #limiter: FairLimiter<Turn>;
  readonly #waiting = new Set<Turn>();
  /** called when a task begins on its thread, by the id of the task */
  readonly #startCallbacks = new Map<number, () => void>();
  readonly #closing = new AbortController();
  #ids = 0;
  #running = 0;
  #endedByBudget = 0;
  readonly #busyMs = new Map<string, number>();

  /** Starts no thread yet. @throws RangeError for fewer than two threads, and for limits that aren't positive */
  constructor(options: WorkerPoolOptions) {
    super();
    const { threads, heapMb, queuedPerTenant, queued } = options;
    if (!Number.isInteger(threads) || threads < 2) {
      throw new RangeError(`a worker pool has at least 2 threads, and \`threads\` is ${threads}`);
    }
    for (const [name, value] of Object.entries({ heapMb, queuedPerTenant, queued })) {
      if (!(value > 0)) throw new RangeError(`\`${name}\` of a worker pool is greater than 0, and it is ${value}`);
    }
    this.#options = options;
    this.#limiter = new FairLimiter({
      places: threads,
      shared: threads,
      waitingMax: queuedPerTenant,
      perTenantMax: threads - 1,
    });
    this.#threads = new Piscina({
      filename: options.filename.href,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: IDLE_MS,
      concurrentTasksPerWorker: 1,
      env: {},
      argv: [],
      execArgv: execArgvOf(options.filename),
      trackUnmanagedFds: true,
      // A thread that waits in `Atomics.wait` runs no timers, and needs shared memory.
      atomics: 'disabled',
      recordTiming: false,
      niceIncrement: NICE,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_MB, stackSizeMb: STACK_MB },
    });
    this.#threads.on('message', (message: TaskStarted) => this.#startCallbacks.get(message.started)?.());
    // A thread that ends without a task affects no caller: the next task starts another thread.
    this.#threads.on('error', () => undefined);
  }

  override async run<K extends keyof Tasks & string>(
    task: K,
    input: InputOf<Tasks, K>,
    options: TaskOptions,
  ): Promise<OutputOf<Tasks, K>> {
    const { tenantId, signal } = options;
    signal?.throwIfAborted();
    this.#boundInput(task, input);
    const id = (this.#ids += 1);
    await this.#turnOf({ id, tenantId }, options);
    this.#running += 1;
    try {
      return valueOf(task, await this.#perform({ id, task, input }, options)) as OutputOf<Tasks, K>;
    } finally {
      this.#running -= 1;
      this.#startNext(tenantId);
    }
  }

  override stats(): TaskRunnerStats {
    return {
      running: this.#running,
      queued: this.#waiting.size,
      ended_by_budget: this.#endedByBudget,
      busy_ms: Object.fromEntries(this.#busyMs),
    };
  }

  override async close(): Promise<void> {
    this.#closing.abort();
    for (const turn of [...this.#waiting]) this.#abandon(turn, poolClosed());
    await this.#threads.destroy();
  }

  #boundInput(task: string, input: unknown): void {
    const max = this.#options.inputBytesMax?.[task] ?? INPUT_BYTES_MAX;
    if (bytesOf(input, max) <= max) return;
    throw new Fault('limit.exceeded', `the input of \`${task}\` is larger than ${max} bytes: make it smaller`);
  }

  /** Resolves when the task may use a thread. */
  #turnOf(
    work: { readonly id: number; readonly tenantId: string },
    { signal, waitMs }: Pick<TaskOptions, 'signal' | 'waitMs'>,
  ): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.reject(poolClosed());
    return new Promise((resolve, reject) => {
      const onAbort = (): void => this.#abandon(turn, signal?.reason as Error);
      let timer: NodeJS.Timeout | undefined;
      const turn: Turn = {
        ...work,
        begin: (problem) => {
          this.#waiting.delete(turn);
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
          if (problem === undefined) resolve();
          else reject(problem);
        },
      };
      const offered = this.#limiter.offer(work.tenantId, 1, turn, performance.now());
      if (offered === 'starts') return resolve();
      if (offered === 'full') return reject(queueFull(this.#options.queuedPerTenant));
      this.#waiting.add(turn);
      if (waitMs !== undefined) timer = setTimeout(() => this.#abandon(turn, waitExceeded(waitMs)), waitMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      if (this.#waiting.size > this.#options.queued) this.#abandon(turn, poolFull());
    });
  }

  #abandon(turn: Turn, problem: Error): void {
    this.#limiter.withdraw(turn.tenantId, turn);
    turn.begin(problem);
  }

  #startNext(tenantId: string): void {
    for (const turn of this.#limiter.release(tenantId, performance.now())) turn.begin();
  }

  async #perform(message: TaskMessage, { wallMs, signal, transfer }: TaskOptions): Promise<TaskReply> {
    const thread = new AbortController();
    let stopReason: StopReason | null = null;
    const stop = (why: StopReason) => (): void => {
      stopReason ??= why;
      thread.abort();
    };
    const [onCancel, onClose] = [stop('cancelled'), stop('closed')];
    let timer = setTimeout(stop('start'), START_MS);
    let startedAt: number | null = null;
    this.#startCallbacks.set(message.id, () => {
      startedAt = performance.now();
      clearTimeout(timer);
      timer = setTimeout(stop('time'), wallMs);
    });
    signal?.addEventListener('abort', onCancel, { once: true });
    this.#closing.signal.addEventListener('abort', onClose, { once: true });
    try {
      // Cancelled since it got its turn.
      if (signal?.aborted === true) throw signal.reason;
      const transferList = transfer === undefined ? {} : { transferList: [...transfer] };
      return (await this.#threads.run(message, { signal: thread.signal, ...transferList })) as TaskReply;
    } catch (error) {
      throw this.#failure(message.task, error, stopReason, { wallMs, signal });
    } finally {
      // The start message may arrive after the reply. The task then counts as having taken no time.
      if (startedAt !== null) this.#recordBusy(message.task, performance.now() - startedAt);
      else if (stopReason === null && signal?.aborted !== true) this.#recordBusy(message.task, 0);
      clearTimeout(timer);
      this.#startCallbacks.delete(message.id);
      signal?.removeEventListener('abort', onCancel);
      this.#closing.signal.removeEventListener('abort', onClose);
    }
  }

  #recordBusy(task: string, ms: number): void {
    this.#busyMs.set(task, (this.#busyMs.get(task) ?? 0) + ms);
  }

  #failure(
    task: string,
    error: unknown,
    ending: StopReason | null,
    { wallMs, signal }: Pick<TaskOptions, 'wallMs' | 'signal'>,
  ): unknown {
    if (ending === 'cancelled' || signal?.aborted === true) return signal?.reason;
    if (ending === 'closed' || this.#closing.signal.aborted) return poolClosed();
    if (ending === 'start') return new Error(`no thread began \`${task}\` within ${START_MS} ms`, { cause: error });
    const { heapMb } = this.#options;
    if (ending !== 'time' && !isOutOfMemory(error)) {
      return new Error(`the thread of \`${task}\` ended before it was done`, { cause: error });
    }
    const beyond = ending === 'time' ? `more than ${wallMs} ms` : `more than ${heapMb} MiB of memory`;
    this.#endedByBudget += 1;
    return new Fault('limit.exceeded', `\`${task}\` needs ${beyond}: make what it works on smaller`, { cause: error });
  }
}

const poolClosed = (): Fault => new Fault('overloaded', 'the service is stopping: try again later');

const queueFull = (queued: number): Fault =>
  new Fault('overloaded', `${queued} pieces of work of the tenant wait for a thread already: try again later`);

const waitExceeded = (waitMs: number): Fault =>
  new Fault('overloaded', `no thread was free within ${waitMs} ms: try again later`);

const poolFull = (): Fault => new Fault('overloaded', 'too much work waits for a thread: try again later');

const isOutOfMemory = (error: unknown): boolean =>
  (error as { readonly code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';

/** Our sources are found by an export condition of the packages, which a thread doesn't inherit from its parent. */
const execArgvOf = ({ pathname }: URL): string[] =>
  pathname.endsWith('.ts') ? ['--conditions=@writ/source', '--disable-warning=ExperimentalWarning'] : [];
