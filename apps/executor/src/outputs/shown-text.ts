// SPDX-License-Identifier: Apache-2.0
import { isUtf8 } from 'node:buffer';

/** Output as the result shows it. */
export interface ShownText {
  readonly text: string;
  /** whether it held NUL or bytes that are not UTF-8, which show as U+FFFD */
  readonly isLossy: boolean;
}

/** A character has at most four bytes, so up to three of its first bytes may end the text. */
const HALF_MAX = 3;

/** Bytes as text. @param cut whether they were cut off, perhaps within a character, which is then left out */
export function shownText(bytes: Uint8Array, cut: boolean): ShownText {
  const whole = cut ? bytes.subarray(0, bytes.length - halfCharacter(bytes)) : bytes;
  const text = Buffer.from(whole.buffer, whole.byteOffset, whole.length).toString('utf8');
  return { text: text.replaceAll('\0', '\uFFFD'), isLossy: !isUtf8(whole) || text.includes('\0') };
}

/** How many bytes at the end are the beginning of a character whose other bytes are missing. */
export function halfCharacter(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(HALF_MAX, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    // Bytes of the form 10xxxxxx continue a character; its first byte tells how long it is.
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 && byte <= 0xf4 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
    return byte < 0xf5 && length > back ? back : 0;
  }
  return 0;
}
