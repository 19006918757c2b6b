// SPDX-License-Identifier: Apache-2.0
import { platform } from '#base64';
import { SignatureError } from '../signature-error.ts';
import type { SignatureReason } from '../signature-error.ts';
import type { Alphabet } from './platform.ts';

/** Standard base64 with padding (RFC 4648 §4). */
export function encodeBase64(bytes: Uint8Array): string {
  return platform.encode(bytes, 'base64');
}

/**
 * Decodes standard base64, taking only the one spelling that `encodeBase64` gives: no white space, no missing padding,
 * no stray bits (RFC 4648 §3.5). So no byte of an encoding can be changed without changing what it says.
 *
 * @throws SignatureError of the reason given: what the text was part of.
 */
export function decodeBase64(text: string, reason: SignatureReason = 'malformed_base64'): Uint8Array {
  return decodeExactly(text, 'base64', reason);
}

/** The same for base64url without padding (RFC 4648 §5), as JWKs write it. */
export function decodeBase64Url(text: string, reason: SignatureReason): Uint8Array {
  return decodeExactly(text, 'base64url', reason);
}

/** The same for base64url. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return platform.encode(bytes, 'base64url');
}

function decodeExactly(text: string, alphabet: Alphabet, reason: SignatureReason): Uint8Array {
  const bytes = platform.decode(text, alphabet);
  if (platform.encode(bytes, alphabet) !== text) throw new SignatureError(reason);
  return bytes;
}
