// SPDX-License-Identifier: Apache-2.0
import { sinceAuthentication } from './auth-time.ts';

const NOW_S = 1_800_000_000;
const NOW = NOW_S * 1_000;
const since = (auth_time: unknown, maxAgeS?: number): number | null =>
  sinceAuthentication({ sub: 'ann-1', auth_time }, maxAgeS, NOW);

it('the time since the person proved who they are is that of the ID token', () => {
  expect([since(NOW_S - 60), since(NOW_S - 60, 300), since(NOW_S + 3)]).toEqual([60_000, 60_000, 0]);
});

it.each([undefined, null, String(NOW_S), NaN, {}, NOW_S + 60])(
  'an `auth_time` of %o tells nothing, and refuses a sign-in that needs it',
  (told) => {
    expect(since(told)).toBeNull();
    expect(() => since(told, 300)).toThrow(/does not say when/);
  },
);

it('a provider that knows the person since longer than it may is refused', () => {
  expect(() => since(NOW_S - 306, 300)).toThrow(/did not ask who you are/);
  expect(since(NOW_S - 306)).toBe(306_000);
});
