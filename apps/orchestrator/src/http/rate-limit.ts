// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { LRUCache } from 'lru-cache';

interface Bucket { tokens: number; at: number }

/** Tenants whose buckets are kept; one that is dropped was idle and would be full again. */
const TENANTS_MAX = 20_000;

/** A token bucket for each tenant: so many requests a second, so many at once. Per replica. */
export class RateLimit {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #now: () => number;
  readonly #buckets = new LRUCache<string, Bucket>({ max: TENANTS_MAX });

  /** @param now monotonic milliseconds */
  constructor(limits: { readonly perSecond: number; readonly burst: number }, now: () => number) {
    this.#perSecond = limits.perSecond;
    this.#burst = limits.burst;
    this.#now = now;
  }

  /** Takes one request of the tenant's. Fault `rate.limited`. */
  take(tenantId: string): void {
    const now = this.#now();
    const bucket = this.#buckets.get(tenantId) ?? { tokens: this.#burst, at: now };
    bucket.tokens = Math.min(this.#burst, bucket.tokens + ((now - bucket.at) * this.#perSecond) / 1_000);
    bucket.at = now;
    this.#buckets.set(tenantId, bucket);
    if (bucket.tokens < 1) throw new Fault('rate.limited', `more than ${this.#perSecond} requests a second; at most ${this.#burst} at once`);
    bucket.tokens -= 1;
  }
}
