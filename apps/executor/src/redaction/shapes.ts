// SPDX-License-Identifier: Apache-2.0
import type { Pattern } from './automaton.ts';
import { looseBytes, decodedLooseBytes } from './readings.ts';

/** The patterns to search for in each reading. */
export interface Shapes {
  readonly plain: readonly Pattern[];
  readonly loose: readonly Pattern[];
  readonly hex: readonly Pattern[];
  /** bytes that are written as numbers, one by one or in groups */
  readonly numbers: readonly Pattern[];
  readonly characters: readonly Pattern[];
  readonly column: readonly Pattern[];
}

/** Shorter encoded forms would be found everywhere. */
const ENCODED_BYTES_MIN = 6;
/** Values with fewer bytes occur in unrelated lists of numbers. */
const NUMBERS_MIN = 4;
/** Shorter lines of a value reveal little and may occur in other texts. */
const LINE_BYTES_MIN = 16;
/**
 * For longer values only the reading of escapes finds the escaped forms: each further form would be as long as the
 * value.
 */
const LONG_CHARS = 1_024;
const [PRINTS_FROM, PRINTS_TO, POINT] = [0x20, 0x7e, 0x2e];

/**
 * Every form in which a value is searched for. Other forms are not found: compressed, encrypted, reversed, or with
 * other separators between its characters.
 */
export function shapesOf(name: string, value: string): Shapes {
  const raw = Buffer.from(value, 'utf8');
  const patternsOf = (bytesMin: number, ...all: readonly (Uint8Array | string)[]): Pattern[] =>
    distinct(all.map((bytes) => (typeof bytes === 'string' ? Buffer.from(bytes, 'utf8') : Buffer.from(bytes))))
      .filter(({ length }) => length >= bytesMin)
      .map((bytes) => ({ name, bytes }));
  const base64 = [0, 1, 2].map((lead) => base64Within(raw, lead));
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  return {
    plain: [
      ...patternsOf(1, raw),
      ...patternsOf(ENCODED_BYTES_MIN, ...(value.length > LONG_CHARS ? [] : texts(value))),
      ...patternsOf(LINE_BYTES_MIN, ...lines),
    ],
    loose: patternsOf(
      ENCODED_BYTES_MIN,
      looseBytes(value),
      decodedLooseBytes(value),
      ...base64,
      ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    ),
    hex: patternsOf(ENCODED_BYTES_MIN, raw.toString('hex')),
    numbers: patternsOf(NUMBERS_MIN, raw),
    characters: patternsOf(ENCODED_BYTES_MIN, value.replaceAll(/\s/g, '')),
    column: patternsOf(
      ENCODED_BYTES_MIN,
      raw.map((byte) => (byte < PRINTS_FROM || byte > PRINTS_TO ? POINT : byte)),
    ),
  };
}

const distinct = (all: readonly Buffer[]): Buffer[] =>
  all.filter((bytes, index) => all.findIndex((other) => other.equals(bytes)) === index);

const percent = (value: string, kept: RegExp): string =>
  [...Buffer.from(value, 'utf8')]
    .map((byte) =>
      kept.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).padStart(2, '0').toUpperCase()}`,
    )
    .join('');
const lowerPercent = (text: string): string => text.replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase());

/** The value as formats and shells escape it. */
function texts(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const ascii = json.replaceAll(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const component = percent(value, /[A-Za-z0-9_.!~*'()-]/);
  const strict = percent(value, /[A-Za-z0-9_.~-]/);
  const form = strict.replaceAll('%20', '+');
  const html = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return [
    json,
    ascii,
    json.replaceAll('/', '\\/'),
    component,
    strict,
    form,
    lowerPercent(component),
    lowerPercent(strict),
    lowerPercent(form),
    value.replaceAll("'", "'\\''"),
    value.replaceAll(/[^A-Za-z0-9_./:=@%+,\n-]/g, '\\$&'),
    html,
    html.replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
    value.replaceAll(/\r?\n/g, '\r\n'),
  ];
}

/** The base64 characters that depend on the value alone, with `lead` other bytes before it and any bytes after it. */
function base64Within(raw: Buffer, lead: number): string {
  const text = Buffer.concat([Buffer.alloc(lead), raw])
    .toString('base64')
    .replaceAll('=', '');
  const mixed = (lead + raw.length) % 3 === 0 ? 0 : 1;
  return text.slice(lead === 0 ? 0 : lead + 1, text.length - mixed);
}
