// SPDX-License-Identifier: Apache-2.0

export type Alphabet = 'base64' | 'base64url';

/** Base64 as a platform has it. */
export interface Base64 {
  /** With padding in base64, without in base64url (RFC 4648 §4 and §5). */
  encode(bytes: Uint8Array, alphabet: Alphabet): string;
  /**
   * What a text that `encode` gave stands for. For any other text any bytes: callers MUST encode them again and
   * compare.
   */
  decode(text: string, alphabet: Alphabet): Uint8Array;
}
