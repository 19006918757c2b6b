// SPDX-License-Identifier: Apache-2.0
import type { Caller } from '@writ/contract';
import { LRUCache } from 'lru-cache';
import { RetryAfterFault } from '../problems/problem.ts';

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

/** What is left of one rate after a request. */
export interface RateLeft {
  readonly of: 'tenant' | 'person';
  readonly rate: Rate;
  /** requests that the bucket holds; below one, and negative, the next request is refused */
  readonly tokens: number;
}

/** `rate.limited`, with what is left of the rates that were looked at. */
export class RateFault extends RetryAfterFault {
  readonly left: readonly RateLeft[];

  constructor(left: readonly [RateLeft, ...RateLeft[]]) {
    const [{ of, rate, tokens }] = left;
    const whose = of === 'person' ? ' of one person' : '';
    const afterS = Math.max(1, Math.ceil((1 - tokens) / rate.perSecond));
    super(
      'rate.limited',
      `more than ${rate.perSecond} requests a second${whose}; at most ${rate.burst} at once; wait ${afterS} s`,
      afterS,
    );
    this.left = left;
  }
}

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
   * the others. Returns what is left, the tenant's rate first. @throws RateFault `rate.limited`
   */
  consume(caller: RateCaller): RateLeft[] {
    const { tenant, person } = this.#ratesOf(caller.tenant_id);
    const ofPerson =
      person === null ? [] : [this.#take(this.#persons, personKey(caller), { of: 'person', rate: person })];
    return [this.#take(this.#tenants, caller.tenant_id, { of: 'tenant', rate: tenant }), ...ofPerson];
  }

  /** Consumes one request of the tenant alone, before its caller is known. @throws RateFault `rate.limited` */
  consumeTenant(tenantId: string): void {
    this.#take(this.#tenants, tenantId, { of: 'tenant', rate: this.#ratesOf(tenantId).tenant });
  }

  /**
   * Consumes `requests` more for an admitted request that contains several. A bucket may become negative; the caller is
   * then rejected until it has refilled.
   */
  charge(caller: RateCaller, requests: number): void {
    for (const bucket of [this.#tenants.get(caller.tenant_id), this.#persons.get(personKey(caller))])
      if (bucket !== undefined) bucket.tokens -= requests;
  }

  #take(buckets: LRUCache<string, Bucket>, key: string, limit: Omit<RateLeft, 'tokens'>): RateLeft {
    const { perSecond, burst } = limit.rate;
    const now = this.#now();
    const bucket = buckets.get(key) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) * perSecond) / 1_000);
    bucket.at = now;
    buckets.set(key, bucket);
    if (bucket.tokens < 1) throw new RateFault([{ ...limit, tokens: bucket.tokens }]);
    bucket.tokens -= 1;
    return { ...limit, tokens: bucket.tokens };
  }
}

/** All credentials of one person share a bucket; a key without a known person has its own. */
const personKey = ({ tenant_id, api_key_id, person }: RateCaller): string => `${tenant_id} ${person ?? api_key_id}`;

/**
 * The headers of draft-ietf-httpapi-ratelimit-headers: the quota and the seconds in which an empty bucket fills, and
 * how many requests are left and the seconds until the bucket is full.
 */
export function rateHeaders(left: readonly RateLeft[]): { 'ratelimit-policy': string; ratelimit: string } {
  const seconds = (tokens: number, { perSecond }: Rate): number => Math.max(1, Math.ceil(tokens / perSecond));
  return {
    'ratelimit-policy': left
      .map(({ of, rate }) => `"${of}";q=${Math.floor(rate.burst)};w=${seconds(rate.burst, rate)}`)
      .join(', '),
    ratelimit: left
      .map(({ of, rate, tokens }) => {
        const remaining = Math.max(0, Math.floor(tokens));
        return `"${of}";r=${remaining};t=${remaining >= rate.burst ? 0 : seconds(rate.burst - tokens, rate)}`;
      })
      .join(', '),
  };
}
