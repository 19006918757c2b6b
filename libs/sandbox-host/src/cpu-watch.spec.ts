// SPDX-License-Identifier: Apache-2.0
import { vi } from 'vitest';
import { CpuWatch } from './cpu-watch.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A watch that reads `used` at each moment since the start. Returns how often it read, and how often it fired. */
function watching(
  limitMs: number,
  cpus: number,
  used: (elapsedMs: number) => number | null | Error,
  mayBeUncounted = false,
) {
  const seen = { looks: 0, spent: 0 };
  const start = Date.now();
  const watch = new CpuWatch({
    limitMs,
    cpus,
    mayBeUncounted,
    now: () => Date.now(),
    spent: () => {
      seen.spent += 1;
    },
    read: () => {
      seen.looks += 1;
      const answer = used(Date.now() - start);
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  });
  return { seen, watch };
}

test('a job that spins is detected as soon as it can exceed its limit, and once', async () => {
  const { seen } = watching(1_000, 2, (elapsed) => elapsed * 2);
  await vi.advanceTimersByTimeAsync(500);
  expect(seen).toEqual({ looks: 0, spent: 0 });
  await vi.advanceTimersByTimeAsync(60);
  expect(seen.spent).toBe(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(seen).toEqual({ looks: 1, spent: 1 });
});

test('a job that uses less is measured seldom, and may use its whole limit', async () => {
  const { seen } = watching(1_000, 1, (elapsed) => Math.min(1_000, elapsed / 2));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(seen.spent).toBe(0);
  expect(seen.looks).toBeLessThan(10);
});

test.each([
  ['no value is available', null],
  ['reading fails', new Error('the engine is gone')],
] as const)('where %s, time on every processor counts', async (_what, answer) => {
  const { seen } = watching(1_000, 2, () => answer);
  await vi.advanceTimersByTimeAsync(560);
  expect(seen.spent).toBe(1);
});

test('a stopped watch reports nothing, also from a pending measurement', async () => {
  const { seen, watch } = watching(100, 1, () => 1_000);
  vi.advanceTimersByTime(101);
  expect(seen.looks).toBe(1);
  watch.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(seen).toEqual({ looks: 1, spent: 0 });
});

test('a job that may be uncounted goes on while no value was ever available, and ends where its agent falls silent', async () => {
  const never = watching(1_000, 2, () => null, true);
  const silenced = watching(1_000, 2, (elapsed) => (elapsed < 600 ? 10 : null), true);
  await vi.advanceTimersByTimeAsync(5_000);
  expect([never.seen.spent, silenced.seen.spent]).toEqual([0, 1]);
  expect(never.seen.looks).toBeGreaterThan(1);
  never.watch.stop();
});
