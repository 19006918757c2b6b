// SPDX-License-Identifier: Apache-2.0
import { LaneTenants } from './lane-tenants.ts';
import { Slots } from './slots.ts';

test('two tenants count as several until one was not seen for ten seconds', () => {
  let now = 0;
  const tenants = new LaneTenants(() => now);
  tenants.note('a');
  tenants.note('a');
  expect(tenants.hasSeveral()).toBe(false);
  tenants.note('b');
  expect(tenants.hasSeveral()).toBe(true);
  now = 9_999;
  tenants.note('a');
  expect(tenants.hasSeveral()).toBe(true);
  now = 10_000;
  expect(tenants.hasSeveral()).toBe(false);
});

test('the only tenant of the last ten seconds is the one that is alone', () => {
  let now = 0;
  const tenants = new LaneTenants(() => now);
  expect([tenants.hasAny(), tenants.onlyTenant()]).toEqual([false, null]);
  tenants.note('a');
  expect([tenants.hasAny(), tenants.onlyTenant()]).toEqual([true, 'a']);
  now = 1;
  tenants.note('b');
  expect(tenants.onlyTenant()).toBeNull();
  now = 10_000;
  expect(tenants.onlyTenant()).toBe('b');
  now = 10_001;
  expect([tenants.hasAny(), tenants.onlyTenant()]).toEqual([false, null]);
});

test('a crowd of tenants is remembered only up to a bound', () => {
  const tenants = new LaneTenants(() => 0);
  for (let n = 0; n < 5_000; n++) tenants.note(`ten_${n}`);
  expect(tenants.hasSeveral()).toBe(true);
});

test('the calls that executors can run at once are the most slots that each has had free', () => {
  let now = 0;
  const slots = new Slots(() => now);
  const report = (executor_id: string, inline: number): void =>
    slots.note({ v: 1, executor_id: executor_id as never, inline, sandboxed: 0 });
  report('exc_a', 8);
  report('exc_b', 4);
  report('exc_a', 0);
  expect([slots.free('inline'), slots.total('inline')]).toEqual([4, 12]);
  now = 2_000;
  report('exc_a', 1);
  now = 4_000;
  expect([slots.free('inline'), slots.total('inline')]).toEqual([1, 8]);
});
