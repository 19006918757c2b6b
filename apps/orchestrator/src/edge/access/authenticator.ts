// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller } from '@writ/contract';
import { LRUCache } from 'lru-cache';
import type { ApiKeys } from '../../store/keys/api-keys.ts';
import { hashApiKey, isApiKeyText } from './api-key-text.ts';
import type { FailedKeys } from './failed-keys.ts';
import { isPlatformKey } from './platform-key.ts';

/** How long the result for a key is cached, in milliseconds: a revoked key is rejected after one second at most. */
const CACHED_MS = 900;
/** How long a valid key is exempt from the limit on its address: longer than a client pauses between requests. */
const RECENTLY_VALID_MS = 3_600_000;
/** Cached keys: more than are in use within a second. */
const CACHED_MAX = 10_000;

/** Finds the caller whose key a request presents. */
export class Authenticator {
  readonly #keys: ApiKeys;
  readonly #platformHash: Buffer;
  readonly #cached: LRUCache<string, Caller>;
  readonly #recentlyValid: LRUCache<string, true>;
  readonly #failed: FailedKeys;
  readonly #monotonic: () => number;
  /** revocations through this replica */
  #revocations = 0;

  /** @param monotonic milliseconds */
  constructor(keys: ApiKeys, platformHash: Buffer, monotonic: () => number, failed: FailedKeys) {
    this.#keys = keys;
    this.#platformHash = platformHash;
    this.#cached = new LRUCache({ max: CACHED_MAX, ttl: CACHED_MS, ttlResolution: 0, perf: { now: monotonic } });
    this.#recentlyValid = new LRUCache({
      max: CACHED_MAX,
      ttl: RECENTLY_VALID_MS,
      ttlResolution: 0,
      perf: { now: monotonic },
    });
    this.#failed = failed;
    this.#monotonic = monotonic;
  }

  /**
   * @param address where the request comes from. Faults: `auth.missing`, `auth.invalid`; `rate.limited` for an address
   * that presented too many invalid keys.
   */
  async identify(authorization: string | undefined, address: string): Promise<Caller | 'platform'> {
    const key = parseBearer(authorization);
    if (isPlatformKey(key, this.#platformHash)) return 'platform';
    if (!isApiKeyText(key)) throw new Fault('auth.invalid');
    const hash = hashApiKey(key);
    const name = Buffer.from(hash).toString('base64');
    const cached = this.#cached.get(name);
    if (cached !== undefined) return cached;
    if (!this.#recentlyValid.has(name)) this.#failed.verifyMayRetry(address);
    const [start, revocations] = [this.#monotonic(), this.#revocations];
    const caller = await this.#keys.authenticate(hash);
    if (caller === null) {
      this.#recentlyValid.delete(name);
      this.#failed.recordFailure(address);
      throw new Fault('auth.invalid');
    }
    // The cache entry expires relative to the start of the query. A query that began before a revocation on this
    // replica may not reflect it, so its result is not cached.
    if (revocations === this.#revocations) this.#cached.set(name, caller, { start });
    this.#recentlyValid.set(name, true);
    return caller;
  }

  /** Drops a key that was revoked through this replica from the cache, so that it is rejected from now on. */
  forget(apiKeyId: string): void {
    this.#revocations += 1;
    for (const [name, caller] of this.#cached.entries()) if (caller.api_key_id === apiKeyId) this.#cached.delete(name);
  }
}

function parseBearer(authorization: string | undefined): string {
  if (authorization === undefined) throw new Fault('auth.missing');
  const [, key] = /^Bearer +(\S{1,256})$/i.exec(authorization) ?? [];
  if (key === undefined) throw new Fault('auth.invalid', 'the header must be `Authorization: Bearer <key>`');
  return key;
}
