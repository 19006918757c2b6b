// SPDX-License-Identifier: Apache-2.0

export interface WriteBatcherOptions<T, R> {
  /** Writes one batch. Every item of it gets the result or the error. */
  readonly write: (items: readonly T[]) => Promise<R>;
  /** The weight of an item; 1 by default. */
  readonly weigh?: (item: T) => number;
  /** The largest weight of a batch, except a single heavier item; no limit by default. */
  readonly weightMax?: number;
  /**
   * Whether one item of several may have caused the error: then each is written alone, and only that item gets the
   * error. Never by default.
   */
  readonly isMaybeOfOneItem?: (error: unknown) => boolean;
}

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes items in batches: a batch is what arrived while the previous one was being written. There is no timer: a lone
 * item is written at once, and the more items arrive, the more share the cost of a write. Items are written in the
 * order in which they arrived.
 */
export class WriteBatcher<T, R> {
  readonly #options: WriteBatcherOptions<T, R>;
  #waiting: Waiting<T, R>[] = [];
  #isWriting = false;

  constructor(options: WriteBatcherOptions<T, R>) {
    this.#options = options;
  }

  /** Queues the item, now. Resolves when its batch is written. */
  run(item: T): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isWriting) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) await this.#settle(this.#nextBatch());
    this.#isWriting = false;
  }

  async #settle(batch: readonly Waiting<T, R>[]): Promise<void> {
    try {
      const result = await this.#options.write(batch.map(({ item }) => item));
      for (const { resolve } of batch) resolve(result);
    } catch (error) {
      if (batch.length > 1 && this.#options.isMaybeOfOneItem?.(error) === true)
        for (const waiting of batch) await this.#settle([waiting]);
      else for (const { reject } of batch) reject(error);
    }
  }

  #nextBatch(): Waiting<T, R>[] {
    const { weigh = () => 1, weightMax = Infinity } = this.#options;
    let weight = 0;
    const end = this.#waiting.findIndex(({ item }, i) => (weight += weigh(item)) > weightMax && i > 0);
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }
}
