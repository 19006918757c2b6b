// SPDX-License-Identifier: Apache-2.0
//
// JSON.parse of V8 12.8 to at least 14.6 may confuse a member's name that is written with an escape with a name in an
// earlier text. After a text with a backslash as a name, it reads a quote as a name as a backslash
// (https://github.com/nodejs/node/issues/63785). Then the executed call would differ from the decided one, so such
// texts are never passed to JSON.parse.
const [BACKSLASH, COLON] = [0x5c, 0x3a];

/** Answers whether the name of some member of a JSON text may be written with an escape. In linear time. */
export function hasEscapedName(text: string): boolean {
  let escape = text.indexOf('\\');
  while (escape !== -1) {
    // It is the first escape since a string ended, so no quote between is escaped: the last of them begins its string.
    const begins = text.lastIndexOf('"', escape);
    if (begins === -1) return false; // no JSON
    const ends = endOfString(text, begins);
    if (isName(text, ends)) return true;
    escape = text.indexOf('\\', ends);
  }
  return false;
}

/** The index of the closing quote of the string that begins at a quote; the end of the text if there is none. */
export function endOfString(text: string, begins: number): number {
  for (let at = text.indexOf('"', begins + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = at;
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1;
    if ((at - escapes) % 2 === 0) return at;
  }
  return text.length;
}

/** Answers whether a colon follows the string that ends there. */
function isName(text: string, ends: number): boolean {
  for (let at = ends + 1; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === COLON) return true;
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return false;
  }
  return false;
}
