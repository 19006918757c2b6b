// SPDX-License-Identifier: Apache-2.0
import type { SchedulingClass } from '@writ/contract';
import { vi } from 'vitest';
import { releaseWhenDone, ConcurrencyLimiter, type ReleaseSlot } from './concurrency-limiter.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const open = (places = 2, shared = 2): ConcurrencyLimiter =>
  new ConcurrencyLimiter({ places, shared, now: () => Date.now(), weightOf: () => 1 });
const hold = async (limiter: ConcurrencyLimiter, tenantId: string, count: number): Promise<ReleaseSlot[]> =>
  await Promise.all(Array.from({ length: count }, () => limiter.acquire(tenantId)));

test('a call waits for the slot of another call and gets it after the release', async () => {
  const limiter = open(1);
  const [leave] = await hold(limiter, 'a', 1);
  let isIn = false;
  const second = limiter.acquire('a').then((left) => {
    isIn = true;
    return left;
  });
  await Promise.resolve();
  expect(isIn).toBe(false);
  leave?.();
  leave?.();
  (await second)();
  expect(isIn).toBe(true);
});

test('a tenant with a full queue is refused at once, and another tenant still gets a slot', async () => {
  const limiter = open();
  const held = await hold(limiter, 'flooder', 2);
  const waiting = Array.from({ length: 128 }, () => limiter.acquire('flooder').catch(() => null));
  await expect(limiter.acquire('flooder')).rejects.toMatchObject({ code: 'queue.full' });
  const victim = limiter.acquire('victim');
  held[0]?.();
  (await victim)();
  await vi.advanceTimersByTimeAsync(2_000);
  await Promise.all(waiting);
});

test('an interactive call is decided before background calls of its tenant, which age within a second and a half', async () => {
  const limiter = open(1);
  const [leave] = await hold(limiter, 'a', 1);
  const order: string[] = [];
  const enter = async (name: string, of: SchedulingClass): Promise<void> => {
    const release = await limiter.acquire('a', of);
    order.push(name);
    release();
  };
  const entered = [enter('maintenance', 'maintenance'), enter('background', 'background')];
  await vi.advanceTimersByTimeAsync(1_200);
  entered.push(enter('interactive', 'interactive'));
  await vi.advanceTimersByTimeAsync(400);
  entered.push(enter('late', 'interactive'));
  leave?.();
  await Promise.all(entered);
  expect(order).toEqual(['interactive', 'background', 'late', 'maintenance']);
});

test('background calls leave a quarter of the queue of their tenant to interactive calls', async () => {
  const limiter = open(1);
  await hold(limiter, 'a', 1);
  const waiting = Array.from({ length: 96 }, () => limiter.acquire('a', 'background').catch(() => null));
  await expect(limiter.acquire('a', 'background')).rejects.toMatchObject({ code: 'queue.full' });
  waiting.push(...Array.from({ length: 32 }, () => limiter.acquire('a', 'interactive').catch(() => null)));
  await expect(limiter.acquire('a', 'interactive')).rejects.toMatchObject({ code: 'queue.full' });
  await vi.advanceTimersByTimeAsync(2_000);
  await Promise.all(waiting);
});

test('a call that waits too long is refused and uses no slot afterwards', async () => {
  const limiter = open(1);
  const [leave] = await hold(limiter, 'a', 1);
  const late = expect(limiter.acquire('a')).rejects.toMatchObject({ code: 'queue.full' });
  await vi.advanceTimersByTimeAsync(2_000);
  await late;
  leave?.();
  await hold(limiter, 'a', 1);
});

test('a running call keeps its slot until its end, for at most a tenth of a second', async () => {
  let left = 0;
  const leave = (): void => {
    left += 1;
  };
  releaseWhenDone(null, leave);
  expect(left).toBe(1);
  let end = (): void => undefined;
  releaseWhenDone(
    new Promise<void>((resolve) => {
      end = resolve;
    }),
    leave,
  );
  await vi.advanceTimersByTimeAsync(99);
  expect(left).toBe(1);
  end();
  await vi.advanceTimersByTimeAsync(0);
  expect(left).toBe(2);
  releaseWhenDone(new Promise(() => undefined), leave);
  await vi.advanceTimersByTimeAsync(100);
  expect(left).toBe(3);
});
