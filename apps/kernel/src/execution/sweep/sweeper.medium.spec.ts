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
  token = await tenant.token({ budgets: { calls: 10, cpu_ms: 100_000 } });
});

const perform = async (): Promise<Attempt> => (await run.perform(tenant, tenant.writeCall(token))).attempt;
/** As if the executor had sent nothing for longer than its lease. */
const loseLease = (attempt: Attempt) =>
  tenant.query('UPDATE kernel.operation SET lease_until = 1 WHERE operation_id = $1', [attempt.operation_id]);
const again = async (attempt: Attempt): Promise<Attempt> => {
  run.dispatch('inline');
  for (;;) {
    const permit = await run.permitOf(attempt.operation_id);
    const speaker = { executor_id: attempt.executor_id, nonce: attempt.nonce };
    const redemption = await run.redeem.run({ v: 1, permit, ...speaker }).catch(() => null);
    if (redemption !== null) return { ...attempt, attempt: redemption.attempt };
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
};
const outcomes = async () => (await tenant.records()).filter((record) => record.phase === 'outcome');

describe('an executor that is lost', () => {
  it('before any external effect costs an attempt: the call goes back and runs again', async () => {
    const first = await perform();
    await loseLease(first);
    expect(await run.sweeper.sweep()).toMatchObject({ lost: 1, ended: 0 });
    expect(await tenant.row(first.operation_id)).toMatchObject({
      state: 'admitted',
      executor_id: null,
      nonce: null,
      leases_lost: 1,
    });
    expect(await outcomes()).toHaveLength(0);
    const second = await again(first);
    expect(second.attempt).toBe(2);
    await run.commit.run(reportOf(second, await deltaFor(kernel, second, { 'a.txt': 'second' })));
    expect(await tenant.row(first.operation_id)).toMatchObject({ state: 'committed' });
  });

  it('three times ends the call, which costs what it had reserved', async () => {
    let attempt = await perform();
    for (const lost of [1, 2]) {
      await loseLease(attempt);
      expect(await run.sweeper.sweep()).toMatchObject({ lost: 1 });
      expect(await tenant.row(attempt.operation_id)).toMatchObject({ state: 'admitted', leases_lost: lost });
      attempt = await again(attempt);
    }
    await loseLease(attempt);
    expect(await run.sweeper.sweep()).toMatchObject({ lost: 0, ended: 1 });
    expect(await tenant.row(attempt.operation_id)).toMatchObject({
      state: 'rolled_back',
      fault_code: 'attempts.exhausted',
      attempt: 3,
      reserved: {},
    });
    expect(await outcomes()).toMatchObject([
      { fault_code: 'attempts.exhausted', tx_outcome: 'rolled_back', attempt: 3 },
    ]);
    expect(await tenant.budgetOf(token)).toMatchObject({
      calls: { reserved: 0, used: 1 },
      cpu_ms: { reserved: 0, used: 10_000 },
    });
  });

  it('after an external effect leaves the call ambiguous: not retried, key and reservation kept', async () => {
    const attempt = await perform();
    expect(await run.renew.effectStarted(credentialsOf(attempt))).toMatchObject({ stop: false });
    await loseLease(attempt);
    expect(await run.sweeper.sweep()).toMatchObject({ lost: 0, ended: 1 });
    expect(await tenant.row(attempt.operation_id)).toMatchObject({
      state: 'ambiguous',
      tx_outcome: 'ambiguous',
      fault_code: 'effect.ambiguous',
      reserved: { calls: 1 },
    });
    expect(await outcomes()).toMatchObject([{ tx_outcome: 'ambiguous', budget_delta: null }]);
    expect(await tenant.budgetOf(token)).toMatchObject({ calls: { reserved: 1, used: 0 } });
    expect(await tenant.countOf('idempotency')).toBe(1);
  });

  it("after an external effect leaves a cancelled call ambiguous too: it can't be promised that nothing happened", async () => {
    const attempt = await perform();
    await run.renew.effectStarted(credentialsOf(attempt));
    await tenant.query('UPDATE kernel.operation SET cancel_requested = true WHERE operation_id = $1', [
      attempt.operation_id,
    ]);
    await loseLease(attempt);
    expect(await run.sweeper.sweep()).toMatchObject({ ended: 1 });
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ state: 'ambiguous' });
  });

  it('and resumes later is fenced, whatever it reports', async () => {
    const frozen = await perform();
    const report = reportOf(frozen, await deltaFor(kernel, frozen, { 'a.txt': 'from the past' }));
    await loseLease(frozen);
    // Not yet swept: the lease alone fences it.
    await expect(run.commit.run(report)).rejects.toMatchObject({ code: 'attempt.fenced' });
    await run.sweeper.sweep();
    await expect(run.commit.run(report)).rejects.toMatchObject({ code: 'attempt.fenced' });
    const second = await again(frozen);
    await expect(run.commit.run(report)).rejects.toMatchObject({ code: 'attempt.fenced' });
    await run.commit.run(reportOf(second, await deltaFor(kernel, second, { 'a.txt': 'second' })));
    await expect(run.commit.run(report)).rejects.toMatchObject({ code: 'attempt.fenced' });
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'second' });
    expect(await outcomes()).toHaveLength(1);
  });

  it('of a cancelled call ends it as cancelled', async () => {
    const attempt = await perform();
    await tenant.query('UPDATE kernel.operation SET cancel_requested = true WHERE operation_id = $1', [
      attempt.operation_id,
    ]);
    await loseLease(attempt);
    expect(await run.sweeper.sweep()).toMatchObject({ ended: 1 });
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ state: 'rolled_back', fault_code: 'cancelled' });
  });
});

describe('a sweep', () => {
  it('ends a waiting call past its deadline, and the dispatcher never dispatches it', async () => {
    const call = tenant.writeCall(token, { deadline: Date.now() + 60_000 });
    await kernel.admit.run(call, null);
    await tenant.query('UPDATE kernel.operation SET deadline = 1 WHERE operation_id = $1', [call.operation_id]);
    run.speak(10);
    run.dispatcher.wake('inline');
    expect(await run.sweeper.sweep()).toMatchObject({ ended: 1 });
    expect(await tenant.row(call.operation_id)).toMatchObject({
      state: 'refused',
      fault_code: 'deadline',
      attempt: 0,
      reserved: {},
    });
    expect(await tenant.budgetOf(token)).toMatchObject({ calls: { reserved: 0, used: 0 } });
  });

  it("ends a call that has no deadline after two days of waiting: it won't run any more, and it holds a budget", async () => {
    const call = tenant.writeCall(token);
    await kernel.admit.run(call, null);
    await tenant.query('UPDATE kernel.operation SET created_at = created_at - 172800000 WHERE operation_id = $1', [
      call.operation_id,
    ]);
    run.speak(10);
    run.dispatcher.wake('inline');
    expect(await run.sweeper.sweep()).toMatchObject({ ended: 1 });
    expect(await tenant.row(call.operation_id)).toMatchObject({
      state: 'refused',
      fault_code: 'deadline',
      attempt: 0,
      reserved: {},
    });
  });

  it('by eight replicas at once ends each call once', async () => {
    const attempts = await Promise.all(Array.from({ length: 6 }, perform));
    await tenant.query('UPDATE kernel.operation SET lease_until = 1, leases_lost = 2 WHERE tenant_id = $1', [
      tenant.tenantId,
    ]);
    const swept = await Promise.all(Array.from({ length: 8 }, () => run.sweeper.sweep()));
    expect(swept.reduce((sum, { ended }) => sum + ended, 0)).toBe(attempts.length);
    expect(await outcomes()).toHaveLength(attempts.length);
    expect(await tenant.budgetOf(token)).toMatchObject({ calls: { reserved: 0, used: 6 } });
  });

  it('leaves attempts alone whose executor renews them', async () => {
    const attempt = await perform();
    expect(await run.sweeper.sweep()).toEqual({ unredeemed: 0, lost: 0, ended: 0 });
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ state: 'performing' });
  });

  it("that can't end one call ends the others, and reports it", async () => {
    const attempts = await Promise.all(Array.from({ length: 3 }, perform));
    await tenant.query('UPDATE kernel.operation SET lease_until = 1, leases_lost = 2 WHERE tenant_id = $1', [
      tenant.tenantId,
    ]);
    // A record longer than allowed.
    await tenant.query('UPDATE kernel.operation SET tool_id = repeat($2, 20000) WHERE operation_id = $1', [
      attempts[1]?.operation_id,
      'x',
    ]);
    await expect(run.sweeper.sweep()).rejects.toThrow('1 of 3 overdue operations could not be ended');
    expect(await outcomes()).toHaveLength(2);
    await tenant.query(`UPDATE kernel.operation SET tool_id = 'fs.write' WHERE operation_id = $1`, [
      attempts[1]?.operation_id,
    ]);
    expect(await run.sweeper.sweep()).toMatchObject({ ended: 1 });
  });
});
