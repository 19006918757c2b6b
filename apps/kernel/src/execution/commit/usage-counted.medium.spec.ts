// SPDX-License-Identifier: Apache-2.0
//
// Who counted a call's usage in its sandbox: from the executor's report into the signed record, whichever way the call
// ends.
import { USAGE_COUNTERS, type AuditRecord, type UsageCounter } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { deltaFor, reportOf, type Attempt, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
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
  await tenant.write({ 'a.txt': 'hello', 'b.txt': 'b' });
  token = await tenant.token({ budgets: { calls: 10, cpu_ms: 1_000_000 } });
  kernel.policy.answer = () => AUTOPILOT;
});

const USED = { wall_ms: 5, cpu_ms: 3, memory_peak_bytes: 9, disk_write_bytes: 1, output_bytes: 0 };
const usedBy = (counted_by?: UsageCounter) => ({ ...USED, ...(counted_by === undefined ? {} : { counted_by }) });
const output = (exit_code: number) => ({ exit_code, signal: null, output: '', truncated_bytes: 0, wall_ms: 5 });
const command = async (): Promise<Attempt> =>
  (await run.perform(tenant, tenant.writeCall(token, { tool_id: 'shell.run', args: { command: 'make' } }))).attempt;
const report = async (attempt: Attempt, counted_by?: UsageCounter, exit_code = 0, path = 'a.txt') =>
  await run.commit.run(
    reportOf(attempt, await deltaFor(kernel, attempt, { [path]: 'written' }), {
      exit_code,
      result: output(exit_code),
      usage: usedBy(counted_by),
    }),
  );
const outcomeOf = async (operationId: string): Promise<AuditRecord | undefined> =>
  (await tenant.records()).find((record) => record.operation_id === operationId && record.phase === 'outcome');

describe('the outcome of a command names who counted its usage', () => {
  it.each(USAGE_COUNTERS)('where it commits, and where it rolls back: the %s', async (counter) => {
    const [good, bad] = [await command(), await command()];
    expect(await report(good, counter)).toMatchObject({ state: 'committed' });
    expect(await report(bad, counter, 2, 'b.txt')).toMatchObject({ state: 'rolled_back' });
    for (const { operation_id } of [good, bad])
      expect(await outcomeOf(operation_id)).toMatchObject({ budget_delta: { cpu_ms: 3 }, usage_counted_by: counter });
  });

  it("only where its executor does: one of the previous version doesn't", async () => {
    const attempt = await command();
    await report(attempt);
    expect(await outcomeOf(attempt.operation_id)).toMatchObject({ budget_delta: { cpu_ms: 3 } });
    expect(await outcomeOf(attempt.operation_id)).not.toHaveProperty('usage_counted_by');
  });

  it('not where its usage stays unknown', async () => {
    const attempt = await command();
    await tenant.query('UPDATE kernel.operation SET effect_started = true WHERE operation_id = $1', [
      attempt.operation_id,
    ]);
    expect(await report(attempt, 'host', 2)).toMatchObject({ state: 'ambiguous' });
    expect(await outcomeOf(attempt.operation_id)).not.toHaveProperty('usage_counted_by');
  });
});

describe('a command whose effect waits for a person', () => {
  async function held(
    counted_by?: UsageCounter,
  ): Promise<{ operation_id: string; decide: (decision: 'approve' | 'deny') => Promise<unknown> }> {
    kernel.policy.answer = (action) =>
      action.resources.some(({ path }) => path === 'b.txt') ? requires('soft_gate')() : AUTOPILOT;
    const attempt = await command();
    expect(await report(attempt, counted_by, 0, 'b.txt')).toMatchObject({ state: 'held' });
    const { approval_id } = await tenant.row(attempt.operation_id);
    const caller = {
      tenant_id: tenant.tenantId,
      api_key_id: newId('apiKey'),
      role: 'operator' as const,
      agent_id: null,
    };
    const { binding } = await kernel.approvals.read({ v: 1, caller, approval_id: approval_id ?? '' });
    return {
      operation_id: attempt.operation_id,
      decide: (decision) =>
        kernel.decide.run({
          v: 1,
          caller,
          approval_id: approval_id ?? '',
          decision,
          comment: null,
          effect_digest: binding.effect_digest,
        }),
    };
  }

  it.each([...USAGE_COUNTERS, undefined])(
    'has a record of who counted its usage once that person has decided, whatever the decision: %s',
    async (counter) => {
      for (const decision of ['deny', 'approve'] as const) {
        const { operation_id, decide } = await held(counter);
        expect(await decide(decision)).toMatchObject({ state: decision === 'approve' ? 'committed' : 'rolled_back' });
        const outcome = await outcomeOf(operation_id);
        expect([outcome?.budget_delta?.cpu_ms, outcome?.usage_counted_by]).toEqual([3, counter]);
      }
    },
  );
});

it.each([...USAGE_COUNTERS, undefined])('the record of a preview names who counted its usage: %s', async (counter) => {
  kernel.policy.answer = requires('soft_gate');
  const held = await kernel.admit.run(
    tenant.writeCall(token, { tool_id: 'shell.run', args: { command: 'make' } }),
    null,
  );
  await run.preview(tenant, held, { 'a.txt': 'shown' }, () =>
    Promise.resolve({ exit_code: 0, result: output(0), usage: usedBy(counter) }),
  );
  const record = (await tenant.records()).find(({ change }) => change?.verb === 'previewed');
  expect([record?.budget_delta?.cpu_ms, record?.usage_counted_by]).toEqual([3, counter]);
});

it("a call that ran in no sandbox can't claim that its usage was counted in one", async () => {
  const { attempt } = await run.perform(tenant, tenant.writeCall(token));
  await run.commit.run(
    reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'written' }), { usage: usedBy('host') }),
  );
  expect(await tenant.row(attempt.operation_id)).toMatchObject({ state: 'rolled_back', fault_code: 'effect.invalid' });
  expect(await outcomeOf(attempt.operation_id)).not.toHaveProperty('usage_counted_by');
});
