// SPDX-License-Identifier: Apache-2.0
import { unitVector } from './unit-vector.ts';

describe('a unit vector', () => {
  it('has the direction of its vector and the length 1', () => {
    expect([...unitVector([3, 4])!].map((each) => each.toFixed(3))).toEqual(['0.600', '0.800']);
  });

  it.each([1e-300, 1e-42, 1e30, 1e300])('of numbers about %s has the length 1', (size) => {
    const [a = 0, b = 0] = unitVector([size, -size])!;
    expect(Math.hypot(a, b)).toBeCloseTo(1, 5);
  });

  it.each([[[0, 0]], [[NaN, 1]], [[Infinity, 1]], [[]]])('of %j does not exist', (vector) => {
    expect(unitVector(vector)).toBeNull();
  });
});
