// SPDX-License-Identifier: Apache-2.0
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { parseJson } from '@writ/digest';
import { openBytes, sealBytes } from '@writ/sealing';
import { LRUCache } from 'lru-cache';

const KEY_BYTES = 32;
/** Cached derived keys: deriving one takes microseconds, and few tenants are active at a time. */
const KEYS_MAX = 1_000;

/**
 * Encrypts texts of sessions, as JSON. Each tenant has its own key, derived from the process's key (HKDF, RFC 5869), so
 * a row cannot be decrypted as another tenant's.
 */
export class SessionSeal {
  readonly #key: Buffer;
  readonly #derived = new LRUCache<string, KeyObject>({ max: KEYS_MAX });

  /** @param key 32 bytes */
  constructor(key: Buffer) {
    this.#key = key;
  }

  /** @param of the context to which it is bound: the value opens in no other context */
  seal(tenantId: string, of: string, value: unknown): Buffer {
    return sealBytes(this.#keyOf(tenantId), Buffer.from(JSON.stringify(value)), of);
  }

  /** Throws where it was sealed for another context, or was modified. */
  open(tenantId: string, of: string, sealed: Buffer): unknown {
    return parseJson(openBytes(this.#keyOf(tenantId), sealed, of).toString('utf8'));
  }

  #keyOf(tenantId: string): KeyObject {
    const known = this.#derived.get(tenantId);
    if (known !== undefined) return known;
    const key = createSecretKey(
      new Uint8Array(hkdfSync('sha256', this.#key, '', `writ/session/v1\n${tenantId}`, KEY_BYTES)),
    );
    this.#derived.set(tenantId, key);
    return key;
  }
}
