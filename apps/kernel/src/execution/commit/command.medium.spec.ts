// SPDX-License-Identifier: Apache-2.0
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import {
  deltaFor,
  reportOf,
  credentialsOf,
  textsAt,
  type Attempt,
  type TestExecution,
} from '../../specs/test-executor.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let run: TestExecution;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel, run } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token({ budgets: { cpu_ms: 1_000_000 } });
});

const command = async (args = {}): Promise<Attempt> =>
  (await run.perform(tenant, tenant.writeCall(token, { tool_id: 'shell.run', args: { command: 'make', ...args } })))
    .attempt;
const output = (exit_code: number | null) => ({
  exit_code,
  signal: null,
  output: 'half of it',
  truncated_bytes: 0,
  wall_ms: 5,
});
/** The command wrote a file and then ended so. */
const endOf = async (attempt: Attempt, more: Parameters<typeof reportOf>[2]) => {
  await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'written' }), more));
  return await tenant.row(attempt.operation_id);
};

it('a command that fails half-way leaves no trace in the workspace, and its output is kept', async () => {
  const attempt = await command();
  const row = await endOf(attempt, { exit_code: 2, result: output(2) });
  expect(row).toMatchObject({
    state: 'rolled_back',
    tx_outcome: 'rolled_back',
    fault_code: 'command.failed',
    commit_delta_id: null,
  });
  expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'hello' });
  expect((await kernel.views.of(row)).result).toMatchObject({
    status: 'error',
    result: output(2),
    error: { code: 'command.failed' },
  });
});

it('a command that fails with `on_failure: keep` commits what it wrote', async () => {
  const row = await endOf(await command({ on_failure: 'keep' }), { exit_code: 2, result: output(2) });
  expect(row).toMatchObject({ state: 'committed', fault_code: null });
  expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'written' });
});

it.each([
  ['timeout', 'command.timeout'],
  ['killed', 'command.killed'],
  ['limit', 'limit.exceeded'],
] as const)('a command that ended by %s rolls back, whatever was to be kept', async (ended, code) => {
  const row = await endOf(await command({ on_failure: 'keep' }), { ended, exit_code: null, result: output(null) });
  expect(row).toMatchObject({ state: 'rolled_back', fault_code: code });
  expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'hello' });
});

it.each([{}, { on_failure: 'keep' }])(
  'a command whose shell was ended by a signal rolls back: it has no exit status that could be 0 (%j)',
  async (args) => {
    const row = await endOf(await command(args), {
      ended: 'exited',
      exit_code: null,
      result: { ...output(null), signal: 'SIGKILL' },
    });
    expect(row).toMatchObject({ state: 'rolled_back', fault_code: 'command.killed' });
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'hello' });
  },
);

it('a command that did something outside and then failed is ambiguous, and its reservation stays', async () => {
  const attempt = await command();
  await run.renew.effectStarted(credentialsOf(attempt));
  expect(await endOf(attempt, { exit_code: 1, result: output(1) })).toMatchObject({
    state: 'ambiguous',
    tx_outcome: 'ambiguous',
    fault_code: 'effect.ambiguous',
  });
  expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'hello' });
  expect(await tenant.budgetOf(token)).toMatchObject({ cpu_ms: { reserved: 240_000, used: 0 } });
});

it('a command that used more than was reserved is charged what was reserved', async () => {
  const narrow = await tenant.token({ budgets: { cpu_ms: 100 } });
  const { attempt, redemption } = await run.perform(
    tenant,
    tenant.writeCall(narrow, { tool_id: 'shell.run', args: { command: 'make' } }),
  );
  expect(redemption.limits).toMatchObject({ cpu_ms: 100, wall_ms: 120_000 });
  await endOf(attempt, {
    exit_code: 0,
    result: output(0),
    usage: { wall_ms: 5, cpu_ms: 170, memory_peak_bytes: 0, disk_write_bytes: 0, output_bytes: 0 },
  });
  expect(await tenant.budgetOf(narrow)).toMatchObject({ cpu_ms: { reserved: 0, used: 100 } });
});
