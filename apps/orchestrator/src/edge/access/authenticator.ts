// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller } from '@writ/contract';
import { LRUCache } from 'lru-cache';
import type { ApiKeys } from '../../store/keys/api-keys.ts';
import { hashApiKey, isApiKeyText } from './api-key-text.ts';
import type { FailedKeys } from './failed-keys.ts';
import { isPlatformKey } from './platform-key.ts';

/** How long an answer about a key is believed, in milliseconds: a revoked key gets nobody in after one second. */
const BELIEVED_MS = 900;
/** How long a key that was good is asked about whatever else its address presents: longer than a client is quiet. */
const GOOD_MS = 3_600_000;
/** Keys kept in mind: more than are in use within a second. */
const KEPT_MAX = 10_000;

/** Tells whose key it is that a request presents. */
export class Authenticator {
  readonly #keys: ApiKeys;
  readonly #platformHash: Buffer;
  readonly #believed: LRUCache<string, Caller>;
  readonly #good: LRUCache<string, true>;
  readonly #failed: FailedKeys;
  readonly #monotonic: () => number;
  /** revocations through this replica */
  #forgotten = 0;

  /** @param monotonic milliseconds */
  constructor(keys: ApiKeys, platformHash: Buffer, monotonic: () => number, failed: FailedKeys) {
    this.#keys = keys;
    this.#platformHash = platformHash;
    this.#believed = new LRUCache({ max: KEPT_MAX, ttl: BELIEVED_MS, ttlResolution: 0, perf: { now: monotonic } });
    this.#good = new LRUCache({ max: KEPT_MAX, ttl: GOOD_MS, ttlResolution: 0, perf: { now: monotonic } });
    this.#failed = failed;
    this.#monotonic = monotonic;
  }

  /**
   * @param address where the request comes from. Faults: `auth.missing`, `auth.invalid`; `rate.limited` for an address
   * that presented too many keys that are none.
   */
  async identify(authorization: string | undefined, address: string): Promise<Caller | 'platform'> {
    const key = parseBearer(authorization);
    if (isPlatformKey(key, this.#platformHash)) return 'platform';
    if (!isApiKeyText(key)) throw new Fault('auth.invalid');
    const hash = hashApiKey(key);
    const name = Buffer.from(hash).toString('base64');
    const believed = this.#believed.get(name);
    if (believed !== undefined) return believed;
    if (!this.#good.has(name)) this.#failed.verifyMayTry(address);
    const [start, forgotten] = [this.#monotonic(), this.#forgotten];
    const caller = await this.#keys.authenticate(hash);
    if (caller === null) {
      this.#good.delete(name);
      this.#failed.note(address);
      throw new Fault('auth.invalid');
    }
    // The answer counts from when it was asked for. One that was asked for before a revocation here may not know of it.
    if (forgotten === this.#forgotten) this.#believed.set(name, caller, { start });
    this.#good.set(name, true);
    return caller;
  }

  /** A key that was revoked through this replica gets nobody in from now on. */
  forget(apiKeyId: string): void {
    this.#forgotten += 1;
    for (const [name, caller] of this.#believed.entries())
      if (caller.api_key_id === apiKeyId) this.#believed.delete(name);
  }
}

function parseBearer(authorization: string | undefined): string {
  if (authorization === undefined) throw new Fault('auth.missing');
  const [, key] = /^Bearer +(\S{1,256})$/i.exec(authorization) ?? [];
  if (key === undefined) throw new Fault('auth.invalid', 'the header must be `Authorization: Bearer <key>`');
  return key;
}
