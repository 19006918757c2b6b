// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller } from '@writ/contract';
import { LRUCache } from 'lru-cache';
import type { ApiKeys } from '../../store/keys/api-keys.ts';
import { hashApiKey, isApiKeyText } from './api-key-text.ts';
import type { FailedKeys } from './failed-keys.ts';
import { isJwtText } from './oauth/access-token.ts';
import type { PersonLinks } from './oauth/person-links.ts';
import type { TokenCallers, TokenNeed } from './oauth/token-callers.ts';
import { isPlatformKey } from './platform-key.ts';

/** How long the result for a key is cached, in milliseconds: a revoked key is rejected after one second at most. */
const CACHED_MS = 900;
/** How long a valid key is exempt from the limit on its address: longer than a client pauses between requests. */
const RECENTLY_VALID_MS = 3_600_000;
/** Cached keys: more than are in use within a second. */
const CACHED_MAX = 10_000;

/** Longest API key and platform key, in characters. */
const KEY_CHARS_MAX = 256;

/** Why a token that may be valid is refused. */
const UNUSABLE: ReadonlySet<string> = new Set(['auth.issuer_unavailable', 'auth.insufficient_scope']);

/** What knows more than keys: the persons behind them, and access tokens. */
export interface Identification {
  readonly persons: PersonLinks;
  readonly tokens: TokenCallers;
  /** counts tokens that are not usable though they may be valid: each costs look-ups too */
  readonly refused: FailedKeys;
}

/** For whoever needs no role: what a token gives is enough. */
const ANY: TokenNeed = { roles: null, path: '/' };

/** Finds the caller whose key or access token a request presents. */
export class Authenticator {
  readonly #keys: ApiKeys;
  readonly #platformHash: Buffer;
  readonly #cached: LRUCache<string, Caller>;
  readonly #recentlyValid: LRUCache<string, true>;
  readonly #failed: FailedKeys;
  readonly #monotonic: () => number;
  readonly #identification: Identification | null;
  /** revocations through this replica */
  #revocations = 0;

  /**
   * @param monotonic milliseconds
   * @param identification null: only keys are accepted, and persons have no pseudonym
   */
  constructor(
    keys: ApiKeys,
    platformHash: Buffer,
    monotonic: () => number,
    failed: FailedKeys,
    identification: Identification | null = null,
  ) {
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
    this.#identification = identification;
  }

  /**
   * @param address where the request comes from
   * @param need what a token is to be good for; a key has one role, which the caller of this method compares
   * Faults: `auth.missing`, `auth.invalid`; `rate.limited` for an address that presented too many invalid keys; for
   * tokens also `auth.insufficient_scope` and `auth.issuer_unavailable`.
   */
  async identify(
    authorization: string | undefined,
    address: string,
    need: TokenNeed = ANY,
  ): Promise<Caller | 'platform'> {
    const key = parseBearer(authorization);
    if (isJwtText(key)) return await this.#identifyToken(key, address, need);
    if (key.length > KEY_CHARS_MAX) throw new Fault('auth.invalid');
    if (isPlatformKey(key, this.#platformHash)) return 'platform';
    if (!isApiKeyText(key)) throw new Fault('auth.invalid');
    const hash = hashApiKey(key);
    const name = Buffer.from(hash).toString('base64');
    const cached = this.#cached.get(name);
    if (cached !== undefined) return cached;
    if (!this.#recentlyValid.has(name)) this.#failed.verifyMayRetry(address);
    const [start, revocations] = [this.#monotonic(), this.#revocations];
    const found = await this.#keys.authenticate(hash);
    if (found === null) {
      this.#recentlyValid.delete(name);
      this.#failed.recordFailure(address);
      throw new Fault('auth.invalid');
    }
    const caller = (await this.#identification?.persons.withPerson(found)) ?? found;
    // The cache entry expires relative to the start of the query. A query that began before a revocation on this
    // replica may not reflect it, so its result is not cached.
    if (revocations === this.#revocations) this.#cached.set(name, caller, { start });
    this.#recentlyValid.set(name, true);
    return caller;
  }

  /**
   * Resolves while the key or token still stands for the caller whom it stood for when a stream began. Faults: as
   * `identify`; `auth.invalid` where it stands for another one.
   * @param path of the request that began
   */
  async verifyCaller(caller: Caller, authorization: string | undefined, address: string, path = '/'): Promise<void> {
    const now = await this.identify(authorization, address, { roles: [caller.role], path });
    if (now === 'platform' || now.api_key_id !== caller.api_key_id) throw new Fault('auth.invalid');
  }

  async #identifyToken(token: string, address: string, need: TokenNeed): Promise<Caller> {
    if (this.#identification === null) throw new Fault('auth.invalid');
    const name = Buffer.from(hashApiKey(token)).toString('base64');
    const { tokens, refused } = this.#identification;
    if (!this.#recentlyValid.has(name) && !tokens.isCached(token)) {
      this.#failed.verifyMayRetry(address);
      refused.verifyMayRetry(address);
    }
    try {
      const caller = await tokens.identify(token, need);
      this.#recentlyValid.set(name, true);
      return caller;
    } catch (error) {
      if (error instanceof Fault && error.code === 'auth.invalid') {
        this.#recentlyValid.delete(name);
        this.#failed.recordFailure(address);
      }
      if (error instanceof Fault && UNUSABLE.has(error.code)) refused.recordFailure(address);
      throw error;
    }
  }

  /** Drops what is cached of tokens and persons, after a removal or a denial through this replica. */
  forgetIdentities(): void {
    this.#identification?.tokens.forget();
    this.#identification?.persons.forget();
  }

  /** Drops a key that was revoked through this replica from the cache, so that it is rejected from now on. */
  forget(apiKeyId: string): void {
    this.#revocations += 1;
    for (const [name, caller] of this.#cached.entries()) if (caller.api_key_id === apiKeyId) this.#cached.delete(name);
    this.forgetIdentities();
  }
}

function parseBearer(authorization: string | undefined): string {
  if (authorization === undefined) throw new Fault('auth.missing');
  const [, key] = /^Bearer +(\S{1,8192})$/i.exec(authorization) ?? [];
  if (key === undefined)
    throw new Fault('auth.invalid', 'the header must be `Authorization: Bearer <key>`, of 8192 characters at most');
  return key;
}
