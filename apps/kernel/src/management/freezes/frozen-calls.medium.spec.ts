// SPDX-License-Identifier: Apache-2.0
//
// The end of calls in every state in which a freeze may come.
import type { AuditRecord, FreezeScope, FreezeView, ProposedCall } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { requestBy, callerOf, type TestManagement } from '../../specs/test-management.ts';
import { deltaFor, reportOf, credentialsOf, textsAt, type TestExecution } from '../../specs/test-executor.ts';
import { openTestKernel, type TestKernel } from '../../specs/test-kernel.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';

let kernel: TestKernel;
let manage: TestManagement;
let run: TestExecution;
let tenant: TestTenant;
let token: string;
openKernelSpec(
  (on) => {
    ({ kernel, manage, run } = on);
  },
  () => openTestKernel(40),
);
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token();
  kernel.policy.answer = () => AUTOPILOT;
});

const admin = (of = tenant) => requestBy(callerOf(of.tenantId));
const place = (
  scope: FreezeScope = 'tenant',
  id: string | null = null,
  expires_at: number | null = null,
): Promise<FreezeView> =>
  manage.placeFreeze.run({
    ...(scope === 'all' ? { v: 1, caller: null } : admin()),
    scope,
    id,
    reason: 'it runs wild',
    expires_at,
  });
const lift = ({ freeze_id, scope }: FreezeView): Promise<FreezeView> =>
  manage.liftFreeze.run({ ...(scope === 'all' ? { v: 1, caller: null } : admin()), freeze_id });
const admit = (call: ProposedCall) => kernel.admit.run(call, null);
const outcomesOf = async (operationId: string): Promise<AuditRecord[]> =>
  (await tenant.records()).filter((record) => record.operation_id === operationId && record.phase === 'outcome');
const written = async (): Promise<{
  attempt: Awaited<ReturnType<TestExecution['perform']>>['attempt'];
  report: ReturnType<typeof reportOf>;
}> => {
  const { attempt } = await run.perform(tenant, tenant.writeCall(token));
  return { attempt, report: reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'written' })) };
};
/** The number of the tenant's operations in any of the states, as a new transaction sees them. */
const countIn = async (...states: string[]): Promise<number> =>
  (
    await kernel.admin.query('SELECT 1 FROM kernel.operation WHERE tenant_id = $1 AND state = ANY ($2)', [
      tenant.tenantId,
      states,
    ])
  ).rowCount ?? 0;

describe('under a freeze', () => {
  it('a call is refused with the actor, scope, time and reason of the freeze, and costs nothing', async () => {
    const { freeze_id, placed_by } = await place();
    const call = tenant.writeCall(token);
    const refused = await admit(call);
    expect(refused).toMatchObject({
      state: 'refused',
      result: {
        status: 'error',
        tx_outcome: 'rolled_back',
        error: { code: 'frozen', hint: expect.stringContaining(freeze_id) },
      },
    });
    expect(refused.result?.error?.message).toMatch(
      new RegExp(`^the tenant is frozen since 20..-..-..T..:..:..Z, by \`${placed_by}\`: it runs wild$`),
    );
    expect(await tenant.records()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ operation_id: call.operation_id, verdict: 'refused', fault_code: 'frozen' }),
      ]),
    );
    // A refusal claims no key, so the same call can be proposed again after the freeze.
    await lift(await manage.freezes.read({ ...admin(), freeze_id }));
    expect(await admit({ ...call, operation_id: newId('operation') })).toMatchObject({ state: 'admitted' });
  });

  it('of an agent, only its calls and those of its delegates are refused', async () => {
    const other = newId('agent');
    await tenant.query('INSERT INTO kernel.agent (agent_id, tenant_id, name) VALUES ($1, $2, $3)', [
      other,
      tenant.tenantId,
      'other',
    ]);
    const [delegated, own] = [
      await tenant.token({}, { parent_id: token, agent_id: other }),
      await tenant.token({}, { agent_id: other }),
    ];
    await place('agent', tenant.agentId);
    expect((await admit(tenant.call(token))).result?.error?.code).toBe('frozen');
    expect((await admit(tenant.call(delegated, { agent_id: other }))).result?.error?.code).toBe('frozen');
    expect(await admit(tenant.call(own, { agent_id: other }))).toMatchObject({ state: 'admitted' });
  });

  it('of a tool other tools continue, and of a tenant other tenants', async () => {
    await place('tool', 'fs.write');
    expect((await admit(tenant.writeCall(token))).result?.error?.code).toBe('frozen');
    expect(await admit(tenant.call(token))).toMatchObject({ state: 'admitted' });
    await place();
    const others = await kernel.newTenant();
    await others.write({ 'a.txt': 'x' });
    expect(await admit(others.writeCall(await others.token()))).toMatchObject({ state: 'admitted' });
  });

  it("of everything no tenant's call is admitted until it is lifted", async () => {
    const all = await place('all');
    try {
      expect((await admit(tenant.call(token))).result?.error).toMatchObject({
        code: 'frozen',
        message: expect.stringMatching(/^everything is frozen since .*, by the platform: it runs wild$/),
      });
    } finally {
      await lift(all);
    }
    expect(await admit(tenant.call(token))).toMatchObject({ state: 'admitted' });
  });

  it('that has expired nothing is refused', async () => {
    const { freeze_id } = await place('tenant', null, Date.now() + 60_000);
    await tenant.query('UPDATE kernel.freeze SET expires_at = kernel.now_ms() - 1 WHERE freeze_id = $1', [freeze_id]);
    expect(await admit(tenant.call(token))).toMatchObject({ state: 'admitted' });
  });

  it("a held call stays held and can't be approved until the freeze is lifted", async () => {
    kernel.policy.answer = requires('soft_gate');
    const { approval_id, operation_id } = await admit(tenant.writeCall(token));
    const freeze = await place();
    const approve = () =>
      kernel.decide.run({ ...admin(), approval_id: approval_id ?? '', decision: 'approve', comment: null });
    await expect(approve()).rejects.toMatchObject({ code: 'frozen' });
    expect((await tenant.row(operation_id)).state).toBe('held');
    await lift(freeze);
    expect(await approve()).toMatchObject({ state: 'admitted' });
  });

  it('a call that was admitted before is replayed, since a replay is no new admission', async () => {
    const call = tenant.writeCall(token);
    await admit(call);
    await place();
    expect(await admit({ ...call, operation_id: newId('operation') })).toMatchObject({
      operation_id: call.operation_id,
      state: 'admitted',
      replayed: true,
    });
  });

  it('waiting calls are not dispatched until it is lifted', async () => {
    const [mine, read] = [tenant.writeCall(token), tenant.call(token)];
    for (const call of [mine, read]) await admit(call);
    const freeze = await place('tool', 'fs.write');
    run.speak(100);
    run.dispatcher.wake('inline');
    await run.permitOf(read.operation_id);
    expect((await tenant.row(mine.operation_id)).state).toBe('admitted');
    await lift(freeze);
    expect(kernel.bell.woken.slice(-3)).toEqual(['inline', 'sandboxed', 'broker']);
    run.dispatch('inline');
    await run.permitOf(mine.operation_id);
  });

  it('an issued permit is not redeemed: the call ends with a record', async () => {
    const call = tenant.writeCall(token);
    await admit(call);
    run.speak(100);
    run.dispatcher.wake('inline');
    const permit = await run.permitOf(call.operation_id);
    await place();
    await expect(
      run.redeem.run({ v: 1, permit, executor_id: newId('executor'), nonce: 'n'.repeat(32) }),
    ).rejects.toMatchObject({ code: 'frozen' });
    expect(await tenant.row(call.operation_id)).toMatchObject({
      state: 'rolled_back',
      fault_code: 'frozen',
      fault_message: expect.stringContaining('it runs wild'),
    });
    expect(await outcomesOf(call.operation_id)).toMatchObject([{ fault_code: 'frozen' }]);
  });

  it('a running call is asked to stop, and its report is rolled back', async () => {
    const { attempt, report } = await written();
    await place();
    expect(kernel.events.stops).toContain(`${attempt.operation_id} ${String(attempt.attempt)}`);
    expect(await run.renew.run(credentialsOf(attempt))).toMatchObject({ stop: true });
    expect(await run.commit.run(report)).toMatchObject({ state: 'rolled_back' });
    expect(await outcomesOf(attempt.operation_id)).toMatchObject([{ fault_code: 'frozen', tx_outcome: 'rolled_back' }]);
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'hello' });
  });

  it('no external effect begins, and a call with a begun one ends as ambiguous', async () => {
    const [before, after] = [await written(), await written()];
    await run.renew.effectStarted(credentialsOf(before.attempt));
    await place();
    expect(await run.renew.effectStarted(credentialsOf(after.attempt))).toMatchObject({ stop: true });
    expect((await tenant.row(after.attempt.operation_id)).effect_started).toBe(false);
    expect(await run.commit.run(before.report)).toMatchObject({ state: 'ambiguous' });
    expect(await run.commit.run(after.report)).toMatchObject({ state: 'rolled_back' });
  });

  it("a call with a lost executor ends, and doesn't run again when the freeze is lifted", async () => {
    const { attempt } = await written();
    await place();
    await tenant.query('UPDATE kernel.operation SET lease_until = 1 WHERE operation_id = $1', [attempt.operation_id]);
    await run.sweeper.sweep();
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ state: 'rolled_back', fault_code: 'frozen' });
  });
});

/**
 * Runs `deciding` until it waits for the lock, places a freeze meanwhile, and releases the lock. Resolves with the
 * number of operations in `states` when the freeze returned.
 */
async function freezeBehind(
  lock: string,
  id: string,
  deciding: () => Promise<unknown>,
  ...states: string[]
): Promise<number> {
  await kernel.admin.query('BEGIN');
  await kernel.admin.query(`${lock} FOR UPDATE`, [id]);
  const decided = deciding();
  await kernel.untilBlocked();
  const waiting = `SELECT 1 FROM pg_stat_clear_snapshot(), pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  let isPlaced = false;
  const placed = place().then(async () => {
    isPlaced = true;
    return await countIn(...states);
  });
  while (!isPlaced && ((await kernel.admin.query(waiting)).rowCount ?? 0) < 2)
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  if (isPlaced) await placed;
  await kernel.admin.query('COMMIT');
  await decided;
  return await placed;
}

describe('a freeze that meets a decision between its last look and its COMMIT', () => {
  it('waits for the admission', async () => {
    const bounded = await tenant.token({ budgets: { calls: 5 } });
    const seen = await freezeBehind(
      'SELECT 1 FROM kernel.budget WHERE capability_token_id = $1',
      bounded,
      () => admit(tenant.call(bounded)),
      'admitted',
    );
    expect(seen).toBe(await countIn('admitted'));
  });

  it('waits for the commit', async () => {
    const { report } = await written();
    const seen = await freezeBehind(
      'SELECT 1 FROM kernel.workspace WHERE workspace_id = $1',
      tenant.workspaceId,
      () => run.commit.run(report),
      'committed',
    );
    expect(seen).toBe(await countIn('committed'));
  });

  it('waits for the approval', async () => {
    kernel.policy.answer = requires('soft_gate');
    const bounded = await tenant.token({ budgets: { calls: 5 } });
    const { approval_id } = await admit(tenant.call(bounded));
    const approving = () =>
      kernel.decide.run({ ...admin(), approval_id: approval_id ?? '', decision: 'approve', comment: null });
    const seen = await freezeBehind(
      'SELECT 1 FROM kernel.budget WHERE capability_token_id = $1',
      bounded,
      approving,
      'admitted',
    );
    expect(seen).toBe(await countIn('admitted'));
  });
});

describe('a freeze among 32 callers', () => {
  it('stops every admission once it has returned', async () => {
    let isStopped = false;
    const callers = Array.from({ length: 32 }, async () => {
      const states: string[] = [];
      // Each continues until it is refused, so the freeze comes during all of them.
      while (states.at(-1) !== 'refused') states.push((await admit(tenant.call(token))).state);
      expect(isStopped).toBe(true);
      return states.length;
    });
    while ((await countIn('admitted')) < 64)
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    // Some are refused while the freeze commits and before its caller gets the answer. That is early enough.
    isStopped = true;
    await place();
    const admitted = await countIn('admitted', 'held', 'dispatched', 'performing', 'performed');
    await Promise.all(callers);
    expect(admitted).toBeGreaterThanOrEqual(64);
    expect(await countIn('admitted', 'held', 'dispatched', 'performing', 'performed')).toBe(admitted);
  }, 120_000);

  it('stops every commit once it has returned, and every call has one outcome', async () => {
    const attempts = [];
    for (let i = 0; i < 32; i++) {
      const { attempt } = await run.perform(
        tenant,
        tenant.writeCall(token, { args: { path: `f${String(i)}.txt`, content: 'x' } }),
      );
      attempts.push(attempt);
    }
    const reports = await Promise.all(
      attempts.map(async (attempt, i) =>
        reportOf(attempt, await deltaFor(kernel, attempt, { [`f${String(i)}.txt`]: 'x' })),
      ),
    );
    const ending = Promise.all(reports.map((report) => run.newCommit().run(report)));
    while ((await countIn('committed')) < 4)
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    await place();
    const committed = await countIn('committed');
    await ending;
    expect(committed).toBeLessThan(32);
    expect(await countIn('committed')).toBe(committed);
    expect(await countIn('rolled_back')).toBe(32 - committed);
    const outcomes = (await tenant.records()).filter(({ phase }) => phase === 'outcome');
    expect(outcomes).toHaveLength(32);
    expect(outcomes.filter(({ fault_code }) => fault_code === 'frozen')).toHaveLength(32 - committed);
  }, 120_000);
});
