// SPDX-License-Identifier: Apache-2.0

/** Whether two values of JSON are the same. The order of members is none of their meaning. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), Object.entries(b)];
  return (
    left.length === right.length &&
    left.every(([name, value]) => Object.hasOwn(b, name) && isSameJson(value, (b as Record<string, unknown>)[name]))
  );
}
