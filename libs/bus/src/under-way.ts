// SPDX-License-Identifier: Apache-2.0

/** Counts what is under way, and says when nothing is. */
export class UnderWay {
  #count = 0;
  #idle: Array<() => void> = [];

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
      if (this.#count === 0) for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }
}
