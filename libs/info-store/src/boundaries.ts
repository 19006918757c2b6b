// SPDX-License-Identifier: Apache-2.0
// Where a text may be cut, and how well: the larger, the better.

/** inside of a surrogate pair */
export const FORBIDDEN = 0;
export const CODE_POINT = 1;
export const WORD = 2;
export const SENTENCE = 3;
export const LINE = 4;
export const PARAGRAPH = 5;
export const HEADING = 6;

const SPACE = /\s/;
const SENTENCE_END = /[.!?…。！？]/;
/** A heading of Markdown. */
const HEADING_LINE = /^#{1,6}[ \t]/;
/** A line that begins or ends a block of code, in which `#` begins comments. */
const FENCE_LINE = /^ {0,3}(?:```|~~~)/;
/** Bytes of a line that the patterns above look at. */
const LINE_START = 8;

/** The kind of boundary before each code unit, and after the last. Linear in the length of the text. */
export function boundariesOf(text: string): Uint8Array {
  const kinds = new Uint8Array(text.length + 1).fill(CODE_POINT);
  let [inCode, isBlank] = [false, true];
  let wasSentence = false;
  markLine(0);
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charAt(at);
    if (unit === '\n') {
      kinds[at + 1] = isBlank ? PARAGRAPH : LINE;
      isBlank = true;
      wasSentence = false;
      markLine(at + 1);
    } else if (SPACE.test(unit)) {
      kinds[at + 1] = wasSentence ? SENTENCE : WORD;
    } else {
      isBlank = false;
      wasSentence = SENTENCE_END.test(unit);
      if (isInPair(text, at + 1)) kinds[at + 1] = FORBIDDEN;
    }
  }
  return kinds;

  function markLine(at: number): void {
    const start = text.slice(at, at + LINE_START);
    if (FENCE_LINE.test(start)) inCode = !inCode;
    else if (!inCode && HEADING_LINE.test(start)) kinds[at] = HEADING;
  }
}

const isInPair = (text: string, at: number): boolean =>
  (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
