// SPDX-License-Identifier: Apache-2.0

/**
 * How long a tenant that has nothing under way still counts as somebody who may come back at any moment, in
 * milliseconds.
 */
const REMEMBERED_MS = 10_000;

/** Bounds of one FairLimiter. */
export interface PlaceBounds {
  /** work under way at once, over all tenants; one that is alone may fill it */
  readonly places: number;
  /** how many of the places tenants have among them while several are about */
  readonly shared: number;
  /** work of one tenant that waits; one more is refused */
  readonly waitingMax: number;
  /** how many places one tenant may have at most, alone or not; all of them unless given */
  readonly perTenantMax?: number;
}

/** What became of work that was offered. */
export type Offered = 'starts' | 'waits' | 'full';

interface Waiting<T> {
  readonly item: T;
  /** where it begins in virtual time */
  readonly start: number;
}

interface Tenant<T> {
  weight: number;
  underWay: number;
  /** where its work that came last ends in virtual time */
  finish: number;
  readonly waiting: Waiting<T>[];
  seenAt: number;
}

/**
 * Shares places (slots for concurrent work) among tenants: start-time fair queueing (Goyal, Vin, Cheng 1996) over a
 * bounded number of places, in order of arrival within a tenant. It has no clock: `now` is monotonic milliseconds that
 * the caller gives, so a simulation runs the code that serves. INVARIANT (room for others): while several tenants are
 * about, each has at most its weight's part of the shared places, and at least one. So a tenant that comes rarely finds
 * a free place, and little beside it to share the processors with. A tenant that has been alone for a while may fill
 * every place, or as many as `perTenantMax` says.
 */
export class FairLimiter<T> {
  readonly #places: number;
  readonly #shared: number;
  readonly #waitingMax: number;
  readonly #perTenantMax: number;
  /** who was about lately, in the order in which they were seen last */
  readonly #tenants = new Map<string, Tenant<T>>();
  readonly #waiting = new Set<string>();
  #weights = 0;
  #underWay = 0;
  #virtual = 0;

  constructor({ places, shared, waitingMax, perTenantMax = places }: PlaceBounds) {
    this.#places = places;
    this.#shared = shared;
    this.#waitingMax = waitingMax;
    this.#perTenantMax = perTenantMax;
  }

  /**
   * Takes the work, or returns `full` and keeps nothing of it. The caller MUST give work that `starts` back by `ended`.
   */
  offer(tenantId: string, weight: number, item: T, now: number): Offered {
    const tenant = this.#seen(tenantId, weight, now);
    if (tenant.waiting.length === 0 && this.#hasPlace(tenant)) {
      this.#begin(tenant, Math.max(this.#virtual, tenant.finish));
      return 'starts';
    }
    if (tenant.waiting.length >= this.#waitingMax) return 'full';
    const start = Math.max(this.#virtual, tenant.finish);
    tenant.finish = start + 1 / tenant.weight;
    tenant.waiting.push({ item, start });
    this.#waiting.add(tenantId);
    return 'waits';
  }

  /**
   * A place of the tenant is free again. Returns the work that starts now, in order. The caller MUST give each of it
   * back in turn.
   */
  ended(tenantId: string, now: number): readonly T[] {
    const tenant = this.#tenants.get(tenantId);
    if (tenant === undefined || tenant.underWay === 0) throw new Error(`\`${tenantId}\` has no place to give back`);
    tenant.underWay -= 1;
    this.#underWay -= 1;
    this.#seen(tenantId, tenant.weight, now);
    return this.#startWaiting();
  }

  /** Withdraws work that nobody wants any more. Returns whether it still waited. */
  withdraw(tenantId: string, item: T): boolean {
    const tenant = this.#tenants.get(tenantId);
    const at = tenant?.waiting.findIndex((waiting) => waiting.item === item) ?? -1;
    if (tenant === undefined || at < 0) return false;
    tenant.waiting.splice(at, 1);
    if (tenant.waiting.length === 0) this.#waiting.delete(tenantId);
    return true;
  }

  #startWaiting(): T[] {
    const started: T[] = [];
    for (;;) {
      const next = this.#next();
      if (next === null) return started;
      const { item, start } = next.waiting.shift() as Waiting<T>;
      this.#begin(next, start, true);
      started.push(item);
    }
  }

  /** The tenant that waits, may have a place, and begins first in virtual time. */
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
    this.#underWay += 1;
  }

  #hasPlace(tenant: Tenant<T>): boolean {
    return this.#underWay < this.#places && tenant.underWay < this.#shareOf(tenant);
  }

  #shareOf({ weight }: Tenant<T>): number {
    if (this.#tenants.size === 1) return this.#perTenantMax;
    return Math.min(this.#perTenantMax, Math.max(1, Math.floor((this.#shared * weight) / this.#weights)));
  }

  #seen(tenantId: string, weight: number, now: number): Tenant<T> {
    const tenant = this.#tenants.get(tenantId) ?? { weight: 0, underWay: 0, finish: 0, waiting: [], seenAt: now };
    this.#weights += weight - tenant.weight;
    tenant.weight = weight;
    tenant.seenAt = now;
    // At the end of the map: it is forgotten last.
    this.#tenants.delete(tenantId);
    this.#tenants.set(tenantId, tenant);
    this.#forget(now);
    return tenant;
  }

  #forget(now: number): void {
    for (const [tenantId, tenant] of this.#tenants) {
      if (tenant.seenAt > now - REMEMBERED_MS || tenant.underWay > 0 || tenant.waiting.length > 0) return;
      this.#tenants.delete(tenantId);
      this.#weights -= tenant.weight;
    }
  }
}

const startOf = <T>({ waiting }: Tenant<T>): number => waiting[0]?.start ?? Infinity;
