// SPDX-License-Identifier: Apache-2.0
import type { AgentContainer } from './agent-container.ts';
import { WarmPool } from './warm-pool.ts';

/** A pool on containers that start instantly, and chores that run when the test says so. */
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
  it('replaces taken containers in a quiet moment while half of them are left', async () => {
    const { pool, chores, started } = await openPool(4);
    await pool.acquire();
    await pool.acquire();
    expect([started(), pool.idle, chores.length]).toEqual([4, 2, 2]);
    for (const chore of chores) await chore();
    expect([started(), pool.idle]).toEqual([6, 4]);
  });

  it('replaces them at once while fewer are left, and never more than are missing', async () => {
    const { pool, chores, started } = await openPool(4);
    for (let i = 0; i < 3; i++) await pool.acquire();
    await new Promise(setImmediate);
    expect([started(), pool.idle]).toEqual([6, 3]);
    for (const chore of chores) await chore();
    expect([started(), pool.idle]).toEqual([7, 4]);
  });

  it('never gives a container twice', async () => {
    const { pool } = await openPool(3);
    const taken = await Promise.all([1, 2, 3].map(() => pool.acquire()));
    expect(new Set(taken.map((container) => container?.id)).size).toBe(3);
  });
});
