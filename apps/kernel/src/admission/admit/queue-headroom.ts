// SPDX-License-Identifier: Apache-2.0
import { LRUCache } from 'lru-cache';

/**
 * Calls of a tenant that are admitted on one count of the queue. Each replica may pass the tenant's limit by one call
 * fewer than this.
 */
export const ROOM_CALLS = 16;
/** For how long one count serves, in milliseconds. */
export const ROOM_MS = 1_000;
/** Tenants whose headroom is cached, some hundred bytes each. */
const TENANTS_MAX = 10_000;

interface Room {
  left: number;
  readonly until: number;
}

/**
 * How many calls of a tenant this replica may still admit before it counts again. It counts the tenant's queue, and its
 * records that wait for the log. Both limits bound a backlog and not what may be done, so passing them by a few calls
 * is no bypass. Counting is the most expensive query of an admission (ADR 0023).
 */
export class QueueHeadroom {
  readonly #rooms = new LRUCache<string, Room>({ max: TENANTS_MAX });
  readonly #monotonic: () => number;

  /** @param monotonic milliseconds of a clock that is never set */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /**
   * Takes headroom for one call. Returns null where there is some. Else it returns for how many calls the database must
   * find room, this one among them.
   */
  take(tenantId: string): number | null {
    const room = this.#rooms.get(tenantId);
    if (room === undefined || room.left === 0 || this.#monotonic() > room.until) return ROOM_CALLS;
    room.left -= 1;
    return null;
  }

  /** The database found room for so many calls, of which one is taken. @param askedAt by the monotonic clock */
  found(tenantId: string, calls: number, askedAt: number): void {
    this.#rooms.set(tenantId, { left: calls - 1, until: askedAt + ROOM_MS });
  }
}
