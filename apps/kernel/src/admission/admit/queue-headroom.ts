// SPDX-License-Identifier: Apache-2.0
import { LRUCache } from 'lru-cache';

/**
 * Calls of a tenant that are admitted on one look at what waits. The tenant's limit may be passed by one fewer, at each
 * replica.
 */
export const ROOM_CALLS = 16;
/** For how long one look serves, in milliseconds. */
export const ROOM_MS = 1_000;
/** Tenants whose room is remembered, some hundred bytes each. */
const TENANTS_MAX = 10_000;

interface Room {
  left: number;
  readonly until: number;
}

/**
 * How many calls of a tenant this replica may still admit without looking at the tenant's queue and at its records that
 * wait for the log. Both are bounds on what gathers, not on what may be done, so being late by a few calls is no
 * bypass; and counting what waits is the dearest question of an admission (ADR 0023).
 */
export class QueueHeadroom {
  readonly #rooms = new LRUCache<string, Room>({ max: TENANTS_MAX });
  readonly #monotonic: () => number;

  /** @param monotonic milliseconds of a clock that is never set */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /**
   * Takes a place for one call: null where there is one, else for how many calls the database must find room, this one
   * among them.
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
