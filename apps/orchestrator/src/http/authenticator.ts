// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller } from '@writ/contract';
import { LRUCache } from 'lru-cache';
import type { ApiKeys } from '../ports/api-keys.ts';
import { hashApiKey, isApiKeyText } from '../support/api-key-text.ts';
import { isPlatformKey } from './platform-key.ts';

/** How long an answer about a key is believed, in milliseconds: a revoked key gets nobody in after one second. */
const BELIEVED_MS = 900;
/** Keys kept in mind: more than are in use within a second. */
const KEPT_MAX = 10_000;

/** Tells whose key it is that a request presents. */
export class Authenticator {
  readonly #keys: ApiKeys;
  readonly #platformHash: Buffer;
  readonly #believed: LRUCache<string, Caller>;

  /** @param monotonic milliseconds */
  constructor(keys: ApiKeys, platformHash: Buffer, monotonic: () => number) {
    this.#keys = keys;
    this.#platformHash = platformHash;
    this.#believed = new LRUCache({ max: KEPT_MAX, ttl: BELIEVED_MS, ttlResolution: 0, perf: { now: monotonic } });
  }

  /** Faults: `auth.missing`, `auth.invalid`. */
  async identify(authorization: string | undefined): Promise<Caller | 'platform'> {
    const key = parseBearer(authorization);
    if (isPlatformKey(key, this.#platformHash)) return 'platform';
    if (!isApiKeyText(key)) throw new Fault('auth.invalid');
    const hash = hashApiKey(key);
    const name = Buffer.from(hash).toString('base64');
    const believed = this.#believed.get(name);
    if (believed !== undefined) return believed;
    const caller = await this.#keys.authenticate(hash);
    if (caller === null) throw new Fault('auth.invalid');
    this.#believed.set(name, caller);
    return caller;
  }

  /** A key that was revoked through this replica gets nobody in from now on. */
  forget(apiKeyId: string): void {
    for (const [name, caller] of this.#believed.entries()) if (caller.api_key_id === apiKeyId) this.#believed.delete(name);
  }
}

function parseBearer(authorization: string | undefined): string {
  if (authorization === undefined) throw new Fault('auth.missing');
  const [, key] = /^Bearer +(\S{1,256})$/i.exec(authorization) ?? [];
  if (key === undefined) throw new Fault('auth.invalid', 'the header must be `Authorization: Bearer <key>`');
  return key;
}
