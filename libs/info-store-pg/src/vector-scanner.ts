// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (bounded memory): the thread caches at most `cacheBytesMax`. Besides that, each scan has one page in
// memory, and the ids of its filter. The caller bounds the number of scans.
import { Worker } from 'node:worker_threads';
import type { FromThread, ThreadData, ToThread } from './scan-messages.ts';
import type { Ranking, VectorBlock } from './top-hits.ts';

export interface VectorScannerOptions {
  /** limit on the vectors that the thread caches, in bytes; `VECTOR_CACHE_BYTES` by default; 0 caches none */
  readonly cacheBytesMax?: number;
  /** the thread's program: `vector-scan.worker` beside the calling module by default */
  readonly program?: URL;
}

export interface Scan {
  /** names a version of a store; its vectors never change */
  readonly key: string;
  /** the size of its vectors, about; a version that needs more than `CACHED_SHARE` of the cache isn't cached */
  readonly bytes: number;
  /** of length 1 */
  readonly query: Float32Array;
  readonly most: number;
  /** the ids that count, ascending; null for all */
  readonly only: Float64Array | null;
  /** reads the version's vectors; called only if they aren't cached */
  readonly pages: () => AsyncIterable<VectorBlock>;
  readonly signal?: AbortSignal;
}

/** Some 170,000 vectors of 384 dimensions. */
export const VECTOR_CACHE_BYTES = 256 * 1024 * 1024;
/** The largest part of the cache for one version: it evicts others, and leaves room for some. */
const CACHED_SHARE = 0.75;
/** The thread's heap, in MiB. Vectors are outside of it. */
const HEAP_MB = 64;

interface Job {
  readonly more: () => void;
  readonly done: (ranking: Ranking) => void;
  readonly failed: (error: Error) => void;
}

/** Finds the nearest vectors by comparing all of them, on a thread of its own. It starts with the first scan. */
export class VectorScanner {
  readonly #program: URL;
  readonly #cacheBytesMax: number;
  #worker: Worker | null = null;
  #ids = 0;
  readonly #jobs = new Map<number, Job>();
  /** versions that a scan reads and caches: another scan of them reads for itself */
  readonly #loading = new Set<string>();

  constructor({ cacheBytesMax = VECTOR_CACHE_BYTES, program = scanProgram() }: VectorScannerOptions = {}) {
    this.#cacheBytesMax = cacheBytesMax;
    this.#program = program;
  }

  /** @throws the reason of the signal; the error of `pages`; Error if the thread ended */
  async scan(scan: Scan): Promise<Ranking> {
    scan.signal?.throwIfAborted();
    const id = (this.#ids += 1);
    const keeps = !this.#loading.has(scan.key) && scan.bytes <= this.#cacheBytesMax * CACHED_SHARE;
    if (keeps) this.#loading.add(scan.key);
    try {
      return await this.#run(id, keeps, scan);
    } finally {
      if (keeps) this.#loading.delete(scan.key);
      if (this.#jobs.delete(id)) this.#worker?.postMessage({ type: 'cancel', job: id } satisfies ToThread);
      // An idle thread doesn't keep the process alive.
      if (this.#jobs.size === 0) this.#worker?.unref();
    }
  }

  /** Ends the thread, and fails the scans that run. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    this.#failAll(new Error('the scanner of vectors is closed'));
    await worker?.terminate();
  }

  async #run(id: number, keeps: boolean, { key, query, most, only, pages, signal }: Scan): Promise<Ranking> {
    let wake: (result: Ranking | null) => void = () => undefined;
    let fail: (error: Error) => void = () => undefined;
    const answer = (): Promise<Ranking | null> =>
      new Promise((resolve, reject) => {
        [wake, fail] = [resolve, reject];
      });
    const onAbort = (): void => fail(signal?.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
    let ended: Error | null = null;
    const failed = (error: Error): void => {
      ended = error;
      fail(error);
    };
    this.#jobs.set(id, { more: () => wake(null), done: (ranking) => wake(ranking), failed });
    try {
      let next = answer();
      this.#post({ type: 'open', job: id, key, keeps, query, most, only });
      const cached = await next;
      if (cached !== null) return this.#end(id, cached);
      for await (const { ids, vectors } of pages()) {
        signal?.throwIfAborted();
        // Another thread wouldn't know this scan.
        if (ended !== null) throw ended;
        next = answer();
        this.#post({ type: 'page', job: id, ids, vectors }, [ids.buffer as ArrayBuffer, vectors.buffer as ArrayBuffer]);
        await next;
      }
      if (ended !== null) throw ended;
      next = answer();
      this.#post({ type: 'end', job: id });
      const ranking = await next;
      if (ranking === null) throw new Error('the thread asked for a page after the last one');
      return this.#end(id, ranking);
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #end(id: number, ranking: Ranking): Ranking {
    this.#jobs.delete(id);
    return ranking;
  }

  #post(message: ToThread, transfer: readonly ArrayBuffer[] = []): void {
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#worker.postMessage(message, transfer);
  }

  #start(): Worker {
    const program = this.#program;
    const workerData: ThreadData = { cacheBytesMax: this.#cacheBytesMax };
    const worker = new Worker(program, {
      workerData,
      env: {},
      argv: [],
      // Our sources are found by an export condition, which a thread doesn't inherit.
      execArgv: program.pathname.endsWith('.ts')
        ? ['--conditions=@writ/source', '--disable-warning=ExperimentalWarning']
        : [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    worker.on('message', (message: FromThread) => {
      const job = this.#jobs.get(message.job);
      if (message.type === 'more') job?.more();
      else job?.done(message.ranking);
    });
    const onEnd = (cause?: unknown): void => {
      if (this.#worker !== worker) return;
      // The next scan starts another thread.
      this.#worker = null;
      this.#failAll(new Error('the thread that scans vectors ended', { cause }));
    };
    worker.on('error', onEnd);
    worker.on('exit', () => onEnd());
    return worker;
  }

  #failAll(error: Error): void {
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    for (const { failed } of jobs) failed(error);
  }
}

const scanProgram = (): URL =>
  new URL(`./vector-scan.worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);
