// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (one work, one thread): a thread has one piece of work at a time, and whatever ends it early (time, memory,
// cancellation, a crash) costs that work alone.
// INVARIANT (room for others): one tenant has one thread less than there are at most, its queue is bounded, and tenants
// take turns.
// INVARIANT (nothing to reach): threads get no environment variables and no shared memory.
import { Fault } from '@writ/contract';
import { FairLimiter } from '@writ/fairness';
import { Piscina } from 'piscina';
import { bytesOf } from './input-bytes.ts';
import { valueOf, type WorkMessage, type WorkReply, type WorkStarted } from './message.ts';
import { Work, type WorkerPoolOptions, type WorkOptions, type WorkStats } from './ports.ts';
import type { InputOf, OutputOf, TaskTable } from './task-table.ts';

/**
 * What the input of a task may hold unless its pool says otherwise: more takes long to clone, and threads bound no
 * buffers.
 */
const INPUT_BYTES_MAX = 16 * 1024 * 1024;
/**
 * How long a thread stays without work, in milliseconds: a start takes some hundred, and a session's next call comes
 * within seconds.
 */
const IDLE_MS = 30_000;
/**
 * How long a thread may take until work begins on it, in milliseconds: it reads its program first, on a machine that
 * may be busy.
 */
const START_MS = 30_000;
/**
 * Of V8's young generation, in MiB. Its default grows with the machine; this is what short-lived objects of one task
 * need.
 */
const YOUNG_MB = 32;
/**
 * How much less of the processors threads get than the event loop, which renews leases and answers everybody. Without
 * effect where the system doesn't know it.
 */
const NICE = 5;
/** How deep recursion may go on a thread, in MiB: the bound of the main thread is about one. */
const STACK_MB = 4;

/** Why work was ended before it was done. */
type Ending = 'time' | 'start' | 'cancelled' | 'closed';

interface Turn {
  readonly id: number;
  readonly tenantId: string;
  /** called when the work may begin, or with what keeps it from beginning */
  begin: (problem?: Error) => void;
}

/** A pool of worker threads for work whose cost the caller's input decides. See `Work` for what callers rely on. */
export class WorkerPool<Tasks extends TaskTable> extends Work<Tasks> {
  readonly #options: WorkerPoolOptions;
  readonly #threads: Piscina;
  readonly #fair: FairLimiter<Turn>;
  readonly #waiting = new Set<Turn>();
  /** of work that was sent to a thread: called as it begins there */
  readonly #onStarted = new Map<number, () => void>();
  readonly #closing = new AbortController();
  #ids = 0;
  #running = 0;
  #endedByBudget = 0;
  readonly #busyMs = new Map<string, number>();

  /** Starts no thread yet. @throws RangeError for fewer than two threads, and for bounds that aren't positive */
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
    this.#fair = new FairLimiter({
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
      // A thread that waits in `Atomics.wait` runs no timers, and needs memory that is shared with it.
      atomics: 'disabled',
      recordTiming: false,
      niceIncrement: NICE,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_MB, stackSizeMb: STACK_MB },
    });
    this.#threads.on('message', (message: WorkStarted) => this.#onStarted.get(message.started)?.());
    // A thread that ends without work costs nobody anything: the next work starts another.
    this.#threads.on('error', () => undefined);
  }

  override async run<K extends keyof Tasks & string>(
    task: K,
    input: InputOf<Tasks, K>,
    options: WorkOptions,
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
      this.#next(tenantId);
    }
  }

  override stats(): WorkStats {
    return {
      running: this.#running,
      queued: this.#waiting.size,
      ended_by_budget: this.#endedByBudget,
      busy_ms: Object.fromEntries(this.#busyMs),
    };
  }

  override async close(): Promise<void> {
    this.#closing.abort();
    for (const turn of [...this.#waiting]) this.#leave(turn, closed());
    await this.#threads.destroy();
  }

  #boundInput(task: string, input: unknown): void {
    const max = this.#options.inputBytesMax?.[task] ?? INPUT_BYTES_MAX;
    if (bytesOf(input, max) <= max) return;
    throw new Fault('limit.exceeded', `the input of \`${task}\` is larger than ${max} bytes: make it smaller`);
  }

  /** Resolves when the tenant may have a thread. */
  #turnOf(
    work: { readonly id: number; readonly tenantId: string },
    { signal, waitMs }: Pick<WorkOptions, 'signal' | 'waitMs'>,
  ): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      const onAbort = (): void => this.#leave(turn, signal?.reason as Error);
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
      const offered = this.#fair.offer(work.tenantId, 1, turn, performance.now());
      if (offered === 'starts') return resolve();
      if (offered === 'full') return reject(full(this.#options.queuedPerTenant));
      this.#waiting.add(turn);
      if (waitMs !== undefined) timer = setTimeout(() => this.#leave(turn, late(waitMs)), waitMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      if (this.#waiting.size > this.#options.queued) this.#leave(turn, crowded());
    });
  }

  #leave(turn: Turn, problem: Error): void {
    this.#fair.withdraw(turn.tenantId, turn);
    turn.begin(problem);
  }

  #next(tenantId: string): void {
    for (const turn of this.#fair.ended(tenantId, performance.now())) turn.begin();
  }

  async #perform(message: WorkMessage, { wallMs, signal }: WorkOptions): Promise<WorkReply> {
    const thread = new AbortController();
    let ending: Ending | null = null;
    const end = (why: Ending) => (): void => {
      ending ??= why;
      thread.abort();
    };
    const [onCancel, onClose] = [end('cancelled'), end('closed')];
    let timer = setTimeout(end('start'), START_MS);
    let startedAt: number | null = null;
    this.#onStarted.set(message.id, () => {
      startedAt = performance.now();
      clearTimeout(timer);
      timer = setTimeout(end('time'), wallMs);
    });
    signal?.addEventListener('abort', onCancel, { once: true });
    this.#closing.signal.addEventListener('abort', onClose, { once: true });
    try {
      // Cancelled between its turn and here.
      if (signal?.aborted === true) throw signal.reason;
      return (await this.#threads.run(message, { signal: thread.signal })) as WorkReply;
    } catch (error) {
      throw this.#failure(message.task, error, ending, { wallMs, signal });
    } finally {
      // The word that it began may come after what it answered: then it took no time that counts.
      if (startedAt !== null) this.#noteBusy(message.task, performance.now() - startedAt);
      else if (ending === null && signal?.aborted !== true) this.#noteBusy(message.task, 0);
      clearTimeout(timer);
      this.#onStarted.delete(message.id);
      signal?.removeEventListener('abort', onCancel);
      this.#closing.signal.removeEventListener('abort', onClose);
    }
  }

  #noteBusy(task: string, ms: number): void {
    this.#busyMs.set(task, (this.#busyMs.get(task) ?? 0) + ms);
  }

  #failure(
    task: string,
    error: unknown,
    ending: Ending | null,
    { wallMs, signal }: Pick<WorkOptions, 'wallMs' | 'signal'>,
  ): unknown {
    if (ending === 'cancelled' || signal?.aborted === true) return signal?.reason;
    if (ending === 'closed' || this.#closing.signal.aborted) return closed();
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

const closed = (): Fault => new Fault('overloaded', 'the service is stopping: try again later');

const full = (queued: number): Fault =>
  new Fault('overloaded', `${queued} pieces of work of the tenant wait for a thread already: try again later`);

const late = (waitMs: number): Fault =>
  new Fault('overloaded', `no thread was free within ${waitMs} ms: try again later`);

const crowded = (): Fault => new Fault('overloaded', 'too much work waits for a thread: try again later');

const isOutOfMemory = (error: unknown): boolean =>
  (error as { readonly code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';

/**
 * Own sources are found by a condition of the package's exports, which a thread doesn't take over from whatever runs
 * them.
 */
const execArgvOf = ({ pathname }: URL): string[] =>
  pathname.endsWith('.ts') ? ['--conditions=@writ/source', '--disable-warning=ExperimentalWarning'] : [];
