// SPDX-License-Identifier: Apache-2.0
import { inSlices, runInSlices, yieldNow } from './in-slices.ts';

const busy = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until) {
    /* as a computation does */
  }
};

/** Runs the work, and resolves with the turns of the event loop that passed meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

it('a loop in slices visits every member in order, and yields to the event loop in between', async () => {
  const seen: number[] = [];
  const turns = await turnsDuring(async () => {
    for await (const n of inSlices(
      Array.from({ length: 20 }, (_, i) => i),
      2,
    )) {
      seen.push(n);
      busy(1);
    }
  });
  expect(seen).toEqual(Array.from({ length: 20 }, (_, i) => i));
  expect(turns).toBeGreaterThanOrEqual(7);
});

it('a computation in slices returns its result and throws its error', async () => {
  function* sum(): Generator<undefined, number> {
    let total = 0;
    for (let n = 1; n <= 10; n++) {
      total += n;
      busy(1);
      yield;
    }
    return total;
  }
  let result = 0;
  const turns = await turnsDuring(async () => {
    result = await runInSlices(sum(), 2);
  });
  expect(result).toBe(55);
  expect(turns).toBeGreaterThanOrEqual(3);
  await expect(
    runInSlices(
      (function* fails(): Generator<undefined, number> {
        throw new Error('broken');
      })(),
    ),
  ).rejects.toThrow('broken');
});

it('only one of several loops has a slice in each turn of the event loop', async () => {
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  const slices = new Map<number, number>();
  const loop = async (): Promise<void> => {
    for (let n = 0; n < 8; n++) {
      await yieldNow();
      slices.set(turn, (slices.get(turn) ?? 0) + 1);
    }
  };
  setImmediate(count);
  await Promise.all(Array.from({ length: 20 }, loop));
  isOver = true;
  expect([...slices.values()].reduce((sum, each) => sum + each, 0)).toBe(160);
  expect(Math.max(...slices.values())).toBe(1);
});
