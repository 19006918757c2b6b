// SPDX-License-Identifier: Apache-2.0
import { eachInTurn } from './each-in-turn.ts';

it('acts on each in turn, one after the other, and returns the results', async () => {
  let under = 0;
  const done = await eachInTurn([1, 2, 3], 'failed', async (one) => {
    under += 1;
    await Promise.resolve();
    expect(under).toBe(1);
    under -= 1;
    return one * 2;
  });
  expect(done).toEqual([2, 4, 6]);
});

it('continues after a failure, and reports how many failed', async () => {
  const seen: number[] = [];
  const turns = eachInTurn([1, 2, 3], 'calls could not be ended', async (one) => {
    seen.push(one);
    await Promise.resolve();
    if (one < 3) throw new Error(`no ${one}`);
  });
  await expect(turns).rejects.toThrow('2 of 3 calls could not be ended');
  expect(seen).toEqual([1, 2, 3]);
});
