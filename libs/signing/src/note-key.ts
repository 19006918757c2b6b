// SPDX-License-Identifier: Apache-2.0
import { sha256, toHex, utf8Bytes } from '@writ/digest';
import { decodeBase64, encodeBase64 } from './base64/base64.ts';
import { PUBLIC_KEY_BYTES, parseVerifier, publicJwkOf } from './keys.ts';
import type { Verifier } from './keys.ts';
import { SignatureError } from './signature-error.ts';

/**
 * C2SP's signature types that Writ makes or accepts: plain Ed25519 over the text, and Ed25519 cosignatures with a time
 * (https://c2sp.org/tlog-cosignature).
 */
export const SIGNATURE_TYPE = { ed25519: 0x01, cosignature: 0x04 } as const;
export type SignatureType = (typeof SIGNATURE_TYPE)[keyof typeof SIGNATURE_TYPE];

/** Bytes of the key hash before a signature. It distinguishes keys; it doesn't authenticate them. */
export const KEY_HASH_BYTES = 4;

/** A key that may sign notes, identified by name and key hash together. */
export interface NoteKey {
  readonly name: string;
  /** 8 lower-case hexadecimal digits. */
  readonly keyHash: string;
  readonly verifier: Verifier;
}

/** Answers whether the text can be a key's name: not empty, no Unicode space, no control character, no plus. */
export function isNoteKeyName(name: string): boolean {
  // \s lacks NEL (U+0085), which \p{Cc} has; it has U+FEFF, which Unicode no longer counts as a space and which is
  // refused too.
  return name.isWellFormed() && /^[^\s\p{Cc}+]+$/u.test(name);
}

/** The first four bytes of SHA-256(name ‖ newline ‖ type ‖ public key). */
export function noteKeyHash(
  name: string,
  publicKey: Uint8Array,
  type: SignatureType = SIGNATURE_TYPE.ed25519,
): Uint8Array {
  return sha256(utf8Bytes(`${name}\n`), Uint8Array.of(type), publicKey).subarray(0, KEY_HASH_BYTES);
}

/**
 * The published form of a verifier key: `<name>+<hash>+<base64(type ‖ public key)>`.
 *
 * @throws SignatureError `malformed_key` for an invalid name or key.
 */
export function formatNoteKey(
  name: string,
  publicKey: Uint8Array,
  type: SignatureType = SIGNATURE_TYPE.ed25519,
): string {
  if (!isNoteKeyName(name) || publicKey.length !== PUBLIC_KEY_BYTES) throw new SignatureError('malformed_key');
  const hash = toHex(noteKeyHash(name, publicKey, type));
  return `${name}+${hash}+${encodeBase64(Uint8Array.of(type, ...publicKey))}`;
}

/**
 * Parses a published verifier key.
 *
 * @throws SignatureError `malformed_key`, also for a hash that isn't the key's and for keys of another type.
 */
export function parseNoteKey(text: string, type: SignatureType = SIGNATURE_TYPE.ed25519): NoteKey {
  const [name, keyHash, encoded] = partsOf(text);
  const bytes = decodeBase64(encoded, 'malformed_key');
  const publicKey = bytes.subarray(1);
  // Formatting it again compares name, hash, type and spelling at once.
  if (formatNoteKey(name, publicKey, type) !== text) throw new SignatureError('malformed_key');
  return { name, keyHash, verifier: parseVerifier(publicJwkOf(publicKey)) };
}

/** Split at the first two pluses: base64 may contain more of them. */
function partsOf(text: string): [name: string, keyHash: string, encoded: string] {
  const first = text.indexOf('+');
  const second = text.indexOf('+', first + 1);
  return [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)];
}
