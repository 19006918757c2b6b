// SPDX-License-Identifier: Apache-2.0

/**
 * How a tail of a log waits for more. A wake that comes while nobody waits is kept for the next wait, so that none is
 * lost between a look and a wait.
 */
export class Waiting {
  readonly #silenceMs: number;
  readonly #gatherMs: number;
  readonly #stop = new AbortController();
  #isWoken = false;
  #wake: () => void = () => undefined;

  /**
   * @param silenceMs after which it is told that nothing came
   * @param gatherMs between a wake and the end of a wait, so that wakes in a row are one
   */
  constructor(silenceMs: number, gatherMs: number) {
    this.#silenceMs = silenceMs;
    this.#gatherMs = gatherMs;
  }

  wake(): void {
    this.#isWoken = true;
    this.#wake();
  }

  /** Ends a wait that is under way, and every later one at once. */
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

  /** Resolves when there may be more, when nothing came for a while, and when it was stopped. */
  async forMore(): Promise<'more' | 'silence' | 'stopped'> {
    if (!this.#isWoken) await this.#sleep(this.#silenceMs, () => this.#isWoken);
    const isWoken = this.#isWoken;
    if (isWoken) await this.#sleep(this.#gatherMs, () => false);
    this.#isWoken = false;
    return this.isStopped ? 'stopped' : isWoken ? 'more' : 'silence';
  }

  /** For so long, unless it is stopped or that has come about. */
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
