// SPDX-License-Identifier: Apache-2.0
import { vi } from 'vitest';
import { Repeated } from './repeated.ts';

test('Repeated runs its task until it is stopped, never twice at once, whatever the task throws', async () => {
  let running = 0;
  let runs = 0;
  const reported: unknown[] = [];
  await new Promise<void>((enough) => {
    const repeated = new Repeated(
      async () => {
        expect(++running).toBe(1);
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        running--;
        if (++runs === 3) void repeated.stop().then(enough);
        throw new Error(`run ${String(runs)}`);
      },
      1,
      (error) => reported.push(error),
    );
    repeated.start();
  });
  expect(runs).toBe(3);
  expect(reported).toHaveLength(3);
});

test('Repeated never runs its task when it is stopped before the first run', async () => {
  const repeated = new Repeated(
    () => {
      throw new Error('ran');
    },
    1,
    (error) => {
      throw error;
    },
  );
  repeated.start();
  await repeated.stop();
  await new Promise((resolve) => {
    setTimeout(resolve, 10);
  });
});

test('Repeated, started twice, runs its task once at a time', async () => {
  vi.useFakeTimers();
  try {
    let runs = 0;
    const repeated = new Repeated(
      () => Promise.resolve(runs++),
      100,
      (error) => {
        throw error;
      },
    );
    repeated.start();
    repeated.start();
    await vi.advanceTimersByTimeAsync(1_000);
    expect([9, 10]).toContain(runs);
    const before = runs;
    await repeated.stop();
    repeated.start();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(runs).toBe(before);
  } finally {
    vi.useRealTimers();
  }
});

test('tasks of a process run at the same moments, however long they take, at least half a pause apart', async () => {
  vi.useFakeTimers();
  try {
    const at: Record<string, number[]> = { often: [], seldom: [], slow: [] };
    const began = performance.now();
    const tasks = Object.entries({ often: 250, seldom: 1_000, slow: 250 }).map(
      ([name, pauseMs]) =>
        new Repeated(
          async () => {
            at[name]?.push(Math.round(performance.now() - began));
            if (name === 'slow')
              await new Promise((resolve) => {
                setTimeout(resolve, 200);
              });
          },
          pauseMs,
          (error) => {
            throw error;
          },
        ),
    );
    for (const task of tasks) {
      task.start();
      await vi.advanceTimersByTimeAsync(70);
    }
    await vi.advanceTimersByTimeAsync(4_000);
    expect(at.seldom?.length).toBeGreaterThanOrEqual(3);
    for (const time of at.seldom ?? []) expect(at.often).toContain(time);
    for (const time of at.slow ?? []) expect(at.often).toContain(time);
    const gaps = at.slow?.slice(1).map((time, i) => time - (at.slow?.[i] ?? 0));
    expect(new Set(gaps)).toEqual(new Set([500]));
    // One of them may be in its task, which ends only as the time goes on.
    const stopped = Promise.all(tasks.map((task) => task.stop()));
    await vi.advanceTimersByTimeAsync(200);
    await stopped;
  } finally {
    vi.useRealTimers();
  }
});
