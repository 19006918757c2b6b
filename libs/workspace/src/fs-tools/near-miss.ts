// SPDX-License-Identifier: Apache-2.0

const collapseSpaces = (text: string): string => text.replace(/\s+/g, ' ').trim();

/**
 * A hint for a text without a match: the line where its first line occurs with other white space. That is the cause of
 * most failed edits.
 */
export function nearMiss(text: string, find: string): string {
  const words = collapseSpaces(find.trimStart().split('\n', 1)[0] ?? '');
  const line = words === '' ? null : lineOfWords(text, words);
  return line === null
    ? 'read the file: it may have changed'
    : `line ${line} has the same words with other white space or another line after it`;
}

function lineOfWords(text: string, words: string): number | null {
  for (let [start, line] = [0, 1]; start <= text.length; line++) {
    const feed = text.indexOf('\n', start);
    const end = feed === -1 ? text.length : feed;
    if (hasWords(text, start, end, words)) return line;
    start = end + 1;
  }
  return null;
}

const isSpace = (code: number): boolean =>
  code <= 0x20 ? code === 0x20 || (code >= 0x09 && code <= 0x0d) : code >= 0xa0 && /\s/.test(String.fromCharCode(code));

/**
 * Answers whether a part of the text consists of these words, with any white space between and around them. It makes no
 * copy of the line, since a file may have millions.
 */
function hasWords(text: string, start: number, end: number, words: string): boolean {
  let [at, matched] = [start, 0];
  while (at < end && isSpace(text.charCodeAt(at))) at += 1;
  while (at < end) {
    const code = text.charCodeAt(at);
    if (isSpace(code)) {
      while (at < end && isSpace(text.charCodeAt(at))) at += 1;
      if (at === end) break;
      if (words.charCodeAt(matched) !== 0x20) return false;
    } else {
      if (words.charCodeAt(matched) !== code) return false;
      at += 1;
    }
    matched += 1;
  }
  return matched === words.length;
}
