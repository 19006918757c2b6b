// SPDX-License-Identifier: Apache-2.0
import { parseInt8, parseInt8Array } from './int8.ts';

describe('bigints as numbers', () => {
  it('parses integers that a number represents exactly', () => {
    expect(parseInt8('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
    expect(parseInt8('-9007199254740991')).toBe(Number.MIN_SAFE_INTEGER);
  });

  it.each(['9007199254740992', '-9007199254740992', '9223372036854775807'])(
    'refuses %s rather than rounding it',
    (text) => {
      expect(() => parseInt8(text)).toThrow(RangeError);
    },
  );

  it('parses arrays, empty and with NULLs', () => {
    expect(parseInt8Array('{}')).toEqual([]);
    expect(parseInt8Array('{1,NULL,-3}')).toEqual([1, null, -3]);
    expect(() => parseInt8Array('{1,9007199254740993}')).toThrow(RangeError);
  });
});
