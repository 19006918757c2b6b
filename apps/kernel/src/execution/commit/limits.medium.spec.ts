// SPDX-License-Identifier: Apache-2.0
import type { Budgets } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { deltaFor, reportOf, textsAt, type TestExecution } from '../../specs/test-executor.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let run: TestExecution;
let tenant: TestTenant;
openKernelSpec((on) => {
  ({ kernel, run } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'before' });
});

const chain = async (...budgets: Budgets[]): Promise<string[]> => {
  const ids: string[] = [];
  for (const each of budgets) ids.push(await tenant.token({ budgets: each }, { parent_id: ids.at(-1) ?? null }));
  return ids;
};
const leafOf = (ids: readonly string[]): string => ids.at(-1) as string;

it.each([
  ['fs.write', { path: 'a.txt', content: 'x' }],
  ['shell.run', { command: 'make' }],
])(
  'the limits of a call of `%s` are the least that a token of its chain has left, and its executor receives them',
  async (tool_id, args) => {
    const ids = await chain({ wall_ms: 900 }, { cpu_ms: 70, wall_ms: 5000 }, { disk_write_bytes: 11 });
    const { redemption } = await run.perform(tenant, tenant.writeCall(leafOf(ids), { tool_id, args }));
    expect(redemption.limits).toMatchObject({ wall_ms: 900, cpu_ms: 70, disk_write_bytes: 11 });
  },
);

it("an effect of more bytes than the chain had left doesn't commit, whatever its executor reports", async () => {
  const ids = await chain({ disk_write_bytes: 9 }, {});
  const { attempt } = await run.perform(tenant, tenant.writeCall(leafOf(ids)));
  const lie = { usage: { wall_ms: 1, cpu_ms: 1, memory_peak_bytes: 0, disk_write_bytes: 0, output_bytes: 0 } };
  expect(
    await run.commit.run(
      reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': '01234', 'b.txt': '56789' }), lie),
    ),
  ).toMatchObject({ state: 'rolled_back' });
  expect(await tenant.row(attempt.operation_id)).toMatchObject({ fault_code: 'limit.exceeded' });
  expect(await textsAt(kernel, tenant, ['a.txt', 'b.txt'])).toEqual({ 'a.txt': 'before', 'b.txt': null });
});

it('an effect of just as many bytes commits, and deleting costs nothing', async () => {
  const ids = await chain({ disk_write_bytes: 5 });
  const { attempt } = await run.perform(tenant, tenant.writeCall(leafOf(ids)));
  expect(
    await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': null, 'b.txt': '01234' }))),
  ).toMatchObject({ state: 'committed' });
});
