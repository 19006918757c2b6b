// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@writ/contract';

export interface ClaimLoopOptions<Work> {
  /** the pause after a claim that found nothing, in milliseconds */
  readonly askMs: number;
  /** pieces of work under way at a time */
  readonly atOnce: number;
  /** a kernel of the previous version doesn't know the request for work, and refuses it as malformed */
  readonly isNewRequest: boolean;
  /** Claims the next piece of work at the kernel; null where none is due. */
  readonly claim: (underWay: readonly Work[]) => Promise<Work | null>;
  /** Implementations report their failures themselves. @param stopping aborted when the loop is to end */
  readonly perform: (work: Work, stopping: AbortSignal) => Promise<void>;
  /** receives bugs, for operators */
  readonly failed: (error: unknown) => void;
}

/** Claims work of one kind at the kernel while there is some, and does a bounded number of pieces at a time. */
export class ClaimLoop<Work> {
  readonly #options: ClaimLoopOptions<Work>;
  readonly #stopping = new AbortController();
  readonly #running = new Map<Promise<void>, Work>();
  #loop: Promise<void> = Promise.resolve();

  constructor(options: ClaimLoopOptions<Work>) {
    this.#options = options;
  }

  start(): Promise<void> {
    this.#loop = this.#run();
    return Promise.resolve();
  }

  /** Claims no more work, and resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    await Promise.all(this.#running.keys());
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const hadWork = await this.#next().catch((error: unknown) => {
        if (!signal.aborted && !this.#isPassing(error)) this.#options.failed(error);
        return false;
      });
      if (!hadWork) await sleep(this.#options.askMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** A kernel that isn't there yet, or is busy, is asked again. */
  #isPassing(error: unknown): boolean {
    if (!(error instanceof Fault)) return false;
    return error.retryable || (this.#options.isNewRequest && error.code === 'request.malformed');
  }

  async #next(): Promise<boolean> {
    const { atOnce, claim, perform, failed } = this.#options;
    if (this.#running.size >= atOnce) {
      await Promise.race(this.#running.keys());
      return true;
    }
    const work = await claim([...this.#running.values()]);
    if (work === null) return false;
    const doing = perform(work, this.#stopping.signal)
      .catch(failed)
      .finally(() => this.#running.delete(doing));
    this.#running.set(doing, work);
    return true;
  }
}
