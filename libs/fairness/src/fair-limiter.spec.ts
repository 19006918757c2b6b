// SPDX-License-Identifier: Apache-2.0
import { FairLimiter, type OfferResult } from './fair-limiter.ts';

/** Offers `count` pieces of the tenant's work and returns the results. */
const offers = (fair: FairLimiter<string>, tenantId: string, count: number, weight = 1, now = 0): OfferResult[] =>
  Array.from({ length: count }, (_, i) => fair.offer(tenantId, weight, `${tenantId}${i}`, now));
const open = (bounds: Partial<{ places: number; shared: number; waitingMax: number }> = {}): FairLimiter<string> =>
  new FairLimiter({ places: 4, shared: 2, waitingMax: 3, ...bounds });

test('a tenant that is alone uses every place; further work waits in order, up to the limit', () => {
  const fair = open();
  expect(offers(fair, 'a', 8)).toEqual(['starts', 'starts', 'starts', 'starts', 'waits', 'waits', 'waits', 'full']);
  expect([fair.release('a', 1), fair.release('a', 1)]).toEqual([['a4'], ['a5']]);
});

test('a tenant that is alone uses at most `perTenantMax` places, and the next tenant finds one free', () => {
  const fair = new FairLimiter<string>({ places: 3, shared: 3, waitingMax: 3, perTenantMax: 2 });
  expect(offers(fair, 'a', 3)).toEqual(['starts', 'starts', 'waits']);
  expect(offers(fair, 'b', 2)).toEqual(['starts', 'waits']);
  expect(fair.release('a', 1)).toEqual([]);
  expect(fair.release('a', 2)).toEqual(['a2']);
});

test('once another is active, a tenant has its share only, and the other finds a place at once', () => {
  const fair = open();
  offers(fair, 'flooder', 7);
  expect(fair.offer('victim', 1, 'v0', 0)).toBe('waits');
  // The first freed place goes to the victim, whatever waited before it.
  expect(fair.release('flooder', 1)).toEqual(['v0']);
  for (let i = 0; i < 2; i++) expect(fair.release('flooder', 2)).toEqual([]);
  expect(fair.release('victim', 3)).toEqual([]);
  expect(fair.offer('victim', 1, 'v1', 4)).toBe('starts');
  expect(fair.release('flooder', 5)).toEqual(['flooder4']);
});

test('places are shared by weight', () => {
  const fair = open({ places: 16, shared: 4, waitingMax: 9 });
  fair.offer('heavy', 3, 'first', 0);
  fair.offer('light', 1, 'first', 0);
  expect(offers(fair, 'heavy', 5, 3).filter((offered) => offered === 'starts')).toHaveLength(2);
  expect(offers(fair, 'light', 5, 1).filter((offered) => offered === 'starts')).toHaveLength(0);
});

test('tenants that wait for one place take turns by weight', () => {
  const fair = open({ places: 1, shared: 1, waitingMax: 9 });
  fair.offer('other', 1, 'other', 0);
  offers(fair, 'heavy', 6, 2);
  offers(fair, 'light', 6, 1);
  let [holder, turns] = ['other', ''];
  for (let i = 0; i < 9; i++) {
    const [next = ''] = fair.release(holder, 1);
    holder = next.slice(0, -1);
    turns += holder.slice(0, 1);
  }
  expect([...turns].filter((turn) => turn === 'h')).toHaveLength(6);
  expect(turns.slice(0, 6)).toContain('l');
});

test('a tenant that was not seen for ten seconds counts as gone, and the other is alone again', () => {
  const fair = open();
  fair.offer('b', 1, 'b', 0);
  fair.release('b', 0);
  expect(offers(fair, 'a', 2, 1, 9_999)).toEqual(['starts', 'waits']);
  expect(fair.release('a', 10_000)).toEqual(['a1']);
  expect(offers(fair, 'a', 3, 1, 10_000)).toEqual(['starts', 'starts', 'starts']);
});

test('withdrawn work never starts, and no longer counts as waiting', () => {
  const fair = open();
  offers(fair, 'a', 7);
  expect([fair.withdraw('a', 'a4'), fair.withdraw('a', 'a4'), fair.withdraw('b', 'a5')]).toEqual([true, false, false]);
  expect(fair.offer('a', 1, 'last', 1)).toBe('waits');
  expect(fair.release('a', 1)).toEqual(['a5']);
});

test('a tenant without running work cannot free a place', () => {
  expect(() => open().release('a', 0)).toThrow('`a` has no place to give back');
});

test('within a tenant, delayed work starts after work that is offered up to that delay later, and not after later work', () => {
  const fair = open({ places: 1, shared: 1, waitingMax: 9 });
  fair.offer('a', 1, 'runs', 0);
  fair.offer('a', 1, 'delayed', 0, { agesAfterMs: 100 });
  fair.offer('a', 1, 'soon', 100);
  fair.offer('a', 1, 'sooner', 50);
  fair.offer('a', 1, 'late', 101);
  const started = Array.from({ length: 4 }, () => fair.release('a', 200)[0]);
  expect(started).toEqual(['sooner', 'delayed', 'soon', 'late']);
});

test('delayed work takes a turn of its tenant, and delays no other tenant', () => {
  const fair = open({ places: 1, shared: 1, waitingMax: 9 });
  fair.offer('a', 1, 'a0', 0);
  fair.offer('a', 1, 'a1', 0, { agesAfterMs: 1_000 });
  fair.offer('b', 1, 'b0', 0);
  fair.offer('a', 1, 'a2', 1);
  // Of the tenants, the order is as without delays; of the first turn of `a`, the undelayed work makes use.
  const started: string[] = [];
  for (let tenant = 'a'; started.length < 3; tenant = (started.at(-1) ?? '').slice(0, 1))
    started.push(...fair.release(tenant, 2));
  expect(started).toEqual(['b0', 'a2', 'a1']);
});

test('work with a lower limit is refused while other work of its tenant still finds room to wait', () => {
  const fair = open({ places: 1, shared: 1, waitingMax: 3 });
  fair.offer('a', 1, 'runs', 0);
  const background = { waitingMax: 2 };
  expect(['b0', 'b1', 'b2'].map((item) => fair.offer('a', 1, item, 0, background))).toEqual(['waits', 'waits', 'full']);
  expect([fair.offer('a', 1, 'i0', 0), fair.offer('a', 1, 'i1', 0)]).toEqual(['waits', 'full']);
});
