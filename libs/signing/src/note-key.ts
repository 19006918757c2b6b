// SPDX-License-Identifier: Apache-2.0
import { sha256, toHex, utf8Bytes } from '@writ/digest';
import { decodeBase64, encodeBase64 } from './base64/base64.ts';
import { PUBLIC_KEY_BYTES, parseVerifier, publicJwkOf } from './keys.ts';
import type { Verifier } from './keys.ts';
import { SignatureError } from './signature-error.ts';

/**
 * C2SP's signature types that Writ makes or takes: plain Ed25519 over the text, and Ed25519 cosignatures with a time
 * (https://c2sp.org/tlog-cosignature).
 */
export const SIGNATURE_TYPE = { ed25519: 0x01, cosignature: 0x04 } as const;
export type SignatureType = (typeof SIGNATURE_TYPE)[keyof typeof SIGNATURE_TYPE];

/** Bytes of the key hash that stand in front of a signature. It tells keys apart; it doesn't authenticate them. */
export const KEY_HASH_BYTES = 4;

/** A key that may sign notes, known by name and key hash together. */
export interface NoteKey {
  readonly name: string;
  /** 8 lower-case hexadecimal digits. */
  readonly keyHash: string;
  readonly verifier: Verifier;
}

/** Answers whether the text can be a key's name: not empty, no Unicode space, no control character, no plus. */
export function isNoteKeyName(name: string): boolean {
  // \s lacks NEL (U+0085), which \p{Cc} has; in return it has U+FEFF, which Unicode no longer counts as a space:
  // refused all the same.
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
 * A verifier key as it is published: `<name>+<hash>+<base64(type ‖ public key)>`.
 *
 * @throws SignatureError `malformed_key` for a name or key that can't be one.
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
 * Reads a published verifier key.
 *
 * @throws SignatureError `malformed_key`, also for a hash that isn't the key's and for keys of another type.
 */
export function parseNoteKey(text: string, type: SignatureType = SIGNATURE_TYPE.ed25519): NoteKey {
  const [name, keyHash, encoded] = partsOf(text);
  const bytes = decodeBase64(encoded, 'malformed_key');
  const publicKey = bytes.subarray(1);
  // Formatting again compares name, hash, type and spelling in one go.
  if (formatNoteKey(name, publicKey, type) !== text) throw new SignatureError('malformed_key');
  return { name, keyHash, verifier: parseVerifier(publicJwkOf(publicKey)) };
}

/** Cut at the first two pluses: base64 may have more of them. */
function partsOf(text: string): [name: string, keyHash: string, encoded: string] {
  const first = text.indexOf('+');
  const second = text.indexOf('+', first + 1);
  return [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)];
}
