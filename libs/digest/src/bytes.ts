// SPDX-License-Identifier: Apache-2.0
//
// Operations on bytes without Buffer, so that Node.js and browsers verify with the same code.

const utf8 = new TextEncoder();

/** The UTF-8 bytes of a text; an unpaired surrogate becomes U+FFFD. */
export function utf8Bytes(text: string): Uint8Array {
  return utf8.encode(text);
}

/** The total length of the parts. */
export function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((length, part) => length + part.length, 0);
}

/**
 * Writes the parts one after another to the front of `into`, which MUST be large enough, and returns that part of it: a
 * view.
 */
export function writeBytes(into: Uint8Array, parts: readonly Uint8Array[]): Uint8Array {
  let at = 0;
  for (const part of parts) {
    into.set(part, at);
    at += part.length;
  }
  return into.subarray(0, at);
}

/** Concatenates the parts into a new array. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(lengthOf(parts));
  writeBytes(bytes, parts);
  return bytes;
}

/**
 * Negative, zero or positive, as the first sorts before, with or after the second as unsigned bytes. Not for secrets:
 * its time depends on where they differ.
 */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at += 1) if (a[at] !== b[at]) return (a[at] as number) - (b[at] as number);
  return a.length - b.length;
}

/** Two lower-case hexadecimal digits for each byte. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}
