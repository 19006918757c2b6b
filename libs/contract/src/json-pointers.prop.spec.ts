// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { namesIn, pointerOf } from './json-pointers.ts';

const name = fc.string({ unit: fc.constantFrom('a', '/', '~', '0', '1', ' ', '%', 'ä'), maxLength: 6 });

test('a pointer leads back to its names, and a longer one is the pointers of its parts', () => {
  fc.assert(
    fc.property(fc.array(name), fc.array(name), (some, others) => {
      expect(namesIn(pointerOf(...some))).toEqual(some);
      expect(pointerOf(...some, ...others)).toBe(`${pointerOf(...some)}${pointerOf(...others)}`);
    }),
  );
});

test('the examples of RFC 6901 are read as it says', () => {
  expect(['', '/foo', '/foo/0', '/', '/a~1b', '/m~0n', '/~01'].map(namesIn)).toEqual([
    [],
    ['foo'],
    ['foo', '0'],
    [''],
    ['a/b'],
    ['m~n'],
    ['~1'],
  ]);
});
