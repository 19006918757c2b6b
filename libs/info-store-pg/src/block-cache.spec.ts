// SPDX-License-Identifier: Apache-2.0
import { BlockCache, cacheKey } from './block-cache.ts';

const block = { ids: new Float64Array(10), vectors: new Float32Array(20) };
const BYTES = 160;

describe('a cache of vectors', () => {
  it('never holds more than its limit, whatever is reserved, given back and evicted', () => {
    const cache = new BlockCache(3 * BYTES);
    expect([cache.reserve(block), cache.reserve(block)]).toEqual([true, true]);
    cache.set(cacheKey('t', 1, 1), [block, block]);
    expect(cache.reserve(block)).toBe(true);
    expect(cache.reserve(block)).toBe(true);
    expect(cache.bytes).toBe(2 * BYTES);
    expect(cache.get(cacheKey('t', 1, 1))).toBeNull();
    expect(cache.reserve(block)).toBe(true);
    expect(cache.reserve(block)).toBe(false);
    cache.release([block, block, block]);
    expect(cache.bytes).toBe(0);
  });

  it('keeps one version of a store, and tells stores and tenants apart', () => {
    const cache = new BlockCache(10 * BYTES);
    for (const [tenant, store, version] of [
      ['t', 1, 1],
      ['t', 11, 1],
      ['u', 1, 1],
      ['t', 1, 2],
    ] as const) {
      cache.reserve(block);
      cache.set(cacheKey(tenant, store, version), [block]);
    }
    expect(cache.bytes).toBe(3 * BYTES);
    expect(cache.get(cacheKey('t', 1, 1))).toBeNull();
    for (const key of [cacheKey('t', 1, 2), cacheKey('t', 11, 1), cacheKey('u', 1, 1)])
      expect(cache.get(key)).toEqual([block]);
  });
});
