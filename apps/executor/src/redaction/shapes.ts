// SPDX-License-Identifier: Apache-2.0
import type { Pattern } from './automaton.ts';
import { looseBytes, readLoosely } from './readings.ts';

/** What is looked for in each reading. */
export interface Shapes {
  readonly plain: readonly Pattern[];
  readonly loose: readonly Pattern[];
  readonly hex: readonly Pattern[];
  /** where bytes are written as numbers, one by one or in groups */
  readonly numbers: readonly Pattern[];
  readonly characters: readonly Pattern[];
  readonly column: readonly Pattern[];
}

/** An encoded form that is shorter would be found everywhere. */
const ENCODED_BYTES_MIN = 6;
/** A value of fewer bytes is found in lists of numbers that have nothing to do with it. */
const NUMBERS_MIN = 4;
/** A line of a value that is shorter tells little, and may be a line of anything. */
const LINE_BYTES_MIN = 16;
/**
 * Of longer values the escapes of each format are found by the reading of escapes alone: every form more is as long
 * again.
 */
const LONG_CHARS = 1_024;
const [PRINTS_FROM, PRINTS_TO, POINT] = [0x20, 0x7e, 0x2e];

/**
 * Every form in which the value is looked for. What isn't here (compressed, encrypted, reversed, with other signs
 * between its characters) is not found.
 */
export function shapesOf(name: string, value: string): Shapes {
  const raw = Buffer.from(value, 'utf8');
  const named = (least: number, ...all: readonly (Uint8Array | string)[]): Pattern[] =>
    distinct(all.map((bytes) => (typeof bytes === 'string' ? Buffer.from(bytes, 'utf8') : Buffer.from(bytes))))
      .filter(({ length }) => length >= least)
      .map((bytes) => ({ name, bytes }));
  const base64 = [0, 1, 2].map((lead) => base64Within(raw, lead));
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  return {
    plain: [
      ...named(1, raw),
      ...named(ENCODED_BYTES_MIN, ...(value.length > LONG_CHARS ? [] : texts(value))),
      ...named(LINE_BYTES_MIN, ...lines),
    ],
    loose: named(
      ENCODED_BYTES_MIN,
      looseBytes(value),
      readLoosely(value),
      ...base64,
      ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    ),
    hex: named(ENCODED_BYTES_MIN, raw.toString('hex')),
    numbers: named(NUMBERS_MIN, raw),
    characters: named(ENCODED_BYTES_MIN, value.replaceAll(/\s/g, '')),
    column: named(
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

/** The value as formats and shells write it. */
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

/**
 * The characters of base64 that hang on the value alone where `lead` bytes of something else stand before it, and
 * others behind it.
 */
function base64Within(raw: Buffer, lead: number): string {
  const text = Buffer.concat([Buffer.alloc(lead), raw])
    .toString('base64')
    .replaceAll('=', '');
  const mixed = (lead + raw.length) % 3 === 0 ? 0 : 1;
  return text.slice(lead === 0 ? 0 : lead + 1, text.length - mixed);
}
