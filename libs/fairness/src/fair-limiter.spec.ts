// SPDX-License-Identifier: Apache-2.0
import { FairLimiter, type Offered } from './fair-limiter.ts';

/** Offers so much of the tenant's and tells what became of it. */
const offers = (fair: FairLimiter<string>, tenantId: string, count: number, weight = 1, now = 0): Offered[] =>
  Array.from({ length: count }, (_, i) => fair.offer(tenantId, weight, `${tenantId}${i}`, now));
const open = (bounds: Partial<{ places: number; shared: number; waitingMax: number }> = {}): FairLimiter<string> =>
  new FairLimiter({ places: 4, shared: 2, waitingMax: 3, ...bounds });

test('a tenant that is alone fills every place; what comes then waits in order, and what comes beyond that is refused', () => {
  const fair = open();
  expect(offers(fair, 'a', 8)).toEqual(['starts', 'starts', 'starts', 'starts', 'waits', 'waits', 'waits', 'full']);
  expect([fair.ended('a', 1), fair.ended('a', 1)]).toEqual([['a4'], ['a5']]);
});

test('a tenant that is alone fills no more places than one tenant may have, and the next tenant finds one free', () => {
  const fair = new FairLimiter<string>({ places: 3, shared: 3, waitingMax: 3, perTenantMax: 2 });
  expect(offers(fair, 'a', 3)).toEqual(['starts', 'starts', 'waits']);
  expect(offers(fair, 'b', 2)).toEqual(['starts', 'waits']);
  expect(fair.ended('a', 1)).toEqual([]);
  expect(fair.ended('a', 2)).toEqual(['a2']);
});

test('once another is about, a tenant keeps to its part of the shared places, and the other finds a place at once', () => {
  const fair = open();
  offers(fair, 'flooder', 7);
  expect(fair.offer('victim', 1, 'v0', 0)).toBe('waits');
  // The first place that is given back is the victim's, whatever waited before it.
  expect(fair.ended('flooder', 1)).toEqual(['v0']);
  for (let i = 0; i < 2; i++) expect(fair.ended('flooder', 2)).toEqual([]);
  expect(fair.ended('victim', 3)).toEqual([]);
  expect(fair.offer('victim', 1, 'v1', 4)).toBe('starts');
  expect(fair.ended('flooder', 5)).toEqual(['flooder4']);
});

test('places are shared by weight', () => {
  const fair = open({ places: 16, shared: 4, waitingMax: 9 });
  fair.offer('heavy', 3, 'first', 0);
  fair.offer('light', 1, 'first', 0);
  expect(offers(fair, 'heavy', 5, 3).filter((offered) => offered === 'starts')).toHaveLength(2);
  expect(offers(fair, 'light', 5, 1).filter((offered) => offered === 'starts')).toHaveLength(0);
});

test('of those who wait for one place, turns go by weight', () => {
  const fair = open({ places: 1, shared: 1, waitingMax: 9 });
  fair.offer('other', 1, 'other', 0);
  offers(fair, 'heavy', 6, 2);
  offers(fair, 'light', 6, 1);
  let [holder, turns] = ['other', ''];
  for (let i = 0; i < 9; i++) {
    const [next = ''] = fair.ended(holder, 1);
    holder = next.slice(0, -1);
    turns += holder.slice(0, 1);
  }
  expect([...turns].filter((turn) => turn === 'h')).toHaveLength(6);
  expect(turns.slice(0, 6)).toContain('l');
});

test("a tenant that wasn't seen for ten seconds is forgotten, and the other is alone again", () => {
  const fair = open();
  fair.offer('b', 1, 'b', 0);
  fair.ended('b', 0);
  expect(offers(fair, 'a', 2, 1, 9_999)).toEqual(['starts', 'waits']);
  expect(fair.ended('a', 10_000)).toEqual(['a1']);
  expect(offers(fair, 'a', 3, 1, 10_000)).toEqual(['starts', 'starts', 'starts']);
});

test('what was withdrawn never starts, and leaves room to wait', () => {
  const fair = open();
  offers(fair, 'a', 7);
  expect([fair.withdraw('a', 'a4'), fair.withdraw('a', 'a4'), fair.withdraw('b', 'a5')]).toEqual([true, false, false]);
  expect(fair.offer('a', 1, 'last', 1)).toBe('waits');
  expect(fair.ended('a', 1)).toEqual(['a5']);
});

test("a place that nobody holds can't be given back", () => {
  expect(() => open().ended('a', 0)).toThrow('`a` has no place to give back');
});
