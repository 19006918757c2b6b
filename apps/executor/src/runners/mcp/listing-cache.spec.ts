// SPDX-License-Identifier: Apache-2.0
import type { ListedTool } from '@writ/mcp-client';
import { ListingCache } from './listing-cache.ts';

let now = 0;
let cache: ListingCache;
beforeEach(() => {
  now = 1_000_000;
  cache = new ListingCache(() => now);
});
const TOOL = 'create_issue';
const listed = (more: Partial<ListedTool> = {}): ListedTool => ({
  definition: Uint8Array.of(1, 2, 3),
  ttlMs: 10_000,
  isLegacy: false,
  ...more,
});
const isKnown = (key = 'a', name = TOOL): boolean => cache.known(key, name).definition !== null;

it('a definition is known as long as the server says, counted from when it was asked', () => {
  cache.keep('a', TOOL, listed(), now - 4_000);
  expect([isKnown(), isKnown('b'), isKnown('a', 'other')]).toEqual([true, false, false]);
  now += 6_000;
  expect(isKnown()).toBe(false);
});

it('a definition is known for half a minute at most', () => {
  cache.keep('a', TOOL, listed({ ttlMs: 3_600_000 }), now);
  now += 30_000;
  expect(isKnown()).toBe(false);
});

it('a listing that is valid for no time is not known', () => {
  cache.keep('a', TOOL, listed({ ttlMs: 0 }), now);
  expect(isKnown()).toBe(false);
});

it('the older revision is remembered longer than the tools, until something fails', () => {
  cache.keep('a', TOOL, listed({ ttlMs: 0, isLegacy: true }), now);
  now += 60_000;
  expect(cache.known('a', 'x')).toEqual({ definition: null, isLegacy: true });
  cache.forget('a');
  expect(cache.known('a', 'x')).toEqual({ definition: null, isLegacy: false });
});

it('no definition of a forgotten server comes back when another one of it is kept', () => {
  cache.keep('a', TOOL, listed(), now);
  cache.forget('a');
  cache.keep('a', 'other', listed(), now);
  expect([isKnown(), isKnown('a', 'other')]).toEqual([false, true]);
});

it('definitions take the memory that the cache has, by the buffers that they keep', () => {
  const buffer = new ArrayBuffer(1_048_576);
  for (let n = 0; n < 32; n += 1) {
    const definition = new Uint8Array(n < 16 ? buffer : buffer.slice(0), 0, 16);
    cache.keep('a', `t${n}`, listed({ definition }), now);
  }
  const kept = Array.from({ length: 32 }, (_, n) => isKnown('a', `t${n}`)).filter(Boolean);
  expect(kept).toHaveLength(15);
});
