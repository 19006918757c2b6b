// SPDX-License-Identifier: Apache-2.0
import { RANGE_OPERATORS, type Filter, type RangeOperator } from './filter.ts';
import type { Metadata, MetadataValue } from './metadata.ts';

/** Answers whether the metadata matches a filter that was parsed, exactly as its path does in the database. */
export function filterMatches(filter: Filter | undefined, metadata: Metadata): boolean {
  if (filter === undefined) return true;
  if ('and' in filter) return filter.and.every((each) => filterMatches(each, metadata));
  if ('or' in filter) return filter.or.some((each) => filterMatches(each, metadata));
  const value = Object.hasOwn(metadata, filter.field) ? metadata[filter.field] : undefined;
  if (value === undefined) return false;
  if ('eq' in filter) return value === filter.eq;
  if ('in' in filter) return filter.in.includes(value);
  return RANGE_OPERATORS.every((name) => filter[name] === undefined || isWithin(value, name, filter[name]));
}

function isWithin(value: MetadataValue, operator: RangeOperator, bound: string | number): boolean {
  if (typeof value !== typeof bound) return false;
  const order =
    typeof value === 'string' ? compareCodePoints(value, bound as string) : Math.sign(Number(value) - Number(bound));
  return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[operator];
}

/** The sign of the order by code points, which is that of the UTF-8 bytes. JavaScript's own order differs in pairs. */
function compareCodePoints(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  for (let n = 0; n < Math.min(left.length, right.length); n += 1) {
    const order = (left[n]?.codePointAt(0) ?? 0) - (right[n]?.codePointAt(0) ?? 0);
    if (order !== 0) return Math.sign(order);
  }
  return Math.sign(left.length - right.length);
}
