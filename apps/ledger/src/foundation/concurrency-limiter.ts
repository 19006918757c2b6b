// SPDX-License-Identifier: Apache-2.0

/** A fixed number of places: what comes when all are taken waits its turn. */
export class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // A place is handed on, so that nobody who comes just then slips in before.
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
