// SPDX-License-Identifier: Apache-2.0

/** Counts running work and notifies when there is none. */
export class InFlight {
  #count = 0;
  #waiters: Array<() => void> = [];

  get count(): number {
    return this.#count;
  }

  /** Runs `fn` and counts it until it has settled. */
  async run<T>(fn: () => Promise<T>): Promise<T> {
    this.#count += 1;
    try {
      return await fn();
    } finally {
      this.#count -= 1;
      if (this.#count === 0) for (const resolve of this.#waiters.splice(0)) resolve();
    }
  }

  /** Resolves when no work runs. */
  async whenIdle(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }
}
