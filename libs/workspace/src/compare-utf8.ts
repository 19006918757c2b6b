// SPDX-License-Identifier: Apache-2.0

/**
 * Compares two well-formed texts by their UTF-8 bytes. UTF-16 order differs in one point: there surrogates sort below
 * U+E000–U+FFFF, and here above them.
 */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Moves the surrogates (U+D800–U+DFFF) above everything else. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
