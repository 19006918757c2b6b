// SPDX-License-Identifier: Apache-2.0
// The end of a tenant: what becomes of its calls, and what no message on the bus undoes.
import { newId } from '@writ/nest-kit';
import { connectionScene } from '../../specs/connection-scene.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { deltaFor, reportOf, textsAt, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { callerOf, pagesOf, refusalOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { limitsSince } from '../../foundation/tenancy/limits-since.ts';

let kernel: TestKernel;
let manage: TestManagement;
let run: TestExecution;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel, manage, run } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token({ budgets: { calls: 50 } });
  kernel.policy.answer = () => AUTOPILOT;
});
const scene = connectionScene(() => ({ kernel, manage, tenant }));

const close = (tenant_id: string = tenant.tenantId, reason = 'the contract ended') =>
  manage.closeTenant.run({ v: 1, caller: null, tenant_id, reason });
const read = (tenant_id: string = tenant.tenantId) => manage.tenants.read({ v: 1, caller: null, tenant_id });
const verdictOf = async (more: object = {}): Promise<string> => {
  const { state, result } = await kernel.admit.run(tenant.writeCall(token, more), null);
  return result?.error?.code ?? state;
};
const admin = () => requestBy(callerOf(tenant.tenantId));
const verbs = async () =>
  (await tenant.records()).map(({ change }) => (change as { verb?: string } | null)?.verb ?? null);

/** Copies of a call, each of another key. */
async function copyCall(operationId: string, copies: number, state: string): Promise<void> {
  const { rows } = await kernel.admin.query<{ columns: string }>(
    `SELECT string_agg(column_name, ', ') AS columns FROM information_schema.columns
     WHERE table_schema = 'kernel' AND table_name = 'operation' AND is_generated = 'NEVER'`,
  );
  const columns = rows[0]?.columns ?? '';
  await kernel.admin.query(
    `INSERT INTO kernel.operation (${columns})
     SELECT ${columns} FROM (
       SELECT (jsonb_populate_record(o, jsonb_build_object('operation_id', 'op_' || md5($3::text || n), 'state', $3::text,
         'proposed_by', 'key_' || md5($3::text || n)))).*
       FROM kernel.operation o, generate_series(1, $2::int) n WHERE o.operation_id = $1) copied`,
    [operationId, copies, state],
  );
}

describe('a tenant that is closed', () => {
  it('is closed once and for ever, with one record, and says so', async () => {
    expect(await read()).toEqual({
      tenant_id: tenant.tenantId,
      name: 'spec',
      state: 'open',
      created_at: expect.any(Number),
      closed_at: null,
      closed_by: null,
      close_reason: null,
    });
    const closed = await close();
    expect(closed).toMatchObject({ state: 'closed', closed_by: 'platform', close_reason: 'the contract ended' });
    expect(await close(tenant.tenantId, 'once more')).toEqual(closed);
    expect(await read()).toEqual(closed);
    expect(await tenant.records()).toMatchObject([
      { kind: 'change', actor: 'platform', change: { verb: 'tenant_closed', subject: tenant.tenantId } },
    ]);
    const { items } = await limitsSince(kernel.workers, { since: 0, after: '' });
    expect(items.filter(({ closed: isClosed }) => isClosed).map(({ tenant_id }) => tenant_id)).toContain(
      tenant.tenantId,
    );
  });

  it('admits nothing: each later call is refused `tenant.closed`, with a record, also by cached facts', async () => {
    expect(await verdictOf()).toBe('admitted');
    const other = await kernel.newTenant();
    await close();
    for (const more of [{}, { proposed_by: newId('apiKey') }, { dry_run: true }, { session_mode: 'gateway' as const }])
      expect(await verdictOf(more)).toBe('tenant.closed');
    expect((await tenant.records()).at(-1)).toMatchObject({ kind: 'tool_call', fault_code: 'tenant.closed' });
    expect((await kernel.admit.run(other.writeCall(await other.token()), null)).state).toBe('admitted');
  });

  it('ends its open calls: what waits ends at once, and what runs commits nothing', async () => {
    const { attempt } = await run.perform(tenant, tenant.writeCall(token));
    const waiting = await kernel.admit.run(tenant.writeCall(token, { proposed_by: newId('apiKey') }), null);
    kernel.policy.answer = requires('soft_gate');
    const held = await kernel.admit.run(tenant.writeCall(token), null);
    kernel.policy.answer = () => AUTOPILOT;
    await close();
    for (const { operation_id } of [waiting, held])
      expect(await tenant.row(operation_id)).toMatchObject({ state: 'refused', fault_code: 'key.revoked' });
    expect(kernel.events.stops).toContain(`${attempt.operation_id} ${String(attempt.attempt)}`);
    await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'written' })));
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ state: 'rolled_back' });
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'hello' });
    const decision = { ...admin(), approval_id: held.approval_id ?? '', decision: 'approve' as const, comment: null };
    expect(await refusalOf(kernel.decide.run(decision))).toMatchObject({ code: 'conflict' });
  });

  it('takes no change of its administrators, and its upkeep goes on', async () => {
    await close();
    const refused = [
      () => manage.agents.create({ ...admin(), name: 'late' } as never),
      () => manage.limits.set({ v: 1, caller: null, tenant_id: tenant.tenantId, change: { weight: 7 } }),
      () => manage.recordChange.run({ ...admin(), verb: 'api_key_created', subject: newId('apiKey') }),
      () =>
        manage.createTenant.run({
          v: 1,
          tenant_id: tenant.tenantId as never,
          name: 'spec',
          admin_key_id: newId('apiKey'),
        }),
    ];
    for (const change of refused) expect(await refusalOf(change())).toMatchObject({ code: 'tenant.closed' });
    await manage.revokeKey.run({ ...admin(), api_key_id: tenant.keyId });
    await manage.recordChange.run({ ...admin(), verb: 'person_forgotten', subject: newId('person') });
    expect(await verbs()).toEqual(['tenant_closed', 'api_key_revoked', 'person_forgotten']);
  });

  it('stays closed: its freeze can be neither lifted nor given an end, whoever asks', async () => {
    await close();
    const { items } = await manage.freezes.list({ ...admin(), page: { cursor: null, limit: 10 }, standing: true });
    const [freeze_id = ''] = items.map((freeze) => freeze.freeze_id);
    await manage.liftFreeze.run({ ...admin(), freeze_id }).catch(() => undefined);
    await manage.placeFreeze
      .run({ ...admin(), scope: 'tenant', id: null, reason: 'short', expires_at: Date.now() + 60_000 })
      .catch(() => undefined);
    for (const change of ['lifted_at = 1', 'expires_at = 1'])
      await expect(
        kernel.admin.query(`UPDATE kernel.freeze SET ${change} WHERE freeze_id = $1`, [freeze_id]),
      ).rejects.toThrow('freeze');
    expect(await manage.freezes.list({ ...admin(), page: { cursor: null, limit: 10 }, standing: true })).toMatchObject({
      items: [{ freeze_id, state: 'standing', expires_at: null, placed_by: 'platform' }],
    });
    expect(await verdictOf()).toBe('tenant.closed');
  });

  it('ends the connections of its persons, and executors list none of its servers', async () => {
    await kernel.admin.query('UPDATE kernel.mcp_server SET due_at = 9e15');
    await scene.registered();
    const connection = await scene.connect(scene.person('ann'));
    await kernel.admin.query('UPDATE kernel.mcp_server SET due_at = 0 WHERE tenant_id = $1', [tenant.tenantId]);
    await close();
    expect(await scene.rowOf(connection)).toMatchObject({ state: 'ended' });
    expect((await verbs()).slice(-2)).toEqual(['tenant_closed', 'mcp_connections_ended']);
    await expect(scene.claimed()).rejects.toThrow('no server is due');
  });

  it('is closed in one pass, however many keys have open calls', async () => {
    const [keys, finished] = [1_000, 10_000];
    const { operation_id } = await kernel.admit.run(tenant.writeCall(token), null);
    await copyCall(operation_id, keys, 'admitted');
    await copyCall(operation_id, finished, 'refused');
    const from = performance.now();
    const { rows } = await kernel.admin.query<{ closed: { operations: string[] } }>(
      `SELECT kernel.close_tenant($1, '{"closed_by":"platform","reason":"large","freeze_id":"frz_large"}') AS closed`,
      [tenant.tenantId],
    );
    // The limit of the change is ten seconds.
    expect(performance.now() - from).toBeLessThan(5_000);
    expect(rows[0]?.closed.operations).toHaveLength(keys + 1);
    const marked = `SELECT count(*)::int AS n, (SELECT count(*)::int FROM kernel.revoked_key WHERE tenant_id = $1) AS keys
      FROM kernel.operation WHERE tenant_id = $1 AND key_revoked AND cancel_requested`;
    expect((await kernel.admin.query(marked, [tenant.tenantId])).rows).toEqual([{ n: keys + 1, keys: keys + 1 }]);
  });

  it('is not found where there is none, and closed wholly before or wholly after a call', async () => {
    for (const id of [newId('tenant'), 'nonsense']) {
      expect(await refusalOf(close(id))).toMatchObject({ code: 'not_found' });
      expect(await refusalOf(read(id))).toMatchObject({ code: 'not_found' });
    }
    const calls = Array.from({ length: 24 }, () => tenant.writeCall(token));
    const [verdicts] = await Promise.all([
      Promise.all(calls.map(async (call) => (await kernel.admit.run(call, null)).result?.error?.code ?? 'admitted')),
      close(),
    ]);
    expect(
      [...new Set(verdicts)].filter((verdict) => !['admitted', 'tenant.closed', 'key.revoked'].includes(verdict)),
    ).toEqual([]);
    for (const { operation_id } of calls) expect((await tenant.row(operation_id)).state).toBe('refused');
  });
});

it('tenants are listed newest first, page by page, each once, and on request only the open ones', async () => {
  const made = [tenant, await kernel.newTenant(), await kernel.newTenant()].map(({ tenantId }) => tenantId);
  await close(made[1]);
  const list = async (open: boolean) =>
    (await pagesOf(2, (page) => manage.tenants.list({ v: 1, caller: null, page, open }))).flat();
  const all = await list(false);
  expect(new Set(all.map(({ tenant_id }) => tenant_id)).size).toBe(all.length);
  expect(all.map(({ created_at }) => created_at)).toEqual(
    all.map(({ created_at }) => created_at).toSorted((a, b) => b - a),
  );
  expect(
    all
      .filter(({ tenant_id }) => (made as string[]).includes(tenant_id))
      .map(({ state }) => state)
      .sort(),
  ).toEqual(['closed', 'open', 'open']);
  const open = (await list(true)).map(({ tenant_id }) => tenant_id as string);
  expect(made.map((id) => open.includes(id))).toEqual([true, false, true]);
});
