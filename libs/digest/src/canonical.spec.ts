// SPDX-License-Identifier: Apache-2.0
import { canonicalBytes, canonicalJson } from './canonical.ts';
import { JsonError } from './json-error.ts';

function faultOf(value: unknown): JsonError {
  try {
    canonicalJson(value);
  } catch (error) {
    if (error instanceof JsonError) return error;
    throw error;
  }
  throw new Error('the value was accepted');
}

const nested = (depth: number) => {
  let value: unknown = 1;
  for (let i = 0; i < depth; i += 1) value = [value];
  return value;
};

class Point {
  readonly x = 1;
}

describe('canonicalJson', () => {
  it('matches the example of RFC 8785 §3.2.2, without the number that I-JSON forbids', () => {
    const value = {
      numbers: [1e-27, 4.5, 2e-3, 1e-27],
      string: '€$\u000f\nA\'B"\\\\"/',
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[1e-27,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('sorts keys by UTF-16 code units, as RFC 8785 §3.2.3 does', () => {
    const value = { '€': 1, '\r': 2, '\ufb33': 3, '1': 4, '😀': 5, '\u0080': 6, ö: 7 };
    expect(canonicalJson(value)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}');
  });

  it('writes -0 as 0, and objects without a prototype', () => {
    expect(canonicalJson(-0)).toBe('0');
    expect(canonicalJson(Object.assign(Object.create(null), { b: 1, a: '' }) as unknown)).toBe('{"a":"","b":1}');
    expect(canonicalBytes('é')).toEqual(Uint8Array.from([0x22, 0xc3, 0xa9, 0x22]));
  });

  it.each([
    undefined,
    () => 1,
    Symbol('s'),
    1n,
    new Date(0),
    new Map(),
    new Point(),
    Uint8Array.of(1),
    { a: undefined },
    [undefined],
    new Array(1),
    { toJSON: () => 1 },
    Object(1),
  ])('refuses what has no JSON form (%#)', (value) => {
    expect(faultOf(value).reason).toBe('not_json');
  });

  it.each([NaN, Infinity, -Infinity, 2 ** 53, -(2 ** 53), 1e300])('refuses the number %s', (value) => {
    expect(faultOf({ a: [value] })).toMatchObject({ reason: 'number_range', pointer: '/a/0', line: 0, column: 0 });
  });

  it('refuses unpaired surrogates and NUL, in keys too', () => {
    expect(faultOf({ 'a/~': '\ud800' })).toMatchObject({ reason: 'lone_surrogate', pointer: '/a~1~0' });
    expect(faultOf({ '\udc00': 1 }).reason).toBe('lone_surrogate');
    expect(faultOf(['a\0']).message).toBe('string has a NUL character at `/0`');
  });

  it('refuses a cycle as endless nesting', () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(faultOf(cycle).reason).toBe('too_deep');
    expect(canonicalJson(nested(512))).toHaveLength(1025);
    expect(faultOf(nested(513)).reason).toBe('too_deep');
  });
});
