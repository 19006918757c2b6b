// SPDX-License-Identifier: Apache-2.0
import { invalid } from './info-store-error.ts';
import { METADATA_MEMBERS_MAX, METADATA_TEXT_LENGTH_MAX } from './limits.ts';

/** A value of a document's metadata. Numbers are finite. */
export type MetadataValue = string | number | boolean;
/** What a document's author says of it, and filters read: at most 32 members. */
export type Metadata = Readonly<Record<string, MetadataValue>>;

/** Names of members. They stand in a JSON path of a filter, so they hold nothing that needs escaping. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;

/** @throws InfoStoreError `invalid` for anything but an object of bounded scalars */
export function parseMetadata(value: unknown, pointer: string): Metadata {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(pointer, 'metadata is an object of texts, numbers and booleans');
  const members = Object.entries(value);
  if (members.length > METADATA_MEMBERS_MAX)
    throw invalid(pointer, `metadata has at most ${METADATA_MEMBERS_MAX} members, and this has ${members.length}`);
  return Object.fromEntries(
    members.map(([name, member]) => [
      parseMetadataName(name, pointer),
      parseMetadataValue(member, `${pointer}/${name}`),
    ]),
  );
}

/** Answers whether a member may have the name. `__proto__` in an object literal would set its prototype. */
export const isMetadataName = (value: unknown): value is string =>
  typeof value === 'string' && NAME.test(value) && value !== '__proto__';

/** Answers whether a member may have the value. */
export const isMetadataValue = (value: unknown): value is MetadataValue =>
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value)) ||
  isStorableText(value, METADATA_TEXT_LENGTH_MAX);

/** Answers whether every store can hold a text of that length: without U+0000 and without half a surrogate pair. */
export const isStorableText = (value: unknown, lengthMax: number): value is string =>
  typeof value === 'string' && value.length <= lengthMax && !value.includes('\u0000') && value.isWellFormed();

/** @throws InfoStoreError `invalid` */
export function parseMetadataName(value: unknown, pointer: string): string {
  if (isMetadataName(value)) return value;
  throw invalid(
    pointer,
    'a name in metadata has 1 to 64 of `A-Z a-z 0-9 _ . -`, begins with none of `.` and `-`, and is not `__proto__`',
  );
}

/** @throws InfoStoreError `invalid` */
export function parseMetadataValue(value: unknown, pointer: string): MetadataValue {
  if (typeof value === 'boolean') return value;
  // The digest of a change takes no larger numbers, and the database knows no negative zero.
  if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value === 0 ? 0 : value;
  if (typeof value !== 'string')
    throw invalid(pointer, 'a value in metadata is a text, a boolean or a number below 2^53');
  return parseText(value, pointer, METADATA_TEXT_LENGTH_MAX);
}

/**
 * A text that every store can hold: of bounded length, without U+0000 and without half a surrogate pair.
 * @throws InfoStoreError `invalid`
 */
export function parseText(value: unknown, pointer: string, lengthMax: number): string {
  if (typeof value !== 'string') throw invalid(pointer, 'a text is needed here');
  if (value.length > lengthMax)
    throw invalid(pointer, `the text has at most ${lengthMax} characters, and this has ${value.length}`);
  if (value.includes('\u0000')) throw invalid(pointer, 'the text holds the character U+0000: remove it');
  if (!value.isWellFormed()) throw invalid(pointer, 'the text holds half of a surrogate pair: it is not valid Unicode');
  return value;
}
