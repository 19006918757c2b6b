// SPDX-License-Identifier: Apache-2.0
import { bytesOf } from './input-bytes.ts';

it.each([
  ['a text', 'x'.repeat(100), 200],
  ['bytes', new Uint8Array(1_000), 1_000],
  ['a buffer', new ArrayBuffer(1_000), 1_000],
  ['a list', Array.from({ length: 100 }, () => 'ab'), 400],
  ['an object, with its names', { one: 'y'.repeat(50), name: 'z'.repeat(50) }, 200],
  ['a map', new Map([['k'.repeat(20), 'v'.repeat(20)]]), 80],
  ['a set', new Set(['s'.repeat(50)]), 100],
])('the size of %s is at least that of its contents', (_, value, least) => {
  expect(bytesOf(value, 1e6)).toBeGreaterThanOrEqual(least);
  expect(bytesOf(value, 1e6)).toBeLessThan(least * 10 + 100);
});

it('stops counting beyond the limit, so that it ends for cyclic values', () => {
  const self: Record<string, unknown> = {};
  self['self'] = self;
  expect(bytesOf(self, 1_000)).toBeGreaterThan(1_000);
  expect(
    bytesOf(
      Array.from({ length: 1e5 }, () => 'x'),
      1_000,
    ),
  ).toBeGreaterThan(1_000);
});
