// SPDX-License-Identifier: Apache-2.0
import { FrameError, META_BYTES_MAX } from './frame.ts';

/** Fields of a frame by name, not checked yet. */
export type Meta = Readonly<Record<string, unknown>>;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The bytes of a frame's fields: JSON, since they are few and small beside the content that follows. */
export function encodeMeta(fields: object): Buffer {
  return Buffer.from(JSON.stringify(fields));
}

/** Parses fields. Throws FrameError when the bytes are no UTF-8, no JSON or no object. Unknown fields are ignored. */
export function parseMeta(bytes: Uint8Array): Meta {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch {
    throw new FrameError('the fields of a frame are not JSON in UTF-8');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new FrameError('the fields of a frame are not an object');
  return value as Meta;
}

/** Fields followed by content: `length of the fields (u16 big-endian) fields content`. */
export function prefixMeta(fields: object): Buffer {
  const meta = encodeMeta(fields);
  if (meta.length > META_BYTES_MAX)
    throw new FrameError(`the fields of a frame take ${META_BYTES_MAX} bytes, not ${meta.length}`);
  const prefixed = Buffer.allocUnsafe(2 + meta.length);
  prefixed.writeUInt16BE(meta.length, 0);
  prefixed.set(meta, 2);
  return prefixed;
}

/**
 * Splits the result of `prefixMeta` and the content after it. Throws FrameError when the payload is shorter than its
 * length field.
 */
export function splitMeta(payload: Buffer): { fields: Meta; bytes: Buffer } {
  const length = payload.length < 2 ? Infinity : payload.readUInt16BE(0);
  if (2 + length > payload.length) throw new FrameError('a frame is shorter than its fields');
  return { fields: parseMeta(payload.subarray(2, 2 + length)), bytes: payload.subarray(2 + length) };
}

/** A field that is a text of at most that many characters. */
export function textOf(fields: Meta, name: string, lengthMax: number): string {
  const value = own(fields, name);
  if (typeof value !== 'string' || value.length > lengthMax)
    throw new FrameError(`the field \`${name}\` is no text of at most ${lengthMax} characters`);
  return value;
}

/** A field that is an integer from 0 up to the bound. */
export function countOf(fields: Meta, name: string, max = Number.MAX_SAFE_INTEGER): number {
  const value = own(fields, name);
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > max)
    throw new FrameError(`the field \`${name}\` is no count up to ${max}`);
  return value;
}

/** A field that is true or false. */
export function flagOf(fields: Meta, name: string): boolean {
  const value = own(fields, name);
  if (typeof value !== 'boolean') throw new FrameError(`the field \`${name}\` is neither true nor false`);
  return value;
}

/** A field that is one of the given texts. */
export function oneOf<const T extends readonly string[]>(fields: Meta, name: string, allowed: T): T[number] {
  const value = own(fields, name);
  if (typeof value !== 'string' || !allowed.includes(value))
    throw new FrameError(`the field \`${name}\` is none of ${allowed.join(', ')}`);
  return value;
}

/** A field that is a table of texts by name; an empty one where it is absent. */
export function textsOf(fields: Meta, name: string): Readonly<Record<string, string>> {
  const value = own(fields, name) ?? {};
  if (
    typeof value !== 'object' ||
    Array.isArray(value) ||
    Object.values(value).some((text) => typeof text !== 'string')
  )
    throw new FrameError(`\`${name}\` is no table of texts`);
  return value as Record<string, string>;
}

/** A field that is a list of at most that many items. */
export function listOf(fields: Meta, name: string, itemsMax: number): readonly unknown[] {
  const value = own(fields, name);
  if (!Array.isArray(value) || value.length > itemsMax)
    throw new FrameError(`the field \`${name}\` is no list of at most ${itemsMax}`);
  return value as readonly unknown[];
}

/** Whether a field is absent or null. */
export function isNull(fields: Meta, name: string): boolean {
  return own(fields, name) === undefined || own(fields, name) === null;
}

/** Only own properties count: `constructor` is no field of a frame. */
function own(fields: Meta, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
