// SPDX-License-Identifier: Apache-2.0

/**
 * Parses Postgres' text of a bigint. Throws beyond ±(2^53 − 1), where a number would silently be rounded; every count
 * and size of Writ stays below.
 */
export function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`the bigint \`${text}\` is not a safe integer`);
  return value;
}

/** Parses Postgres' text of a one-dimensional bigint[], NULLs as null. Throws as `parseInt8` does. */
export function parseInt8Array(text: string): (number | null)[] {
  const body = text.slice(1, -1);
  if (body === '') return [];
  return body.split(',').map((item) => (item === 'NULL' ? null : parseInt8(item)));
}
