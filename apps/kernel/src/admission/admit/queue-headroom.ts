// SPDX-License-Identifier: Apache-2.0
import { LRUCache } from 'lru-cache';

/**
 * Calls of a tenant that are admitted on one count of the queue. Each replica may exceed the tenant's limit by one call
 * fewer than this.
 */
export const HEADROOM_CALLS = 16;
/** For how long one count serves, in milliseconds. */
export const HEADROOM_MS = 1_000;
/** Tenants whose headroom is cached, some hundred bytes each. */
const TENANTS_MAX = 10_000;

interface Headroom {
  remaining: number;
  readonly until: number;
}

/**
 * How many calls of a queue this replica may still admit before it counts again. It counts the tenant's queue, and its
 * records that wait for the log. Both limits bound a backlog and not permissions, so exceeding them by a few calls is
 * no bypass. Counting is the most expensive query of an admission (ADR 0023).
 */
export class QueueHeadroom {
  readonly #headroom = new LRUCache<string, Headroom>({ max: TENANTS_MAX });
  readonly #monotonic: () => number;

  /** @param monotonic milliseconds of a clock that is never set */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /**
   * Uses headroom for one call. Returns null where there is some. Otherwise it returns for how many calls, including
   * this one, the database must find room. @param queue the tenant, and which of its calls
   */
  reserve(queue: string): number | null {
    const headroom = this.#headroom.get(queue);
    if (headroom === undefined || headroom.remaining === 0 || this.#monotonic() > headroom.until) return HEADROOM_CALLS;
    headroom.remaining -= 1;
    return null;
  }

  /**
   * Records that the database found room for so many calls, of which one is used. @param askedAt time of the count, on
   * the monotonic clock
   */
  found(queue: string, calls: number, askedAt: number): void {
    this.#headroom.set(queue, { remaining: calls - 1, until: askedAt + HEADROOM_MS });
  }
}
