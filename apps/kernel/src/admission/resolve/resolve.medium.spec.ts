// SPDX-License-Identifier: Apache-2.0
import type { Caller, OperationView } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { credentialsOf, type Attempt, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { openManagement } from '../../specs/test-management.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let run: TestExecution;
let tenant: TestTenant;
let token: string;
let attempt: Attempt;
openKernelSpec((on) => {
  ({ kernel, run } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token({ budgets: { calls: 5, wall_ms: 1_000_000 } });
  attempt = await performing();
});

const performing = async (more: { idempotency_key?: string } = {}): Promise<Attempt> =>
  (await run.perform(tenant, tenant.writeCall(token, more))).attempt;
/** The executor announced an effect and then disappeared. */
const loseEffect = async (lost = attempt): Promise<void> => {
  await run.renew.effectStarted(credentialsOf(lost));
  await tenant.query('UPDATE kernel.operation SET lease_until = 1 WHERE operation_id = $1', [lost.operation_id]);
  await run.sweeper.sweep();
};
const as = (role: Caller['role'], more: Partial<Caller> = {}): Caller => ({
  tenant_id: tenant.tenantId,
  api_key_id: newId('apiKey'),
  role,
  agent_id: null,
  ...more,
});
const resolve = (
  outcome: 'committed' | 'rolled_back',
  caller = as('operator'),
  note = 'the order is in the shop',
): Promise<OperationView> => kernel.resolve.run({ v: 1, caller, operation_id: attempt.operation_id, outcome, note });
const calls = async () => (await tenant.budgetOf(token))['calls'];
const resolutions = async () => (await tenant.records()).filter(({ kind }) => kind === 'resolution');

it.each(['committed', 'rolled_back'] as const)(
  'an ambiguous call is resolved as %s: recorded and settled, with its state and workspace unchanged',
  async (outcome) => {
    await loseEffect();
    expect(await calls()).toMatchObject({ reserved: 1, used: 0 });
    const [before, caller] = [await tenant.row(attempt.operation_id), as('operator')];
    const view = await resolve(outcome, caller);
    expect(view).toMatchObject({
      state: 'ambiguous',
      result: { tx_outcome: 'ambiguous' },
      resolution: { outcome, note: 'the order is in the shop', resolved_by: caller.api_key_id },
    });
    expect(await calls()).toMatchObject({ reserved: 0, used: 1 });
    const { rows } = await kernel.admin.query(
      'SELECT head_snapshot_id, head_seq FROM kernel.workspace WHERE workspace_id = $1',
      [tenant.workspaceId],
    );
    expect(rows).toEqual([{ head_snapshot_id: tenant.head, head_seq: 1 }]);
    const [record] = await resolutions();
    expect(record).toMatchObject({
      record_id: view.resolution?.record_id,
      operation_id: attempt.operation_id,
      phase: null,
      attempt: 1,
      tx_outcome: outcome,
      actor: caller.api_key_id,
      budget_delta: before.reserved,
      decision_record_id: before.decision_record_id,
      decision_hash: before.decision_hash,
      change: {
        verb: 'resolve',
        subject: attempt.operation_id,
        digest: sha256Hex(canonicalBytes({ v: 1, outcome, note: 'the order is in the shop' })),
      },
    });
    expect(JSON.stringify(record)).not.toContain('shop');
    expect(await tenant.row(attempt.operation_id)).toMatchObject({
      reserved: {},
      outcome_record_id: before.outcome_record_id,
    });
    expect(kernel.outbox.records.at(-1)?.record_id).toBe(record?.record_id);
  },
);

it('a repeated resolution is the same resolution, and a different one is refused', async () => {
  await loseEffect();
  const first = await resolve('committed');
  expect(await resolve('committed', as('admin'), 'another note')).toMatchObject({ resolution: first.resolution });
  await expect(resolve('rolled_back', as('admin'))).rejects.toMatchObject({ code: 'conflict' });
  expect(await resolutions()).toHaveLength(1);
  expect(await calls()).toMatchObject({ reserved: 0, used: 1 });
});

it.each([0, 1, 2])(
  'one of several different concurrent resolutions wins, and the call is settled once (%i)',
  async () => {
    await loseEffect();
    const said = await Promise.allSettled(
      ['committed', 'rolled_back', 'committed', 'rolled_back'].map((outcome) =>
        resolve(outcome as 'committed' | 'rolled_back'),
      ),
    );
    const { resolution } = await tenant.row(attempt.operation_id);
    expect(said.map(({ status }) => status)).toEqual(
      ['committed', 'rolled_back', 'committed', 'rolled_back'].map((outcome) =>
        outcome === resolution ? 'fulfilled' : 'rejected',
      ),
    );
    expect(await resolutions()).toMatchObject([{ tx_outcome: resolution }]);
    expect(await calls()).toMatchObject({ reserved: 0, used: 1 });
  },
);

it('a proposer resolves their call under no role, and neither do agents and auditors', async () => {
  await loseEffect();
  for (const role of ['admin', 'operator'] as const)
    await expect(resolve('committed', as(role, { api_key_id: tenant.keyId }))).rejects.toMatchObject({
      code: 'resolution.own_call',
    });
  for (const role of ['agent', 'auditor'] as const)
    await expect(
      resolve('committed', as(role, { agent_id: role === 'agent' ? newId('agent') : null })),
    ).rejects.toMatchObject({ code: 'auth.role' });
  await expect(resolve('committed', as('admin', { tenant_id: newId('tenant') }))).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(await resolutions()).toEqual([]);
  expect(await calls()).toMatchObject({ reserved: 1, used: 0 });
});

it('a call that is not ambiguous is not resolved', async () => {
  await expect(resolve('committed')).rejects.toMatchObject({ code: 'conflict' });
  expect(await resolutions()).toEqual([]);
  await expect(
    kernel.resolve.run({ v: 1, caller: as('admin'), operation_id: 'op_none', outcome: 'committed', note: 'x' }),
  ).rejects.toMatchObject({ code: 'not_found' });
});

it('a resolved call keeps its key: a repeated call gets its resolution, and nothing runs', async () => {
  const idempotency_key = newId('request');
  attempt = await performing({ idempotency_key });
  await loseEffect();
  await resolve('rolled_back');
  const again = await kernel.admit.run(tenant.writeCall(token, { idempotency_key }), null);
  expect(again).toMatchObject({
    operation_id: attempt.operation_id,
    replayed: true,
    state: 'ambiguous',
    resolution: { outcome: 'rolled_back' },
  });
});

it("a call is not resolved where its record can't be written", async () => {
  await loseEffect();
  await tenant.query('UPDATE kernel.operation SET tool_id = repeat($2, 20000) WHERE operation_id = $1', [
    attempt.operation_id,
    'x',
  ]);
  await expect(resolve('committed')).rejects.toThrow('tool_id');
  expect(await tenant.row(attempt.operation_id)).toMatchObject({ resolution: null, resolved_at: null });
});

it('the list of unresolved calls has ambiguous calls until they are resolved', async () => {
  const management = openManagement(kernel);
  const list = async () =>
    (
      await management.listOperations.run({
        v: 1,
        caller: as('operator'),
        page: { cursor: null, limit: 10 },
        state: null,
        tool_id: null,
        agent_id: null,
        workspace_id: null,
        session_id: null,
        unresolved: true,
      })
    ).items.map(({ operation_id }) => operation_id);
  expect(await list()).toEqual([]);
  await loseEffect();
  expect(await list()).toEqual([attempt.operation_id]);
  await resolve('committed');
  expect(await list()).toEqual([]);
  await management.tenancy.close();
});

it('the database accepts no partial resolution, and none of a call that is not ambiguous', async () => {
  const set = (columns: string) =>
    tenant.query(`UPDATE kernel.operation SET ${columns} WHERE operation_id = $1`, [attempt.operation_id]);
  const whole = `resolution = 'committed', resolution_note = 'x', resolved_at = 1, resolved_by = 'x', resolution_record_id = 'x'`;
  await expect(set(whole)).rejects.toThrow('resolved_whole');
  await loseEffect();
  await expect(set(`resolution = 'committed'`)).rejects.toThrow('resolved_whole');
  await expect(set(whole.replace('committed', 'perhaps'))).rejects.toThrow('resolution');
  await set(whole);
});
