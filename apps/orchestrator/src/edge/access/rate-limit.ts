// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { LRUCache } from 'lru-cache';

interface Bucket {
  tokens: number;
  at: number;
}

/** Stored buckets; a dropped one was idle and would be full again. */
const TENANTS_MAX = 20_000;

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** A token bucket for each tenant: so many requests a second, so many at once. Per replica. */
export class RateLimit {
  readonly #rateOf: (tenantId: string) => Rate;
  readonly #now: () => number;
  readonly #buckets = new LRUCache<string, Bucket>({ max: TENANTS_MAX });

  /** @param now monotonic milliseconds. `rateOf` is called for each request, so a new rate takes effect at once. */
  constructor(rateOf: (tenantId: string) => Rate, now: () => number) {
    this.#rateOf = rateOf;
    this.#now = now;
  }

  /** Consumes one request of the tenant's bucket. Fault `rate.limited`. */
  consume(tenantId: string): void {
    const now = this.#now();
    const { perSecond, burst } = this.#rateOf(tenantId);
    const bucket = this.#buckets.get(tenantId) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) * perSecond) / 1_000);
    bucket.at = now;
    this.#buckets.set(tenantId, bucket);
    if (bucket.tokens < 1)
      throw new Fault('rate.limited', `more than ${perSecond} requests a second; at most ${burst} at once`);
    bucket.tokens -= 1;
  }

  /**
   * Consumes `requests` more for an admitted request that contains several. The bucket may become negative; the tenant
   * is then rejected until it has refilled.
   */
  charge(tenantId: string, requests: number): void {
    const bucket = this.#buckets.get(tenantId);
    if (bucket !== undefined) bucket.tokens -= requests;
  }
}
