// SPDX-License-Identifier: Apache-2.0
import { LRUCache } from 'lru-cache';
import { RetryAfterFault } from '../problems/problem.ts';

const MINUTE_MS = 60_000;
/** Counted names: more than ask within a minute. */
const NAMES_MAX = 20_000;

/** Bounds how often each name does something that leaves rows and records behind, per replica. */
export class PerMinute {
  readonly #max: number;
  readonly #what: string;
  readonly #counts: LRUCache<string, { count: number }>;

  /**
   * @param what for the message: more than so many of it
   * @param monotonic milliseconds
   */
  constructor(max: number, what: string, monotonic: () => number) {
    this.#max = max;
    this.#what = what;
    const perf = { now: monotonic };
    this.#counts = new LRUCache({ max: NAMES_MAX, ttl: MINUTE_MS, ttlResolution: 0, noUpdateTTL: true, perf });
  }

  /** Counts one. Fault `rate.limited`. */
  consume(name: string): void {
    const counted = this.#counts.get(name) ?? { count: 0 };
    if (counted.count >= this.#max)
      throw new RetryAfterFault(
        'rate.limited',
        `more than ${this.#max} ${this.#what} within a minute`,
        Math.max(1, Math.ceil(this.#counts.getRemainingTTL(name) / 1_000)),
      );
    if (counted.count === 0) this.#counts.set(name, { count: 1 });
    else counted.count += 1;
  }
}
