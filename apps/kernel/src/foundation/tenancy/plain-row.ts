// SPDX-License-Identifier: Apache-2.0

/** A row with its 64-bit integers and decimals as numbers, as `to_jsonb` gives it. */
export type PlainRow<T> = {
  [K in keyof T]: T[K] extends bigint ? number : T[K] extends bigint | null ? number | null : T[K];
};

/** Reads a row of the query builder. Throws where a number doesn't fit: a rounded one is worse than none. */
export function plainRow<T extends object>(row: T): PlainRow<T> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])) as PlainRow<T>;
}

function plain(value: unknown): unknown {
  if (typeof value !== 'bigint') return isDecimal(value) ? value.toNumber() : value;
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new Error('a column holds an integer past 2^53');
  return number;
}

/** The query builder has its own class of decimals; JSON columns have no methods. */
function isDecimal(value: unknown): value is { toNumber: () => number } {
  return typeof value === 'object' && value !== null && 'toNumber' in value && typeof value.toNumber === 'function';
}
