// SPDX-License-Identifier: Apache-2.0
//
// JSON.parse of V8 12.8 to at least 14.6 may read a member's name that is written with an escape as another one, which
// an earlier text had: after one with a backslash for a name, a quote for a name is read as a backslash
// (https://github.com/nodejs/node/issues/63785). What was decided on would not be what is run, so no such text is given
// to it.
const [BACKSLASH, COLON] = [0x5c, 0x3a];

/** Says whether the name of some member may be written with an escape, in a text that is JSON. In linear time. */
export function hasEscapedName(text: string): boolean {
  let escape = text.indexOf('\\');
  while (escape !== -1) {
    // It is the first one since a string ended, so no quote between is escaped: the last of them begins the string that
    // it is in.
    const begins = text.lastIndexOf('"', escape);
    if (begins === -1) return false; // no JSON
    const ends = endOfString(text, begins);
    if (isName(text, ends)) return true;
    escape = text.indexOf('\\', ends);
  }
  return false;
}

/** Where the string that begins at a quote has its last one; the end of the text where it has none. */
export function endOfString(text: string, begins: number): number {
  for (let at = text.indexOf('"', begins + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = at;
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1;
    if ((at - escapes) % 2 === 0) return at;
  }
  return text.length;
}

/** Whether a colon follows the string that ends there. */
function isName(text: string, ends: number): boolean {
  for (let at = ends + 1; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === COLON) return true;
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return false;
  }
  return false;
}
