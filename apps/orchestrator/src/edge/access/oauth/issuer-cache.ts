// SPDX-License-Identifier: Apache-2.0
// What issuers publish, cached. The issuer's URL comes from a tenant, so everything that it serves is
// attacker-controlled.
//
// INVARIANT (bounded requests): however many callers arrive, an issuer is asked once at a time, once within RETRY_MS
// after a failure, and once within `lackingMs` for what it doesn't publish.
import type { Fault } from '@writ/contract';
import { LRUCache } from 'lru-cache';

/** How long an issuer that failed isn't asked again. */
const RETRY_MS = 5_000;
/** Issuers that are cached: more than the tenants of one deployment have. */
const ISSUERS_MAX = 2_000;

export interface IssuerCacheOptions<T> {
  /** Fetches what an issuer publishes. Rejects with any error where it can't be used. */
  readonly fetch: (issuer: string) => Promise<T>;
  /** what the caller gets while an issuer can't be used */
  readonly unavailable: (issuer: string, cause: unknown) => Fault;
  /** monotonic milliseconds */
  readonly monotonic: () => number;
  /** the age from which on it is fetched anew in the background, so that an issuer's pause isn't noticed */
  readonly freshMs: number;
  /** the age beyond which it is no longer used */
  readonly maxAgeMs: number;
  /** how often it is fetched anew at most because something lacks in it */
  readonly lackingMs?: number;
  /** callers that wait for one issuer, so that a slow one takes no places from the callers of others; absent: any */
  readonly waitingMax?: number;
}

interface Cached<T> {
  value: T | null;
  /** at the start of the fetch */
  fetchedAt: number;
  failure: unknown;
  failedAt: number;
  lackingAt: number;
  fetching: Promise<T> | null;
  /** callers that wait for `fetching` */
  waiting: number;
}

const NEVER = Number.NEGATIVE_INFINITY;

/** What issuers publish, fetched when somebody needs it. */
export class IssuerCache<T> {
  readonly #options: IssuerCacheOptions<T>;
  readonly #issuers = new LRUCache<string, Cached<T>>({ max: ISSUERS_MAX });

  constructor(options: IssuerCacheOptions<T>) {
    this.#options = options;
  }

  /**
   * What the issuer publishes.
   * @param hasAll whether what is cached has what the caller needs; otherwise the issuer may be asked anew
   * @throws Fault `unavailable` while the issuer can't be used
   */
  async of(issuer: string, hasAll: (value: T) => boolean = () => true): Promise<T> {
    const { monotonic, freshMs, maxAgeMs } = this.#options;
    const cached = this.#cachedOf(issuer);
    const { value } = cached;
    const age = monotonic() - cached.fetchedAt;
    if (value === null || age > maxAgeMs) return await this.#refresh(issuer, cached);
    if (!hasAll(value)) return await this.#refreshForLacking(issuer, cached, value);
    // A failure is handled when the value is too old.
    if (age > freshMs) this.#refresh(issuer, cached).catch(() => undefined);
    return value;
  }

  #cachedOf(issuer: string): Cached<T> {
    const cached = this.#issuers.get(issuer);
    if (cached !== undefined) return cached;
    const made: Cached<T> = {
      value: null,
      fetchedAt: NEVER,
      failure: null,
      failedAt: NEVER,
      lackingAt: NEVER,
      fetching: null,
      waiting: 0,
    };
    this.#issuers.set(issuer, made);
    return made;
  }

  async #refreshForLacking(issuer: string, cached: Cached<T>, value: T): Promise<T> {
    const now = this.#options.monotonic();
    if (cached.fetching === null) {
      if (now - cached.lackingAt < (this.#options.lackingMs ?? 0)) return value;
      cached.lackingAt = now;
    }
    return await this.#refresh(issuer, cached);
  }

  async #refresh(issuer: string, cached: Cached<T>): Promise<T> {
    const { monotonic, unavailable, waitingMax = Number.POSITIVE_INFINITY } = this.#options;
    if (cached.fetching === null && monotonic() - cached.failedAt < RETRY_MS) throw unavailable(issuer, cached.failure);
    cached.fetching ??= this.#fetched(issuer, cached).finally(() => {
      cached.fetching = null;
    });
    if (cached.waiting >= waitingMax) throw unavailable(issuer, null);
    cached.waiting += 1;
    try {
      return await cached.fetching;
    } finally {
      cached.waiting -= 1;
    }
  }

  async #fetched(issuer: string, cached: Cached<T>): Promise<T> {
    const { fetch, monotonic, unavailable } = this.#options;
    const start = monotonic();
    try {
      const value = await fetch(issuer);
      cached.value = value;
      cached.fetchedAt = start;
      return value;
    } catch (cause) {
      cached.failure = cause;
      cached.failedAt = monotonic();
      throw unavailable(issuer, cause);
    }
  }
}
