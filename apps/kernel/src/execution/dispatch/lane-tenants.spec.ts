// SPDX-License-Identifier: Apache-2.0
import { LaneTenants } from './lane-tenants.ts';
import { Slots } from './slots.ts';

test('two tenants are several until one was not seen for ten seconds', () => {
  let now = 0;
  const tenants = new LaneTenants(() => now);
  tenants.note('a');
  tenants.note('a');
  expect(tenants.areSeveral()).toBe(false);
  tenants.note('b');
  expect(tenants.areSeveral()).toBe(true);
  now = 9_999;
  tenants.note('a');
  expect(tenants.areSeveral()).toBe(true);
  now = 10_000;
  expect(tenants.areSeveral()).toBe(false);
});

test('the only tenant of the last ten seconds is the one that is alone', () => {
  let now = 0;
  const tenants = new LaneTenants(() => now);
  expect([tenants.isAny(), tenants.alone()]).toEqual([false, null]);
  tenants.note('a');
  expect([tenants.isAny(), tenants.alone()]).toEqual([true, 'a']);
  now = 1;
  tenants.note('b');
  expect(tenants.alone()).toBeNull();
  now = 10_000;
  expect(tenants.alone()).toBe('b');
  now = 10_001;
  expect([tenants.isAny(), tenants.alone()]).toEqual([false, null]);
});

test('a crowd of tenants is not remembered beyond what is asked', () => {
  const tenants = new LaneTenants(() => 0);
  for (let n = 0; n < 5_000; n++) tenants.note(`ten_${n}`);
  expect(tenants.areSeveral()).toBe(true);
});

test('what executors can run at once is the most that each has had free', () => {
  let now = 0;
  const slots = new Slots(() => now);
  const say = (executor_id: string, inline: number): void =>
    slots.note({ v: 1, executor_id: executor_id as never, inline, sandboxed: 0 });
  say('exc_a', 8);
  say('exc_b', 4);
  say('exc_a', 0);
  expect([slots.free('inline'), slots.all('inline')]).toEqual([4, 12]);
  now = 2_000;
  say('exc_a', 1);
  now = 4_000;
  expect([slots.free('inline'), slots.all('inline')]).toEqual([1, 8]);
});
