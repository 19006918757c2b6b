// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (fresh nonce): whoever seals draws the nonce from the system here. No caller can name one, so none repeats.
import {
  createCipheriv,
  createDecipheriv,
  randomBytes,
  type CipherGCM,
  type DecipherGCM,
  type KeyObject,
} from 'node:crypto';

const CIPHER = 'aes-256-gcm';
/** Length of a key of AES-256. */
export const KEY_BYTES = 32;
/** NIST SP 800-38D §8.2.2: random 96-bit nonces keep a key good for 2^32 messages; a tenant's key is far from that. */
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

/**
 * AES-256-GCM: nonce ‖ ciphertext ‖ tag. `context` is authenticated, not stored: who opens must name the same. A key
 * that seals often is a `KeyObject`: made of its bytes each time, it costs more than the cipher.
 */
export function sealBytes(key: Buffer | KeyObject, clear: Uint8Array, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = cipherOf(key, nonce, context);
  return Buffer.concat([nonce, cipher.update(clear), cipher.final(), cipher.getAuthTag()]);
}

/**
 * @throws Error if a byte was changed, or if it was sealed under another key or context. Names nothing of the content.
 */
export function openBytes(key: Buffer | KeyObject, sealed: Buffer, context: string): Buffer {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new Error('sealed bytes are shorter than their nonce and tag');
  const decipher = decipherOf(key, sealed.subarray(0, NONCE_BYTES), context);
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}

/** For what is too long to be held at once. A nonce MUST be drawn for each use. */
export function cipherOf(key: Buffer | KeyObject, nonce: Uint8Array, context: string): CipherGCM {
  return createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(context));
}

/** As `cipherOf`, to open: what it gives counts once `final` has not thrown. */
export function decipherOf(key: Buffer | KeyObject, nonce: Uint8Array, context: string): DecipherGCM {
  return createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(context));
}
