// SPDX-License-Identifier: Apache-2.0

const NAMED: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
const ESCAPE = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|([\s\S]))/g;

/** Decodes backslash escapes as `$'…'`, `printf` and `echo -e` do; an escape of another character is that character. */
export function decodeEscapes(text: string): string {
  return text.replace(ESCAPE, (_all, hex?: string, short?: string, long?: string, octal?: string, char?: string) => {
    const code = hex ?? short ?? long;
    if (code !== undefined) return fromCode(Number.parseInt(code, 16));
    if (octal !== undefined) return fromCode(Number.parseInt(octal, 8) & 0xff);
    return NAMED[char ?? ''] ?? char ?? '';
  });
}

const fromCode = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '');
