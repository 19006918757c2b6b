// SPDX-License-Identifier: Apache-2.0

/**
 * Finds a text in others in linear time for any inputs (Knuth, Morris, Pratt). `indexOf` of the engine is quadratic for
 * a long text that almost matches everywhere. Both are UTF-8, so a match consists of whole characters.
 */
export class TextFinder {
  readonly length: number;
  readonly #text: Uint8Array;
  /** by matched length: the length of the longest proper prefix that is also a suffix of it */
  readonly #borders: Int32Array;

  /** @param text not empty */
  constructor(text: Uint8Array) {
    if (text.length === 0) throw new Error('an empty text stands everywhere');
    this.#text = text;
    this.length = text.length;
    this.#borders = bordersOf(text);
  }

  /**
   * Calls `visit` with each match from the left; with `overlapping`, also with matches that begin within the previous
   * one.
   */
  each(within: Uint8Array, overlapping: boolean, visit: (at: number) => void): void {
    const [text, borders, { length }] = [this.#text, this.#borders, this];
    if (length === 1) return eachByte(within, text[0] ?? 0, visit);
    const afterMatch = overlapping ? (borders[length - 1] ?? 0) : 0;
    let matched = 0;
    for (let at = 0; at < within.length; at++) {
      const byte = within[at];
      while (matched > 0 && text[matched] !== byte) matched = borders[matched - 1] ?? 0;
      if (text[matched] === byte) matched += 1;
      if (matched < length) continue;
      visit(at - length + 1);
      matched = afterMatch;
    }
  }
}

/** A text of one byte needs no borders, and is the most frequent. */
function eachByte(within: Uint8Array, byte: number, visit: (at: number) => void): void {
  for (let at = 0; at < within.length; at++) if (within[at] === byte) visit(at);
}

function bordersOf(text: Uint8Array): Int32Array {
  const borders = new Int32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at++) {
    while (length > 0 && text[length] !== text[at]) length = borders[length - 1] ?? 0;
    if (text[length] === text[at]) length += 1;
    borders[at] = length;
  }
  return borders;
}

/** Limit for copying byte by byte: for fewer bytes, a call costs more than the copying. */
const SHORT_BYTES = 48;

/** Replaces the first `count` matches, from the left and without overlaps. */
export function replaceMatches(
  text: Uint8Array,
  finder: TextFinder,
  replacement: Uint8Array,
  count: number,
): Uint8Array {
  if (replacement.length === finder.length) return overwriteMatches(text, finder, replacement);
  const made = new Uint8Array(text.length + count * (replacement.length - finder.length));
  let [from, to] = [0, 0];
  const copy = (source: Uint8Array, start: number, end: number): void => {
    if (end - start > SHORT_BYTES) made.set(source.subarray(start, end), to);
    else for (let at = start; at < end; at++) made[to + at - start] = source[at] ?? 0;
    to += end - start;
  };
  finder.each(text, false, (at) => {
    copy(text, from, at);
    copy(replacement, 0, replacement.length);
    from = at + finder.length;
  });
  copy(text, from, text.length);
  return made;
}

function overwriteMatches(text: Uint8Array, finder: TextFinder, replacement: Uint8Array): Uint8Array {
  // `slice` of a Buffer shares its bytes, which belong to a cache.
  const made = new Uint8Array(text);
  finder.each(text, false, (at) => {
    for (let index = 0; index < replacement.length; index++) made[at + index] = replacement[index] ?? 0;
  });
  return made;
}
