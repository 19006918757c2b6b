// SPDX-License-Identifier: Apache-2.0
//
// Readers of what a server sends. Attacker-controlled. INVARIANT (known members): a value is rebuilt from the members
// that are known here, and what else a server adds has no meaning. INVARIANT (no words): a problem names a place by
// known names and numbers alone, and repeats nothing that the server says.
import { McpError } from './mcp-error.ts';

/** Reads a value at a place, which is a JSON pointer. @throws McpError `malformed` or `too_large` */
export type Read<T> = (value: unknown, place: string) => T;
type Json = Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, Read<unknown>>>;

const LAST_MODIFIED_CHARS_MAX = 64;
const ROLES: readonly unknown[] = ['user', 'assistant'];

/** The error of a value that has another form. @param what is wrong with it, without words of the server */
export const malformed = (place: string, what: string): McpError =>
  new McpError('malformed', `the server's answer is none of MCP: \`${place === '' ? '/' : place}\` ${what}`);

/** Whether a value is an object of JSON. */
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const text: Read<string> = (value, place) => {
  if (typeof value !== 'string') throw malformed(place, 'is no text');
  return value;
};

/** @param charsMax what a member of this kind may have */
export const textUpTo =
  (charsMax: number): Read<string> =>
  (value, place) => {
    if (text(value, place).length > charsMax) throw malformed(place, `has more than ${charsMax} characters`);
    return text(value, place);
  };

/** A number that every reader of JSON holds exactly enough: a result with any other one has no digest. */
export const amount: Read<number> = (value, place) => {
  if (typeof value !== 'number' || !(Math.abs(value) <= Number.MAX_SAFE_INTEGER))
    throw malformed(place, 'is no number, or one that is too large');
  return value;
};

export const flag: Read<boolean> = (value, place) => {
  if (typeof value !== 'boolean') throw malformed(place, 'is neither true nor false');
  return value;
};

/** @param values all that it may be */
export const oneOf =
  <T extends string>(...values: readonly T[]): Read<T> =>
  (value, place) => {
    if (!(values as readonly unknown[]).includes(value)) throw malformed(place, `is none of ${values.join(', ')}`);
    return value as T;
  };

/** Bytes in base64, as the SDK takes them: a client of a mount would reject any other text. */
export const base64: Read<string> = (value, place) => {
  try {
    atob(text(value, place));
  } catch (error) {
    throw error instanceof McpError ? error : malformed(place, 'is no base64');
  }
  return value as string;
};

/** @param max more items than that are not read */
export const listOf =
  <T>(read: Read<T>, max: number): Read<readonly T[]> =>
  (value, place) => {
    if (!Array.isArray(value)) throw malformed(place, 'is no list');
    if (value.length > max) throw new McpError('too_large', `the server's answer has more than ${max} items in a list`);
    return value.map((item, n) => read(item, `${place}/${n}`));
  };

/** An object of which members are kept: those that must be there, and those that may be absent or null. */
export const record =
  (required: Fields, optional: Fields = {}): Read<Json> =>
  (value, place) => {
    const object = objectAt(value, place);
    const present = Object.entries(optional).filter(([name]) => object[name] !== undefined && object[name] !== null);
    const members = [...Object.entries(required), ...present].map(
      ([name, read]) => [name, read(object[name], `${place}/${name}`)] as const,
    );
    return Object.fromEntries(members.filter(([, member]) => member !== undefined));
  };

/**
 * An object whose names the server chooses. A place within it has the number of the member, and not its name. A client
 * that assigns a member `__proto__` would not have it afterwards.
 */
export const mapOf =
  <T>(read: Read<T>): Read<Readonly<Record<string, T>>> =>
  (value, place) => {
    const object = objectAt(value, place);
    if (Object.hasOwn(object, '__proto__')) throw malformed(place, 'has a member `__proto__`');
    return Object.fromEntries(
      Object.entries(object).map(([name, member], n) => [name, read(member, `${place}/${n}`)] as const),
    );
  };

function objectAt(value: unknown, place: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(place, 'is no object');
  return value as Json;
}

/** Hints for a client: whom a part is for, how much it matters, and how old it is. What is none of these is dropped. */
export const annotations: Read<Json | undefined> = (value) => {
  if (typeof value !== 'object' || value === null) return undefined;
  const { audience, priority, lastModified } = value as Json;
  const roles = Array.isArray(audience) ? ROLES.filter((role) => audience.includes(role)) : [];
  const kept = {
    ...(roles.length === 0 ? {} : { audience: roles }),
    ...(typeof priority === 'number' && priority >= 0 && priority <= 1 ? { priority } : {}),
    ...(typeof lastModified === 'string' && lastModified.length <= LAST_MODIFIED_CHARS_MAX ? { lastModified } : {}),
  };
  return Object.keys(kept).length === 0 ? undefined : kept;
};
