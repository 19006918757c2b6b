// SPDX-License-Identifier: Apache-2.0

/** How long a tenant without running work still counts as active, in milliseconds: it may come back at any moment. */
const REMEMBERED_MS = 10_000;

/** Limits of one FairLimiter. */
export interface LimiterBounds {
  /** work that runs at once, over all tenants; a tenant that is alone may use all places */
  readonly places: number;
  /** places that tenants share while several are active */
  readonly shared: number;
  /** waiting work of one tenant; one more is refused */
  readonly waitingMax: number;
  /** places that one tenant may use, alone or not; all of them by default */
  readonly perTenantMax?: number;
}

/** The result of offering work. */
export type OfferResult = 'starts' | 'waits' | 'full';

/** How work waits among that of its tenant. */
export interface WaitingOrder {
  /** milliseconds after which it ranks like work without this delay that is offered then; 0 by default */
  readonly agesAfterMs?: number;
  /** waiting work of the tenant at which this work is refused; the limiter's `waitingMax` by default */
  readonly waitingMax?: number;
}

interface Waiting<T> {
  readonly item: T;
  /** the lowest starts first; equal ones start in the order in which they were offered */
  readonly rank: number;
}

interface Tenant<T> {
  weight: number;
  underWay: number;
  /** the finish of its latest work in virtual time */
  finish: number;
  /** in the order in which it starts */
  readonly waiting: Waiting<T>[];
  /**
   * the starts in virtual time of the waiting work. They belong to its positions, so an order within a tenant changes
   * nothing for the others.
   */
  readonly starts: number[];
  seenAt: number;
}

/**
 * Shares places (slots for concurrent work) among tenants: start-time fair queueing (Goyal, Vin, Cheng 1996) over a
 * bounded number of places. Within a tenant, work starts in order of arrival, plus the delay of `WaitingOrder`. It has
 * no clock: the caller passes `now` in monotonic milliseconds, so a simulation runs the same code.
 * INVARIANT (room for others): while several tenants are active, each may use its weight's part of the shared places,
 * and at least one. So a tenant that comes rarely finds a free place, and few others that compete for the processors. A
 * tenant that has been alone for a while may use every place, or `perTenantMax` of them.
 */
export class FairLimiter<T> {
  readonly #places: number;
  readonly #shared: number;
  readonly #waitingMax: number;
  readonly #perTenantMax: number;
  /** active tenants, in the order in which they were last seen */
  readonly #tenants = new Map<string, Tenant<T>>();
  readonly #waiting = new Set<string>();
  #weights = 0;
  #running = 0;
  #virtual = 0;

  constructor({ places, shared, waitingMax, perTenantMax = places }: LimiterBounds) {
    this.#places = places;
    this.#shared = shared;
    this.#waitingMax = waitingMax;
    this.#perTenantMax = perTenantMax;
  }

  /**
   * Accepts the work, or returns `full` and keeps no reference to it. The caller MUST call `ended` once for work that
   * `starts`.
   */
  offer(
    tenantId: string,
    weight: number,
    item: T,
    now: number,
    { agesAfterMs = 0, waitingMax = this.#waitingMax }: WaitingOrder = {},
  ): OfferResult {
    const tenant = this.#touch(tenantId, weight, now);
    if (tenant.waiting.length === 0 && this.#hasPlace(tenant)) {
      this.#begin(tenant, Math.max(this.#virtual, tenant.finish));
      return 'starts';
    }
    if (tenant.waiting.length >= Math.min(waitingMax, this.#waitingMax)) return 'full';
    const start = Math.max(this.#virtual, tenant.finish);
    tenant.finish = start + 1 / tenant.weight;
    tenant.starts.push(start);
    const rank = now + agesAfterMs;
    tenant.waiting.splice(tenant.waiting.findLastIndex((before) => before.rank <= rank) + 1, 0, { item, rank });
    this.#waiting.add(tenantId);
    return 'waits';
  }

  /**
   * Frees a place of the tenant. Returns the work that starts now, in order. The caller MUST call `ended` for each of
   * it.
   */
  release(tenantId: string, now: number): readonly T[] {
    const tenant = this.#tenants.get(tenantId);
    if (tenant === undefined || tenant.underWay === 0) throw new Error(`\`${tenantId}\` has no place to give back`);
    tenant.underWay -= 1;
    this.#running -= 1;
    this.#touch(tenantId, tenant.weight, now);
    return this.#startWaiting();
  }

  /** Withdraws waiting work. Returns whether it was still waiting. */
  withdraw(tenantId: string, item: T): boolean {
    const tenant = this.#tenants.get(tenantId);
    const at = tenant?.waiting.findIndex((waiting) => waiting.item === item) ?? -1;
    if (tenant === undefined || at < 0) return false;
    tenant.waiting.splice(at, 1);
    tenant.starts.splice(at, 1);
    if (tenant.waiting.length === 0) this.#waiting.delete(tenantId);
    return true;
  }

  #startWaiting(): T[] {
    const started: T[] = [];
    for (;;) {
      const next = this.#next();
      if (next === null) return started;
      const { item } = next.waiting.shift() as Waiting<T>;
      this.#begin(next, next.starts.shift() as number, true);
      started.push(item);
    }
  }

  /** The waiting tenant that may use a place and is first in virtual time. */
  #next(): Tenant<T> | null {
    let first: Tenant<T> | null = null;
    for (const tenantId of this.#waiting) {
      const tenant = this.#tenants.get(tenantId) as Tenant<T>;
      if (tenant.waiting.length === 0) this.#waiting.delete(tenantId);
      else if (this.#hasPlace(tenant) && (first === null || startOf(tenant) < startOf(first))) first = tenant;
    }
    return first;
  }

  #begin(tenant: Tenant<T>, start: number, hasWaited = false): void {
    if (!hasWaited) tenant.finish = start + 1 / tenant.weight;
    this.#virtual = Math.max(this.#virtual, start);
    tenant.underWay += 1;
    this.#running += 1;
  }

  #hasPlace(tenant: Tenant<T>): boolean {
    return this.#running < this.#places && tenant.underWay < this.#shareOf(tenant);
  }

  #shareOf({ weight }: Tenant<T>): number {
    if (this.#tenants.size === 1) return this.#perTenantMax;
    return Math.min(this.#perTenantMax, Math.max(1, Math.floor((this.#shared * weight) / this.#weights)));
  }

  #touch(tenantId: string, weight: number, now: number): Tenant<T> {
    const tenant = this.#tenants.get(tenantId) ?? {
      weight: 0,
      underWay: 0,
      finish: 0,
      waiting: [],
      starts: [],
      seenAt: now,
    };
    this.#weights += weight - tenant.weight;
    tenant.weight = weight;
    tenant.seenAt = now;
    // At the end of the map, so it is evicted last.
    this.#tenants.delete(tenantId);
    this.#tenants.set(tenantId, tenant);
    this.#evictInactive(now);
    return tenant;
  }

  #evictInactive(now: number): void {
    for (const [tenantId, tenant] of this.#tenants) {
      if (tenant.seenAt > now - REMEMBERED_MS || tenant.underWay > 0 || tenant.waiting.length > 0) return;
      this.#tenants.delete(tenantId);
      this.#weights -= tenant.weight;
    }
  }
}

const startOf = <T>({ starts }: Tenant<T>): number => starts[0] ?? Infinity;
