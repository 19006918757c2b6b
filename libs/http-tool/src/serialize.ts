// SPDX-License-Identifier: Apache-2.0
//
// Writes the values of arguments by the styles of OpenAPI (3.1, "Style Values"; RFC 6570). INVARIANT (one reading): a
// text that a reader could split otherwise, because a value holds the delimiter, is refused. Some servers decode a text
// before they split it, and others split it first.
import { pointerOf, type HttpInput } from '@writ/contract';
import { RequestError } from './request-error.ts';

type Scalar = string | number | boolean;
type Written = Pick<HttpInput, 'argument' | 'name' | 'style' | 'explode'>;

/** A name and a value of a query or of a form; both are not encoded yet. */
export type Pair = readonly [name: string, value: string];

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The text of a value. @throws RequestError for a list or an object, null, and text that UTF-8 can't write */
function textOf(value: unknown, pointer: string): string {
  if (!isScalar(value)) throw new RequestError(pointer, 'is to be a text, a number or a boolean');
  const text = String(value);
  if (!text.isWellFormed()) throw new RequestError(pointer, 'is no Unicode text: it has half of a character');
  return text;
}

function partOf(value: unknown, pointer: string, delimiters: string): string {
  const text = textOf(value, pointer);
  const found = [...delimiters].find((one) => text.includes(one));
  if (found !== undefined)
    throw new RequestError(pointer, `holds \`${found}\`, which parts the values here, so that it would be two values`);
  return text;
}

/** The parts of a list or an object between which a delimiter stands. */
function partsOf(value: unknown, argument: string, delimiter: string, assigns: boolean): string[] {
  if (Array.isArray(value)) return value.map((one, at) => partOf(one, pointerOf(argument, at), delimiter));
  if (!isObject(value)) return [textOf(value, pointerOf(argument))];
  const delimiters = assigns ? `${delimiter}=` : delimiter;
  return Object.entries(value).flatMap(([key, one]) => {
    const name = partOf(key, pointerOf(argument, key), delimiters);
    const text = partOf(one, pointerOf(argument, key), delimiter);
    return assigns ? [`${name}=${text}`] : [name, text];
  });
}

/**
 * A value in the style `simple`, of a path or a header: its parts, between which a comma stands. `encode` writes what
 * is between the commas and the equals signs.
 */
export function simpleText({ argument, explode }: Written, value: unknown, encode: (text: string) => string): string {
  if (isScalar(value)) return encode(textOf(value, pointerOf(argument)));
  const assigns = explode && isObject(value);
  const parts = partsOf(value, argument, ',', assigns);
  return parts
    .map((part) => {
      const at = assigns ? part.indexOf('=') : -1;
      return at < 0 ? encode(part) : `${encode(part.slice(0, at))}=${encode(part.slice(at + 1))}`;
    })
    .join(',');
}

const DELIMITERS: Readonly<Record<string, string>> = { form: ',', spaceDelimited: ' ', pipeDelimited: '|' };

/**
 * The pairs of a query or a form for a value. An empty list and an empty object have none (RFC 6570 §2.3).
 * @throws RequestError
 */
export function pairsOf(input: Written, value: unknown): Pair[] {
  const { argument, name, style, explode } = input;
  if (style === 'deepObject') return deepPairs(input, value);
  if (isScalar(value)) return [[name, textOf(value, pointerOf(argument))]];
  if (value === null || typeof value !== 'object')
    throw new RequestError(pointerOf(argument), 'is to be a text, a number, a boolean, a list or an object');
  if (!explode) {
    const delimiter = DELIMITERS[style] ?? ',';
    const parts = partsOf(value, argument, delimiter, false);
    return parts.length === 0 ? [] : [[name, parts.join(delimiter)]];
  }
  if (Array.isArray(value)) return value.map((one, at) => [name, textOf(one, pointerOf(argument, at))]);
  return Object.entries(value).map(([key, one]) => [
    textOf(key, pointerOf(argument, key)),
    textOf(one, pointerOf(argument, key)),
  ]);
}

function deepPairs({ argument, name }: Written, value: unknown): Pair[] {
  if (!isObject(value)) throw new RequestError(pointerOf(argument), 'is to be an object');
  return Object.entries(value).map(([key, one]) => {
    if (/[[\]]/.test(key))
      throw new RequestError(pointerOf(argument, key), 'has a bracket in its name, where brackets part names');
    return [`${name}[${textOf(key, pointerOf(argument))}]`, textOf(one, pointerOf(argument, key))];
  });
}

/**
 * A text as RFC 3986 writes it where only unreserved characters stand for themselves: no character of it has a meaning
 * in a URL. The text MUST be well-formed.
 */
export const percentEncoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
