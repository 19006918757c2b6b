// SPDX-License-Identifier: Apache-2.0

const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];

/** The range of the requested lines in a text, and the number of all lines; each line includes its line feed. */
export interface LineRange {
  /** all lines of the text; a last one without a line feed counts too */
  readonly lines: number;
  /** bytes before the first line of the range; the length of the text if it has fewer lines */
  readonly start: number;
  /** bytes before the first line after the range */
  readonly end: number;
}

/** Finds the lines from `offset` on, at most `limit`, in one pass. */
export function lineRangeOf(text: Uint8Array, offset: number, limit: number | undefined): LineRange {
  const last = limit === undefined ? Infinity : offset + limit;
  let [lines, start, end] = [0, offset === 0 ? 0 : text.length, text.length];
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== LINE_FEED) continue;
    lines += 1;
    if (lines === offset) start = at + 1;
    if (lines === last) end = at + 1;
  }
  const isOpen = text.length > 0 && text[text.length - 1] !== LINE_FEED;
  return { lines: isOpen ? lines + 1 : lines, start, end };
}

/**
 * The end of the whole lines that fit into `bytesMax` bytes from `start`; if the first line doesn't fit, the end of the
 * whole characters that do.
 */
export function cutToBytes(text: Uint8Array, start: number, end: number, bytesMax: number): number {
  const most = start + bytesMax;
  if (end <= most) return end;
  const feed = text.lastIndexOf(LINE_FEED, most - 1);
  if (feed >= start) return feed + 1;
  let cut = most;
  // A byte of this form continues a character.
  while (cut > start && ((text[cut] ?? 0) & 0xc0) === 0x80) cut -= 1;
  return cut;
}

/** The line numbers, from 1, of these offsets, which are sorted. */
export function linesAt(text: Uint8Array, offsets: readonly number[]): number[] {
  const numbers: number[] = [];
  let [line, at] = [1, 0];
  for (const place of offsets) {
    for (; at < place; at++) if (text[at] === LINE_FEED) line += 1;
    numbers.push(line);
  }
  return numbers;
}

/** Answers whether the text has line ends and each of them is CRLF. */
export function hasCrlfOnly(text: Uint8Array): boolean {
  let isFound = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== LINE_FEED) continue;
    if (at === 0 || text[at - 1] !== CARRIAGE_RETURN) return false;
    isFound = true;
  }
  return isFound;
}
