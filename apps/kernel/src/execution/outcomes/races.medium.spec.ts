// SPDX-License-Identifier: Apache-2.0
//
// All ways to end a call, at once: whichever is first, the call ends once, whole, recorded and settled.
import type { AuditRecord, Caller } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { deltaFor, reportOf, credentialsOf, textsAt, type TestExecution } from '../../specs/test-executor.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let run: TestExecution;
let tenant: TestTenant;
openKernelSpec((on) => {
  ({ kernel, run } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  kernel.policy.answer = () => AUTOPILOT;
});

const as = (role: Caller['role']): Caller => ({
  tenant_id: tenant.tenantId,
  api_key_id: newId('apiKey'),
  role,
  agent_id: null,
});
const outcomesOf = async (operationId: string): Promise<AuditRecord[]> =>
  (await tenant.records()).filter((record) => record.operation_id === operationId && record.phase === 'outcome');
const cancel = (operation_id: string) => kernel.cancel.run({ v: 1, caller: as('operator'), operation_id });

it.each(Array.from({ length: 12 }, (_, index) => index))(
  'a running call reported, cancelled, revoked, renewed and swept at once ends once (%i)',
  async (index) => {
    const token = await tenant.token({ budgets: { calls: 5, disk_write_bytes: 1_000_000_000 } });
    const { attempt } = await run.perform(tenant, tenant.writeCall(token));
    const report = reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'written' }));
    const ways = [
      () => run.commit.run(report),
      () => run.newCommit().run(report),
      () => cancel(attempt.operation_id),
      () =>
        tenant.query('UPDATE kernel.token SET revoked_at = kernel.now_ms() WHERE capability_token_id = $1', [token]),
      () =>
        tenant.query(
          'UPDATE kernel.operation SET lease_until = kernel.now_ms() - 1, leases_lost = 2 WHERE operation_id = $1 AND state = $2',
          [attempt.operation_id, 'performing'],
        ),
      () => run.sweeper.sweep(),
      () => run.renew.effectStarted(credentialsOf(attempt)),
    ];
    // Each run begins with another one of them.
    await Promise.allSettled(
      [...ways.slice(index % ways.length), ...ways.slice(0, index % ways.length)].map((way) => way()),
    );
    await tenant.query(
      'UPDATE kernel.operation SET lease_until = 1, leases_lost = 2 WHERE operation_id = $1 AND state = $2',
      [attempt.operation_id, 'performing'],
    );
    await run.sweeper.sweep();
    const row = await tenant.row(attempt.operation_id);
    expect(['committed', 'rolled_back', 'ambiguous']).toContain(row.state);
    expect(await outcomesOf(attempt.operation_id)).toMatchObject([
      { record_id: row.outcome_record_id, tx_outcome: row.tx_outcome, new_snapshot_id: row.new_snapshot_id },
    ]);
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({
      'a.txt': row.state === 'committed' ? 'written' : 'hello',
    });
    const settled = row.state === 'ambiguous' ? { reserved: 1, used: 0 } : { reserved: 0, used: 1 };
    expect((await tenant.budgetOf(token))['calls']).toMatchObject(settled);
    await expect(cancel(attempt.operation_id)).rejects.toMatchObject({ code: 'conflict' });
  },
);

it.each(Array.from({ length: 6 }, (_, index) => index))(
  'a held call approved, denied, cancelled, revoked and expired at once is decided once (%i)',
  async (index) => {
    const token = await tenant.token({ budgets: { calls: 1 } });
    kernel.policy.answer = requires('soft_gate');
    const { operation_id, approval_id } = await kernel.admit.run(tenant.writeCall(token), null);
    const decide = (decision: 'approve' | 'deny') =>
      kernel.decide.run({ v: 1, caller: as('admin'), approval_id: approval_id ?? '', decision, comment: null });
    const ways = [
      () => decide('approve'),
      () => decide('deny'),
      () => cancel(operation_id),
      () => decide('approve'),
      () =>
        tenant.query('UPDATE kernel.token SET revoked_at = kernel.now_ms() WHERE capability_token_id = $1', [token]),
      async () => {
        await tenant.query('UPDATE kernel.approval SET expires_at = 1 WHERE approval_id = $1 AND state = $2', [
          approval_id,
          'pending',
        ]);
        await kernel.expire.run();
      },
    ];
    await Promise.allSettled([...ways.slice(index), ...ways.slice(0, index)].map((way) => way()));
    const row = await tenant.row(operation_id);
    expect(['admitted', 'refused', 'rolled_back']).toContain(row.state);
    const approvals = (await tenant.records()).filter(({ kind }) => kind === 'approval');
    expect(approvals).toHaveLength(1);
    expect(await outcomesOf(operation_id)).toHaveLength(row.state === 'admitted' ? 0 : 1);
    expect((await tenant.budgetOf(token))['calls']).toMatchObject({
      reserved: row.state === 'admitted' ? 1 : 0,
      used: 0,
    });
    if (row.state === 'admitted') await cancel(operation_id);
    expect((await tenant.budgetOf(token))['calls']).toMatchObject({ reserved: 0, used: 0 });
  },
);

it('an outcome names its decision by the hash of the very bytes that were signed, so that two receipts can be compared', async () => {
  const { attempt } = await run.perform(tenant, tenant.writeCall(await tenant.token()));
  await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'written' })));
  const [outcome] = await outcomesOf(attempt.operation_id);
  const { rows } = await kernel.admin.query<{ payload: Buffer }>(
    'SELECT payload FROM kernel.outbox WHERE record_id = $1',
    [outcome?.decision_record_id],
  );
  expect(sha256Hex(rows[0]?.payload ?? Buffer.alloc(0))).toBe(outcome?.decision_hash);
});
