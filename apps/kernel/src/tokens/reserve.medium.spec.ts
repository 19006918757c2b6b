// SPDX-License-Identifier: Apache-2.0
import { openTestKernel, type TestKernel } from '../specs/test-kernel.ts';

let kernel: TestKernel;
beforeAll(async () => { kernel = await openTestKernel(); }, 60_000);
afterAll(() => kernel.close());

/** Two calls that bring the same two rows in different orders would wait for each other. */
it('takes reservations in one order only, and one of each', async () => {
  const tenant = await kernel.newTenant();
  const tokens = [await tenant.token({ budgets: { calls: 5, wall_ms: 5 } }), await tenant.token({ budgets: { calls: 5, wall_ms: 5 } })].sort() as [string, string];
  const row = (at: 0 | 1, dimension: string) => ({ token: tokens[at], dimension, amount: 1 });
  const reserve = (...rows: readonly object[]) => tenant.query('SELECT kernel.reserve($1)', [JSON.stringify(rows)]);
  const reserved = async () => [await tenant.budgetOf(tokens[0]), await tenant.budgetOf(tokens[1])].map((budget) => [budget['calls']?.reserved, budget['wall_ms']?.reserved]);
  for (const rows of [
    [row(1, 'calls'), row(0, 'calls')],
    [row(0, 'wall_ms'), row(0, 'calls')],
    [row(0, 'calls'), row(0, 'calls')],
    [row(0, 'calls'), row(1, 'calls'), row(0, 'wall_ms')],
  ]) await expect(reserve(...rows)).rejects.toThrow('in the order of their tokens and dimensions');
  expect(await reserved()).toEqual([[0, 0], [0, 0]]);
  await reserve();
  await reserve(row(0, 'calls'), row(0, 'wall_ms'), row(1, 'calls'));
  expect(await reserved()).toEqual([[1, 1], [1, 0]]);
});
