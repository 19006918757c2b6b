// SPDX-License-Identifier: Apache-2.0

export interface WriteBatcherOptions<T, R> {
  /** Writes a batch as one. Everybody whose item is in it gets what it resolves with, or its error. */
  readonly write: (items: readonly T[]) => Promise<R>;
  /** What an item counts as; 1 unless said. */
  readonly weigh?: (item: T) => number;
  /** The most that a batch weighs, but for one item that weighs more; no bound unless said. */
  readonly weightMax?: number;
  /**
   * Answers whether an error may be the fault of one item of several: then each is written alone, and the error is that
   * one's only. Never unless said.
   */
  readonly mayBeOfOne?: (error: unknown) => boolean;
}

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes what arrives in batches: a batch is what arrived while the last one was being written. There is no timer: an
 * item that comes alone is written at once, and the more come, the more share what a write costs. Items are written in
 * the order in which they arrived.
 */
export class WriteBatcher<T, R> {
  readonly #options: WriteBatcherOptions<T, R>;
  #waiting: Waiting<T, R>[] = [];
  #isWriting = false;

  constructor(options: WriteBatcherOptions<T, R>) {
    this.#options = options;
  }

  /** Takes a turn, now. Resolves when the batch that the item went with is written. */
  run(item: T): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isWriting) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) await this.#settle(this.#takeBatch());
    this.#isWriting = false;
  }

  async #settle(batch: readonly Waiting<T, R>[]): Promise<void> {
    try {
      const result = await this.#options.write(batch.map(({ item }) => item));
      for (const { resolve } of batch) resolve(result);
    } catch (error) {
      if (batch.length > 1 && this.#options.mayBeOfOne?.(error) === true)
        for (const waiting of batch) await this.#settle([waiting]);
      else for (const { reject } of batch) reject(error);
    }
  }

  #takeBatch(): Waiting<T, R>[] {
    const { weigh = () => 1, weightMax = Infinity } = this.#options;
    let weight = 0;
    const end = this.#waiting.findIndex(({ item }, i) => (weight += weigh(item)) > weightMax && i > 0);
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }
}
