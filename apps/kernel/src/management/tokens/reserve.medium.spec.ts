// SPDX-License-Identifier: Apache-2.0
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let tenant: TestTenant;
let tokens: readonly [string, string];
openKernelSpec((on) => {
  ({ kernel } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  tokens = [
    await tenant.token({ budgets: { calls: 5, wall_ms: 5 } }),
    await tenant.token({ budgets: { calls: 5, wall_ms: 5 } }),
  ].sort() as [string, string];
});

const row = (at: 0 | 1, dimension: string, amount = 1) => ({ token: tokens[at], dimension, amount });
const reserved = async () =>
  [await tenant.budgetOf(tokens[0]), await tenant.budgetOf(tokens[1])].map((budget) => [
    budget['calls']?.reserved,
    budget['wall_ms']?.reserved,
  ]);

// Two calls that lock the same two rows in different orders would deadlock.
it.each([
  ['in order', [0, 1, 2]],
  ['tokens the other way round', [2, 0, 1]],
  ['dimensions the other way round', [1, 0, 2]],
  ['all the other way round', [2, 1, 0]],
])('rows are locked in one order, for any order of the request: %s', async (_how, order) => {
  const sorted = [row(0, 'calls'), row(0, 'wall_ms', 2), row(1, 'calls', 3)];
  // A transaction that waits for the first row has locked none of the others.
  await kernel.admin.query('BEGIN');
  await kernel.admin.query('SELECT 1 FROM kernel.budget WHERE capability_token_id = $1 AND dimension = $2 FOR UPDATE', [
    tokens[0],
    'calls',
  ]);
  const taking = kernel.tenants.pool.query(`SELECT kernel.reserve($2) FROM set_config('writ.tenant_id', $1, true)`, [
    tenant.tenantId,
    JSON.stringify(order.map((at) => sorted[at])),
  ]);
  await kernel.untilBlocked();
  await kernel.admin.query(`SELECT 1 FROM kernel.budget WHERE capability_token_id = ANY ($1) FOR UPDATE NOWAIT`, [
    tokens,
  ]);
  await kernel.admin.query('COMMIT');
  await taking;
  expect(await reserved()).toEqual([
    [1, 2],
    [3, 0],
  ]);
});

it('one row may occur twice, and there may be none', async () => {
  await tenant.query('SELECT kernel.reserve($1)', [JSON.stringify([row(0, 'calls'), row(0, 'calls')])]);
  await tenant.query('SELECT kernel.reserve($1)', ['[]']);
  expect(await reserved()).toEqual([
    [2, 0],
    [0, 0],
  ]);
});
