// SPDX-License-Identifier: Apache-2.0
import { byteaArray, int2Array, int4Array, int8Array, textArray } from './binary-array.ts';

describe('an array in Postgres’ binary format', () => {
  it('is a head and, for each element, its length and its bytes', () => {
    // One dimension, NULLs among them, type text, three elements counted from 1.
    expect(textArray(['é', null, '']).toString('hex')).toBe(
      '00000001' + '00000001' + '00000019' + '00000003' + '00000001' + '00000002c3a9' + 'ffffffff' + '00000000',
    );
    expect(byteaArray([Uint8Array.of(255)]).toString('hex')).toBe(
      '00000001' + '00000000' + '00000011' + '00000001' + '00000001' + '00000001ff',
    );
  });

  it('has no dimension when it is empty', () => {
    expect(int2Array([]).toString('hex')).toBe('00000000' + '00000000' + '00000015');
  });

  it('holds no number that it would round or cut', () => {
    expect(() => int8Array([Number.MAX_SAFE_INTEGER + 1])).toThrow('safe integer');
    expect(() => int8Array([0.5])).toThrow('safe integer');
    expect(() => int2Array([32_768])).toThrow('out of range');
    expect(() => int4Array([2_147_483_648])).toThrow('out of range');
  });
});
