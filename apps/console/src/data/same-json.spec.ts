// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { isSameJson } from './same-json.ts';

it('a value is the same as its copy, in whatever order its members are', () => {
  const reversed = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(reversed)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .toReversed()
              .map(([name, member]) => [name, reversed(member)]),
          )
        : value;
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: true }), (value) => {
      expect(isSameJson(value, reversed(value))).toBe(true);
    }),
  );
});

it('another value, type or member is not the same', () => {
  for (const [a, b] of [
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: undefined }, { b: undefined }],
    [[], {}],
    [null, {}],
    ['1', 1],
    [{ toString: 1 }, {}],
  ])
    expect([isSameJson(a, b), isSameJson(b, a)]).toEqual([false, false]);
});
