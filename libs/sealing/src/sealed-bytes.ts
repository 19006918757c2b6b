// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (fresh nonce): every seal takes a random nonce from the system here. No caller can choose one, so none
// repeats.
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
/**
 * NIST SP 800-38D §8.2.2: with random 96-bit nonces a key is good for 2^32 messages; a tenant's key stays far below.
 */
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

/** Sealed bytes that can't be opened. It reveals nothing of the content. */
export class UnopenableError extends Error {
  override readonly name = 'UnopenableError';
}

/**
 * AES-256-GCM: nonce ‖ ciphertext ‖ tag. `context` is authenticated, not stored: opening needs the same context. For a
 * key that seals often, pass a `KeyObject`: making one from bytes costs more than the cipher.
 */
export function sealBytes(key: Buffer | KeyObject, clear: Uint8Array, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = cipherOf(key, nonce, context);
  return Buffer.concat([nonce, cipher.update(clear), cipher.final(), cipher.getAuthTag()]);
}

/** @throws UnopenableError if a byte was changed, or if it was sealed under another key or context */
export function openBytes(key: Buffer | KeyObject, sealed: Buffer, context: string): Buffer {
  if (sealed.length < NONCE_BYTES + TAG_BYTES)
    throw new UnopenableError('sealed bytes are shorter than their nonce and tag');
  const decipher = decipherOf(key, sealed.subarray(0, NONCE_BYTES), context);
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const clear = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    return Buffer.concat([clear, decipher.final()]);
  } catch (cause) {
    throw new UnopenableError('sealed bytes were changed, or sealed under another key or context', { cause });
  }
}

/** For contents that are too long for memory. Every use MUST have a fresh random nonce. */
export function cipherOf(key: Buffer | KeyObject, nonce: Uint8Array, context: string): CipherGCM {
  return createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(context));
}

/** As `cipherOf`, to open: its output is valid only once `final` has not thrown. */
export function decipherOf(key: Buffer | KeyObject, nonce: Uint8Array, context: string): DecipherGCM {
  return createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(context));
}
