// SPDX-License-Identifier: Apache-2.0

export type Alphabet = 'base64' | 'base64url';

/** The base64 functions of a platform. */
export interface Base64 {
  /** With padding in base64, without in base64url (RFC 4648 §4 and §5). */
  encode(bytes: Uint8Array, alphabet: Alphabet): string;
  /**
   * Decodes a text that `encode` returned. For any other text the result is arbitrary: callers MUST encode it again and
   * compare.
   */
  decode(text: string, alphabet: Alphabet): Uint8Array;
}
