// SPDX-License-Identifier: Apache-2.0

/** Runs a fixed number of tasks at once. Further ones wait for their turn, in the order in which they came. */
export class ConcurrencyLimiter {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** @param count tasks at once */
  constructor(count: number) {
    this.#free = count;
  }

  /** Runs the task in its turn; settles as it does. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The turn is handed on, so that no task that arrives just then overtakes one that waits.
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
