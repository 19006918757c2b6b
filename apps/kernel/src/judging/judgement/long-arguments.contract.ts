// SPDX-License-Identifier: Apache-2.0
// Arguments that are designed to take long, for specs: each of some bytes, or of as many values as arguments may hold.
import { LIMITS } from '@writ/contract';

const { argsValues, argsNames } = LIMITS;

/** Repeats a unit between a start and an end until the text has so many bytes, or so many units. */
export interface Shape {
  readonly unit: (index: number) => string;
  readonly start: string;
  readonly end: string;
  readonly most?: number;
}

const list = (unit: string, most?: number): Shape => ({
  unit: () => `${unit},`,
  start: '{"a":[',
  end: '0]}',
  ...(most === undefined ? {} : { most }),
});
const text = (unit: string): Shape => ({ unit: () => unit, start: '{"a":"', end: '"}' });
const object = (unit: (index: number) => string, most?: number): Shape => ({
  unit: (index) => `${unit(index)},`,
  start: '{',
  end: '"z":0}',
  ...(most === undefined ? {} : { most }),
});
const nest = (open: string, inner: string, close: string, levels: number): string =>
  open.repeat(levels) + inner + close.repeat(levels);

/** Values besides the object, its member and the last item of its list. */
const ITEMS = argsValues.max - 3;
const LEVELS = 29;

/** Shapes that are too many values where they are a megabyte long. */
const TOO_MANY: readonly (readonly [string, Shape])[] = [
  ['empty lists', list('[]')],
  ['empty objects', list('{}')],
  ['empty strings', list('""')],
  ['numbers', list('0')],
  ['nested lists', list(nest('[', '', ']', LEVELS))],
  ['nested objects', list(nest('{"a":', '0', '}', LEVELS))],
  ['names', object((index) => `"${index.toString(36)}":0`)],
  ['names with escapes', object((index) => `"\\u0041${index.toString(36)}":0`)],
  ['long numbers', list('0.12345678901234567e-100')],
];

/** Shapes of as many values and names as there may be, and of texts as long as they may be. */
const AS_MANY: readonly (readonly [string, Shape])[] = [
  ['as many empty lists as there may be', list('[]', ITEMS)],
  ['as many empty objects as there may be', list('{}', ITEMS)],
  ['as many strings as there may be', list(`"${'x'.repeat(55)}"`, ITEMS)],
  ['as many wide strings as there may be', list(`"${'€'.repeat(18)}"`, ITEMS)],
  ['as many numbers as there may be', list('0.1234567890123456789e-30', ITEMS)],
  ['as many nested lists as there may be', list(nest('[', '', ']', LEVELS), Math.floor(ITEMS / LEVELS))],
  ['as many objects as there may be', list('{"a":0}', Math.floor(ITEMS / 2))],
  [
    'as many names as there may be',
    object((index) => `"${index.toString(36)}${'x'.repeat(400)}":0`, argsNames.max - 1),
  ],
  ['names with escapes in them', object((index) => `"\\"${index.toString(36)}":[[],[],[]]`, argsNames.max - 1)],
  [
    'objects of different names',
    { unit: (index) => `{"${index.toString(36)}":{}},`, start: '{"a":[', end: '0]}', most: argsNames.max - 1 },
  ],
  ['a text', text('x')],
  ['a wide text', text('€')],
  ['a text of escapes', text('\\n')],
  ['a text of escaped characters', text('\\u20ac')],
  ['a text of quotes', text('\\"')],
  ['a text of backslashes', text('\\\\')],
  ['one long number', { unit: () => '1', start: '{"a":0.', end: '}' }],
  ['spaces', { unit: () => ' ', start: '{"a":0', end: '}' }],
];

/** The names of those that are within the bounds however long they are. */
export const LONG: ReadonlySet<string> = new Set(AS_MANY.map(([name]) => name));
export const SHAPES: readonly (readonly [string, Shape])[] = [...TOO_MANY, ...AS_MANY];

/** The text of a shape, in UTF-8, of at most so many bytes. */
export function textOf({ unit, start, end, most = Infinity }: Shape, bytesMax: number): string {
  const parts = [start];
  let bytes = Buffer.byteLength(start) + Buffer.byteLength(end);
  for (let index = 0; index < most; index += 1) {
    const part = unit(index);
    bytes += Buffer.byteLength(part);
    if (bytes > bytesMax) break;
    parts.push(part);
  }
  return [...parts, end].join('');
}
