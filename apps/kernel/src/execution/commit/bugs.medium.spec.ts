// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { deltaFor, reportOf, credentialsOf, type Attempt, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
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
  token = await tenant.token({ budgets: { calls: 10, cpu_ms: 1_000_000 } });
  kernel.policy.answer = () => AUTOPILOT;
  run.faults.length = 0;
});

const BUG = new TypeError('a bug of the judging');
const throwing = (error: Error) => (): never => {
  throw error;
};
const outcomes = async () => (await tenant.records()).filter((record) => record.phase === 'outcome');

async function reportBesides(error: Error, before: (attempt: Attempt) => Promise<unknown> = async () => undefined) {
  const { attempt } = await run.perform(tenant, tenant.writeCall(token));
  await before(attempt);
  kernel.policy.answer = throwing(error);
  return { attempt, report: reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'changed' })) };
}

describe('an effect whose judging fails', () => {
  it.each([
    ['a bug', BUG, 'internal', 1],
    ['a bug of a thread', new Fault('internal'), 'internal', 1],
    ['work beyond its budget', new Fault('limit.exceeded', '`call.read` needs more than 3000 ms'), 'limit.exceeded', 0],
  ])('with %s is rolled back by its first report, with one record', async (_, error, code, told) => {
    const { attempt, report } = await reportBesides(error);
    expect(await run.commit.run(report)).toEqual({ v: 1, state: 'rolled_back', tx_outcome: 'rolled_back' });
    expect(await run.commit.run(report)).toEqual({ v: 1, state: 'rolled_back', tx_outcome: 'rolled_back' });
    expect(await tenant.row(attempt.operation_id)).toMatchObject({
      state: 'rolled_back',
      fault_code: code,
      attempt: 1,
      reserved: {},
    });
    expect(await outcomes()).toMatchObject([{ tx_outcome: 'rolled_back', fault_code: code, attempt: 1 }]);
    expect(await tenant.budgetOf(token)).toMatchObject({ calls: { reserved: 0, used: 1 } });
    expect(run.faults).toEqual(told === 0 ? [] : [error]);
  });

  it('after something began outside ends ambiguous by its first report', async () => {
    const { attempt, report } = await reportBesides(BUG, (begun) => run.renew.effectStarted(credentialsOf(begun)));
    expect(await run.commit.run(report)).toEqual({ v: 1, state: 'ambiguous', tx_outcome: 'ambiguous' });
    expect(await outcomes()).toMatchObject([{ tx_outcome: 'ambiguous', fault_code: 'effect.ambiguous', attempt: 1 }]);
    // Facts that were cached before the announcement are read once more, and then it is judged on those.
    expect(new Set(run.faults)).toEqual(new Set([BUG]));
    expect((await tenant.row(attempt.operation_id)).state).toBe('ambiguous');
  });

  it.each(['overloaded', 'database.unavailable', 'policy.unreadable'] as const)(
    'with `%s` is undecided, and the report may be repeated',
    async (code) => {
      const { attempt, report } = await reportBesides(new Fault(code));
      await expect(run.commit.run(report)).rejects.toMatchObject({ code });
      expect((await tenant.row(attempt.operation_id)).state).toBe('performing');
      kernel.policy.answer = () => AUTOPILOT;
      expect(await run.commit.run(report)).toMatchObject({ state: 'committed' });
      expect(await outcomes()).toHaveLength(1);
    },
  );
});
