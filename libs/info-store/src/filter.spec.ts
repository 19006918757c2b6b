// SPDX-License-Identifier: Apache-2.0
import { filterMatches } from './filter-matches.ts';
import { filterPath } from './filter-path.ts';
import { parseFilter } from './filter.ts';

const nested = (depth: number): unknown => (depth === 0 ? { field: 'a', eq: 1 } : { and: [nested(depth - 1)] });

describe('a filter', () => {
  it.each([
    [{ field: 'a', eq: true }],
    [{ field: 'a', in: ['x', 1, false] }],
    [{ field: 'a.b-c', gt: 1, lte: 2 }],
    [{ and: [{ field: 'a', eq: 'x' }, { or: [{ field: 'b', lt: 'y' }] }] }],
    [nested(7)],
  ])('is accepted: %j', (filter) => {
    expect(parseFilter(filter)).toEqual(filter);
  });

  it.each([
    ['/filters', null],
    ['/filters', []],
    ['/filters', 'x'],
    ['/filters/field', {}],
    ['/filters', { field: 'a' }],
    ['/filters', { field: 'a', eq: 1, gt: 2 }],
    ['/filters', { field: 'a', not: 1 }],
    ['/filters/eq', { field: 'a', eq: null }],
    ['/filters/eq', { field: 'a', eq: { $ne: 1 } }],
    ['/filters/eq', { field: 'a', eq: NaN }],
    ['/filters/eq', { field: 'a', eq: '\ud800' }],
    ['/filters/gt', { field: 'a', gt: true }],
    ['/filters/in', { field: 'a', in: [] }],
    ['/filters/in', { field: 'a', in: Array(101).fill(1) }],
    ['/filters/field', { field: '', eq: 1 }],
    ['/filters/field', { field: 'a" || true', eq: 1 }],
    ['/filters/field', { field: '__proto__', eq: 1 }],
    ['/filters/field', { field: ['a'], eq: 1 }],
    ['/filters/and', { and: [] }],
    ['/filters', { and: [{ field: 'a', eq: 1 }], or: [{ field: 'a', eq: 1 }] }],
    [
      '/filters/or/1/eq',
      {
        or: [
          { field: 'a', eq: 1 },
          { field: 'a', eq: [] },
        ],
      },
    ],
    ['/filters/and/63', { and: Array(64).fill({ field: 'a', eq: 1 }) }],
    [`/filters${'/and/0'.repeat(8)}`, nested(8)],
  ])('is refused at %s: %j', (pointer, filter) => {
    expect(() => parseFilter(filter)).toThrow(expect.objectContaining({ reason: 'invalid', pointer }));
  });

  it('becomes a path without values of the caller', () => {
    const filter = parseFilter({
      and: [
        { field: 'a', in: ['x"', 1] },
        { field: 'b', gte: 'y', lt: 'z' },
      ],
    });
    expect(filterPath(filter)).toEqual({
      path: '(($."a" == $v0 || $."a" == $v1) && ($."b" >= $v2 && $."b" < $v3))',
      vars: { v0: 'x"', v1: 1, v2: 'y', v3: 'z' },
    });
    expect(filterPath(undefined)).toEqual({ path: '1 == 1', vars: {} });
  });

  it('compares texts by code points, and no text with a number', () => {
    expect(filterMatches({ field: 'a', gt: '\uffff' }, { a: '🌱' })).toBe(true);
    expect(filterMatches({ field: 'a', gt: 1 }, { a: '2' })).toBe(false);
    expect(filterMatches({ field: 'a', gt: 'ab' }, { a: 'abc' })).toBe(true);
    expect(filterMatches({ field: 'toString', eq: 'x' }, {})).toBe(false);
  });
});
