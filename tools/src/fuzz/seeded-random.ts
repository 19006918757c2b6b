// SPDX-License-Identifier: Apache-2.0

/** Random numbers from a seed, so that a finding can be reproduced (mulberry32). */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer below `bound`. */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  /** True once in so many. */
  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  /** @throws Error for an empty list */
  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new Error('nothing to pick from');
    return items[this.below(items.length)] as Item;
  }
}
