// SPDX-License-Identifier: Apache-2.0
//
// Escapes of bytes and characters in formats and programs: `%41`, `&#65;`, `&amp;`, `\u0041`, `\x41`, `\101`, `\'`.

/**
 * The bytes that an escape means, and its length; `more` where the decision needs bytes that haven't arrived; null for
 * no escape.
 */
export type Escape = { readonly bytes: Uint8Array; readonly length: number } | 'more' | null;

/** `&#x0010ffff;` and `\\ud83d\\ude00`. */
export const ESCAPE_BYTES_MAX = 12;

const [PERCENT, AMPERSAND, BACKSLASH] = [0x25, 0x26, 0x5c];

/** By byte: 1 if it may begin an escape. */
export const BEGINS_ESCAPE: Uint8Array = tableOf([PERCENT, AMPERSAND, BACKSLASH]);

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00A0' };
/** Escapes of control characters. */
const CONTROLS: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  f: '\f',
  v: '\v',
  b: '\b',
  a: '\x07',
  e: '\x1b',
};

type Form = readonly [whole: RegExp, begun: RegExp, text: (found: RegExpExecArray) => string | number | null];

const hexOf = (text: string | undefined): number => Number.parseInt(text ?? '', 16);

/**
 * Forms of escapes, by the byte after the first one: the whole form and the form of its prefixes. A number is a byte.
 */
const ENTITY: readonly Form[] = [
  [/^&#(\d{1,7});/, /^&(#\d{0,7})?$/, ([, code]) => characterOf(Number(code))],
  [/^&#x([0-9a-f]{1,8});/i, /^&#x[0-9a-f]{0,8}$/i, ([, hex]) => characterOf(hexOf(hex))],
  [/^&([a-z]{2,4});/i, /^&[a-z]{0,4}$/i, ([, name]) => ENTITIES[(name ?? '').toLowerCase()] ?? null],
];
const UNIT: readonly Form[] = [
  [
    /^\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/i,
    /^\\u(d([89ab]([0-9a-f]([0-9a-f](\\(u(d([c-f][0-9a-f]?)?)?)?)?)?)?)?)?$/i,
    ([, high, low]) => String.fromCharCode(hexOf(high), hexOf(low)),
  ],
  [/^\\u([0-9a-f]{4})/i, /^\\u[0-9a-f]{0,3}$/i, ([, hex]) => characterOf(hexOf(hex))],
  [/^\\u\{([0-9a-f]{1,6})\}/i, /^\\u(\{[0-9a-f]{0,6})?$/i, ([, hex]) => characterOf(hexOf(hex))],
];
const AFTER_BACKSLASH: Readonly<Record<string, readonly Form[]>> = {
  u: UNIT,
  U: [[/^\\U([0-9a-f]{8})/i, /^\\U[0-9a-f]{0,7}$/i, ([, hex]) => characterOf(hexOf(hex))]],
  x: [[/^\\x([0-9a-f]{2})/i, /^\\x[0-9a-f]?$/i, ([, hex]) => hexOf(hex)]],
  ...Object.fromEntries(
    [...'0123'].map((digit): [string, readonly Form[]] => [
      digit,
      [[/^\\([0-3][0-7]{2})/, /^\\[0-3][0-7]?$/, ([, octal]) => Number.parseInt(octal ?? '', 8)]],
    ]),
  ),
};
const PERCENT_ESCAPE: readonly Form[] = [[/^%([0-9a-f]{2})/i, /^%[0-9a-f]$/i, ([, hex]) => hexOf(hex)]];
/** Characters that mean themselves after a backslash. */
const ITSELF = /[!-/:-@[-`{-~]/;

/** Reads the escape that begins at `at`. `isLast`: no bytes follow the given ones. */
export function escapeAt(bytes: Uint8Array, at: number, isLast: boolean): Escape {
  const second = bytes[at + 1];
  if (second === undefined) return isLast ? null : 'more';
  const next = String.fromCharCode(second);
  if (bytes[at] === PERCENT) return HEX_DIGIT.test(next) ? matchForm(PERCENT_ESCAPE, bytes, at, isLast) : null;
  if (bytes[at] === AMPERSAND) return /[#a-z]/i.test(next) ? matchForm(ENTITY, bytes, at, isLast) : null;
  const simple = ITSELF.test(next) ? next : CONTROLS[next];
  if (simple !== undefined) return { bytes: Buffer.from(simple, 'latin1'), length: 2 };
  const forms = AFTER_BACKSLASH[next];
  return forms === undefined ? null : matchForm(forms, bytes, at, isLast);
}

const HEX_DIGIT = /[0-9a-f]/i;

function matchForm(forms: readonly Form[], bytes: Uint8Array, at: number, isLast: boolean): Escape {
  const most = Math.min(bytes.length, at + ESCAPE_BYTES_MAX);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + at, most - at).toString('latin1');
  const isOpen = !isLast && most === bytes.length;
  for (const [whole, begun, textOf] of forms) {
    const found = whole.exec(text);
    const decoded = found === null ? null : textOf(found);
    if (found !== null && decoded !== null)
      return {
        bytes: typeof decoded === 'number' ? Uint8Array.of(decoded) : Buffer.from(decoded, 'utf8'),
        length: found[0].length,
      };
    if (isOpen && begun.test(text)) return 'more';
  }
  return null;
}

const characterOf = (code: number): string | null => (code <= 0x10ffff ? String.fromCodePoint(code) : null);

/** A table by byte, 1 for each of these. */
export function tableOf(bytes: Iterable<number>): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of bytes) table[byte] = 1;
  return table;
}
