// SPDX-License-Identifier: Apache-2.0
import { vi } from 'vitest';
import { releaseWhenDone, ConcurrencyLimiter, type Leave } from './concurrency-limiter.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const open = (places = 2, shared = 2): ConcurrencyLimiter =>
  new ConcurrencyLimiter({ places, shared, now: () => Date.now(), weightOf: () => 1 });
const hold = async (places: ConcurrencyLimiter, tenantId: string, count: number): Promise<Leave[]> =>
  await Promise.all(Array.from({ length: count }, () => places.take(tenantId)));

test('a call waits for the place of another, and has it when that is left', async () => {
  const places = open(1);
  const [leave] = await hold(places, 'a', 1);
  let isIn = false;
  const second = places.take('a').then((left) => {
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

test('a tenant whose queue is full is refused at once, and another still comes in', async () => {
  const places = open();
  const held = await hold(places, 'flooder', 2);
  const waiting = Array.from({ length: 128 }, () => places.take('flooder').catch(() => null));
  await expect(places.take('flooder')).rejects.toMatchObject({ code: 'queue.full' });
  const victim = places.take('victim');
  held[0]?.();
  (await victim)();
  await vi.advanceTimersByTimeAsync(2_000);
  await Promise.all(waiting);
});

test('who waits too long is refused, and takes no place afterwards', async () => {
  const places = open(1);
  const [leave] = await hold(places, 'a', 1);
  const late = expect(places.take('a')).rejects.toMatchObject({ code: 'queue.full' });
  await vi.advanceTimersByTimeAsync(2_000);
  await late;
  leave?.();
  await hold(places, 'a', 1);
});

test('a call that runs keeps its place until its end, and no longer than a tenth of a second', async () => {
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
