// SPDX-License-Identifier: Apache-2.0
import type { AgentContainer } from './agent-container.ts';
import { WarmPool } from './warm-pool.ts';

/** A pool on containers that are there as soon as they are started, and chores that are done when the test says. */
async function openPool(count: number) {
  let started = 0;
  const chores: (() => Promise<void>)[] = [];
  const pool = new WarmPool({
    count,
    startsAtOnce: 2,
    start: async () => ({ id: `c${++started}`, listen: () => undefined }) as unknown as AgentContainer,
    remove: () => undefined,
    failed: (error) => {
      throw error;
    },
    later: (chore) => void chores.push(chore),
  });
  await pool.full();
  return { pool, chores, started: () => started };
}

describe('a pool', () => {
  it('replaces what was taken in a quiet moment while half of it is left', async () => {
    const { pool, chores, started } = await openPool(4);
    await pool.take();
    await pool.take();
    expect([started(), pool.idle, chores.length]).toEqual([4, 2, 2]);
    for (const chore of chores) await chore();
    expect([started(), pool.idle]).toEqual([6, 4]);
  });

  it('replaces it at once while less is left, and no more than is missing when the moment comes', async () => {
    const { pool, chores, started } = await openPool(4);
    for (let i = 0; i < 3; i++) await pool.take();
    await new Promise(setImmediate);
    expect([started(), pool.idle]).toEqual([6, 3]);
    for (const chore of chores) await chore();
    expect([started(), pool.idle]).toEqual([7, 4]);
  });

  it('gives nobody a container twice', async () => {
    const { pool } = await openPool(3);
    const taken = await Promise.all([1, 2, 3].map(() => pool.take()));
    expect(new Set(taken.map((container) => container?.id)).size).toBe(3);
  });
});
