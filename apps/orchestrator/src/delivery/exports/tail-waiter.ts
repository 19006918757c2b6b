// SPDX-License-Identifier: Apache-2.0

/**
 * Waits for more records at the end of a log. A wake-up between two waits counts for the next one, so that none is lost
 * between a read and a wait.
 */
export class TailWaiter {
  readonly #silenceMs: number;
  readonly #gatherMs: number;
  readonly #stop = new AbortController();
  #isWoken = false;
  #wake: () => void = () => undefined;

  /**
   * @param silenceMs time without a wake-up after which a wait ends as `silence`
   * @param gatherMs time between a wake-up and the end of a wait, so that several wake-ups count as one
   */
  constructor(silenceMs: number, gatherMs: number) {
    this.#silenceMs = silenceMs;
    this.#gatherMs = gatherMs;
  }

  wake(): void {
    this.#isWoken = true;
    this.#wake();
  }

  /** Ends the current wait, and every later one at once. */
  stop(): void {
    this.#stop.abort();
    this.#wake();
  }

  get isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  /** Resolves when there may be more records, after a time without wake-ups, or when it is stopped. */
  async waitForMore(): Promise<'more' | 'silence' | 'stopped'> {
    if (!this.#isWoken) await this.#sleep(this.#silenceMs, () => this.#isWoken);
    const isWoken = this.#isWoken;
    if (isWoken) await this.#sleep(this.#gatherMs, () => false);
    this.#isWoken = false;
    return this.isStopped ? 'stopped' : isWoken ? 'more' : 'silence';
  }

  /** Sleeps for `ms`, or until it is stopped or `isEnough` holds after a wake-up. */
  async #sleep(ms: number, isEnough: () => boolean): Promise<void> {
    if (this.isStopped) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.#wake = () => {
        if (!this.isStopped && !isEnough()) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
