// SPDX-License-Identifier: Apache-2.0

const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];

/** Where the lines of a text begin that are asked for, and how many there are; each line has its line feed. */
export interface LineRange {
  /** all lines of the text; a last one without a line feed counts too */
  readonly lines: number;
  /** bytes before the first line of the range; the length of the text where it has fewer lines */
  readonly start: number;
  /** bytes before the first line after the range */
  readonly end: number;
}

/** Finds the lines from `offset` on, `limit` of them at most, in one pass. */
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
 * Where as many whole lines end as fit into the bytes from `start` on; of a first line that doesn't fit, as many whole
 * characters.
 */
export function cutToBytes(text: Uint8Array, start: number, end: number, bytesMax: number): number {
  const most = start + bytesMax;
  if (end <= most) return end;
  const feed = text.lastIndexOf(LINE_FEED, most - 1);
  if (feed >= start) return feed + 1;
  let cut = most;
  // A byte of this form goes on with a character that began before it.
  while (cut > start && ((text[cut] ?? 0) & 0xc0) === 0x80) cut -= 1;
  return cut;
}

/** The numbers, from 1, of the lines that hold these places, which are in order. */
export function linesAt(text: Uint8Array, places: readonly number[]): number[] {
  const numbers: number[] = [];
  let [line, at] = [1, 0];
  for (const place of places) {
    for (; at < place; at++) if (text[at] === LINE_FEED) line += 1;
    numbers.push(line);
  }
  return numbers;
}

/** Whether the text has line ends and each of them is a carriage return with a line feed. */
export function hasCrlfOnly(text: Uint8Array): boolean {
  let isFound = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== LINE_FEED) continue;
    if (at === 0 || text[at - 1] !== CARRIAGE_RETURN) return false;
    isFound = true;
  }
  return isFound;
}
