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
 * Decodes standard base64, accepting only the spelling of `encodeBase64`: no white space, no missing padding, no stray
 * bits (RFC 4648 §3.5). So changing any byte of an encoding changes its meaning.
 *
 * @throws SignatureError with the given reason, which names what the text was part of.
 */
export function decodeBase64(text: string, reason: SignatureReason = 'malformed_base64'): Uint8Array {
  return decodeExactly(text, 'base64', reason);
}

/** The same for base64url without padding (RFC 4648 §5), as in JWKs. */
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
