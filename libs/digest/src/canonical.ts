// SPDX-License-Identifier: Apache-2.0
import canonicalize from 'canonicalize';
import { DEPTH_CEILING, isExactNumber, requireString } from './i-json.ts';
import { JsonError, pointerToken } from './json-error.ts';

/**
 * The RFC 8785 text of a value.
 *
 * @throws JsonError for values without I-JSON form: undefined (also as a member or a hole), functions, symbols,
 * bigints, NaN, infinities, numbers of magnitude 2^53 and more, unpaired surrogates, NUL, instances of classes (also
 * Date and byte arrays), values nested deeper than 512, and so cycles.
 */
export function canonicalJson(value: unknown): string {
  requireIJson(value, 0, () => '');
  // The package drops undefined members and calls toJSON; the check above leaves it nothing to drop or call.
  return canonicalize(value) as string;
}

/** The UTF-8 bytes of `canonicalJson`, for hashing, signing and storing. */
export function canonicalBytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(canonicalJson(value));
}

/** Closures build pointers, because they are needed only for errors. */
type Pointer = () => string;

function requireIJson(value: unknown, depth: number, pointer: Pointer): void {
  if (value === null || typeof value === 'boolean') return;
  if (typeof value === 'string') {
    requireString(value, pointer);
  } else if (typeof value === 'number') {
    if (!isExactNumber(value)) throw new JsonError('number_range', pointer());
  } else if (typeof value !== 'object') {
    throw new JsonError('not_json', pointer());
  } else if (depth === DEPTH_CEILING) {
    throw new JsonError('too_deep', pointer());
  } else if (Array.isArray(value)) {
    requireItems(value, depth, pointer);
  } else {
    requireMembers(value, depth, pointer);
  }
}

function requireItems(items: readonly unknown[], depth: number, pointer: Pointer): void {
  for (let index = 0; index < items.length; index += 1) {
    requireIJson(items[index], depth + 1, () => pointer() + pointerToken(index));
  }
}

function requireMembers(members: object, depth: number, pointer: Pointer): void {
  if (!isPlain(members)) throw new JsonError('not_json', pointer());
  for (const [key, member] of Object.entries(members)) {
    const at = () => pointer() + pointerToken(key);
    requireString(key, at);
    requireIJson(member, depth + 1, at);
  }
}

/**
 * A plain object has no prototype, or one that is itself a root. Comparing with Object.prototype would refuse objects
 * of another realm.
 */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
