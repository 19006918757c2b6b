// SPDX-License-Identifier: Apache-2.0
import type { Listing } from '@writ/mcp-client';
import { REMOTE_TOOL } from '../../specs/mcp-upstream.ts';
import { ListingCache } from './listing-cache.ts';

let now = 0;
let cache: ListingCache;
beforeEach(() => {
  now = 1_000_000;
  cache = new ListingCache(() => now);
});
const listing = (more: Partial<Listing> = {}): Listing => ({
  tools: [REMOTE_TOOL],
  skipped: [],
  bytes: 100,
  ttlMs: 10_000,
  about: { protocol: '', name: '', version: '' },
  isLegacy: false,
  ...more,
});
const isKnown = (key = 'a', name = REMOTE_TOOL.name): boolean => cache.known(key, name).tool !== null;

it('a definition is known as long as the server says, counted from when it was asked', () => {
  cache.keep('a', listing(), now - 4_000);
  expect([isKnown(), isKnown('b'), isKnown('a', 'other')]).toEqual([true, false, false]);
  now += 6_000;
  expect(isKnown()).toBe(false);
});

it('a definition is known for half a minute at most', () => {
  cache.keep('a', listing({ ttlMs: 3_600_000 }), now);
  now += 30_000;
  expect(isKnown()).toBe(false);
});

it('a listing that is valid for no time is not known', () => {
  cache.keep('a', listing({ ttlMs: 0 }), now);
  expect(isKnown()).toBe(false);
});

it('the older revision is remembered longer than the tools, until something fails', () => {
  cache.keep('a', listing({ ttlMs: 0, isLegacy: true }), now);
  now += 60_000;
  expect(cache.known('a', 'x')).toEqual({ tool: null, isLegacy: true });
  cache.forget('a');
  expect(cache.known('a', 'x')).toEqual({ tool: null, isLegacy: false });
});
