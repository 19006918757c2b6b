// SPDX-License-Identifier: Apache-2.0

/** Runs at most a fixed number of tasks at once. Further ones wait in the order in which they came. */
export class ConcurrencyLimiter {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** @param count concurrent tasks */
  constructor(count: number) {
    this.#free = count;
  }

  /** Runs the task when a slot is free; settles as the task does. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The slot passes directly to the next waiting task, so that no new task overtakes it.
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
