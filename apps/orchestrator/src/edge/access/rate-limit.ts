// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller } from '@writ/contract';
import { LRUCache } from 'lru-cache';

interface Bucket {
  tokens: number;
  at: number;
}

/** Stored buckets of each kind; a dropped one was idle and would be full again. */
const BUCKETS_MAX = 20_000;

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** The rates of a tenant: of all its callers together, and of each person; null: no bound of its own. */
export interface Rates {
  readonly tenant: Rate;
  readonly person: Rate | null;
}

/** Who makes a request. */
export type RateCaller = Pick<Caller, 'tenant_id' | 'api_key_id' | 'person'>;

/**
 * Token buckets: for each tenant, and for each person of a tenant with such a limit. So many requests a second, so many
 * at once. Per replica.
 */
export class RateLimit {
  readonly #ratesOf: (tenantId: string) => Rates;
  readonly #now: () => number;
  readonly #tenants = new LRUCache<string, Bucket>({ max: BUCKETS_MAX });
  readonly #persons = new LRUCache<string, Bucket>({ max: BUCKETS_MAX });

  /** @param now monotonic milliseconds. `ratesOf` is called for each request, so a new rate takes effect at once. */
  constructor(ratesOf: (tenantId: string) => Rates, now: () => number) {
    this.#ratesOf = ratesOf;
    this.#now = now;
  }

  /**
   * Consumes one request of the caller's person, then one of the tenant: so a person who is limited takes nothing from
   * the others. Fault `rate.limited`.
   */
  consume(caller: RateCaller): void {
    const { tenant, person } = this.#ratesOf(caller.tenant_id);
    if (person !== null) this.#take(this.#persons, personKey(caller), person, ' of one person');
    this.#take(this.#tenants, caller.tenant_id, tenant, '');
  }

  /** Consumes one request of the tenant alone, before its caller is known. Fault `rate.limited`. */
  consumeTenant(tenantId: string): void {
    this.#take(this.#tenants, tenantId, this.#ratesOf(tenantId).tenant, '');
  }

  /**
   * Consumes `requests` more for an admitted request that contains several. A bucket may become negative; the caller is
   * then rejected until it has refilled.
   */
  charge(caller: RateCaller, requests: number): void {
    for (const bucket of [this.#tenants.get(caller.tenant_id), this.#persons.get(personKey(caller))])
      if (bucket !== undefined) bucket.tokens -= requests;
  }

  #take(buckets: LRUCache<string, Bucket>, key: string, { perSecond, burst }: Rate, whose: string): void {
    const now = this.#now();
    const bucket = buckets.get(key) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) * perSecond) / 1_000);
    bucket.at = now;
    buckets.set(key, bucket);
    if (bucket.tokens < 1)
      throw new Fault('rate.limited', `more than ${perSecond} requests a second${whose}; at most ${burst} at once`);
    bucket.tokens -= 1;
  }
}

/** All credentials of one person share a bucket; a key without a known person has its own. */
const personKey = ({ tenant_id, api_key_id, person }: RateCaller): string => `${tenant_id} ${person ?? api_key_id}`;
