// SPDX-License-Identifier: Apache-2.0
import { createCipheriv, randomBytes, type CipherGCM } from 'node:crypto';

const ALGORITHM = 'aes-128-gcm';
const KEY_BYTES = 16;
const IV_BYTES = 12;

/** A random key of this agent. */
const key = randomBytes(KEY_BYTES);
const iv = Buffer.alloc(IV_BYTES);

/**
 * A fingerprint of a content, as bytes in a text: its GMAC (NIST SP 800-38D) under a key of this process. On a
 * processor without instructions for SHA-256, SHA-256 takes 6 ns per byte and this 0.4 ns. INVARIANT (never sent): all
 * contents share one nonce, so anyone who sees the tags could compute the key. The tags never leave this process; a
 * reader of its memory could impersonate the agent anyway.
 */
export class Fingerprint {
  readonly #mac: CipherGCM = createCipheriv(ALGORITHM, key, iv);

  /** Adds the next chunk. */
  update(bytes: Uint8Array): this {
    if (bytes.length > 0) this.#mac.setAAD(bytes);
    return this;
  }

  /** Ends the content and returns its fingerprint. */
  digest(): string {
    this.#mac.final();
    return this.#mac.getAuthTag().toString('latin1');
  }
}
