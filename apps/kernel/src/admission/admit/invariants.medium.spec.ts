// SPDX-License-Identifier: Apache-2.0
//
// The six invariants of the tool capability API, as far as admission can break them. Execution's part is tested end to
// end.
import type { OperationView, ProposedCall } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  token = await tenant.token({ budgets: { calls: 100 } });
  kernel.policy.answer = () => AUTOPILOT;
  kernel.policy.judged = [];
});
const admit = (call: ProposedCall): Promise<OperationView> => kernel.admit.run(call, null);

test('no bypass: tools cannot be called without a capability token', async () => {
  const another = await kernel.newTenant();
  const otherAgent = newId('agent');
  await tenant.query('INSERT INTO kernel.agent (agent_id, tenant_id, name) VALUES ($1, $2, $3)', [
    otherAgent,
    tenant.tenantId,
    'other',
  ]);
  const useless = [
    '-',
    newId('token'),
    await another.token(),
    await tenant.token({ tools: ['fs.read'] }),
    await tenant.token({ fs: [] }),
    await tenant.token({ expires_at: 1 }),
    await tenant.token({ not_before: Date.now() + 60_000 }),
    await tenant.token({}, { agent_id: otherAgent }),
    await tenant.token({}, { workspace_id: await tenant.secondWorkspace() }),
  ];
  for (const capability_token_id of useless) {
    const view = await admit(tenant.writeCall(capability_token_id));
    expect({ capability_token_id, state: view.state }).toEqual({ capability_token_id, state: 'refused' });
    expect(view.result?.error?.code).toMatch(/^token\./);
  }
  expect(kernel.policy.judged).toEqual([]);
});

test('auditability: every tool call produces an audit record', async () => {
  const calls = [
    tenant.call(token),
    tenant.writeCall(token),
    tenant.call('-'),
    tenant.call(token, { tool_id: 'nothing' }),
    tenant.call(token, { args: { no: 1 } }),
    tenant.writeCall(token, { dry_run: true }),
    tenant.call(token, { deadline: 1 }),
  ];
  const views = await Promise.all(calls.map(admit));
  kernel.policy.answer = requires('soft_gate');
  views.push(await admit(tenant.writeCall(token)));
  const records = new Map((await tenant.records()).map((record) => [record.record_id, record]));
  expect(records.size).toBe(views.length);
  for (const view of views) {
    const row = await tenant.row(view.operation_id);
    expect(records.get(view.decision_record_id)).toMatchObject({
      kind: 'tool_call',
      phase: 'decision',
      operation_id: view.operation_id,
      agent_id: tenant.agentId,
      tool_id: row.tool_id,
      capability_token_id: row.capability_token_id,
      policy_hash: row.policy_hash,
      state_snapshot_id: row.state_snapshot_id,
      args_hash: row.args_hash,
      task_class: 'general',
      autonomy_mode: row.autonomy_mode,
    });
  }
});

test('auditability: what cannot be recorded is not admitted', async () => {
  const call = tenant.writeCall(token, { provenance: { source: 'x'.repeat(17_000) } });
  await expect(admit(call)).rejects.toThrow();
  expect(await tenant.row(call.operation_id)).toBeUndefined();
  expect(await tenant.countOf('idempotency')).toBe(0);
});

test('policy mediation: the policy engine is the sole authority for tool approval', async () => {
  await admit(tenant.writeCall(token));
  expect(kernel.policy.judged).toHaveLength(1);
  kernel.policy.answer = requires('no_go');
  expect((await admit(tenant.writeCall(token))).result?.error?.code).toBe('policy.denied');
  kernel.policy.answer = () => ({ effect: 'refuse', code: 'policy.error', message: 'a rule failed' });
  expect((await admit(tenant.writeCall(token))).result?.error?.code).toBe('policy.error');
  kernel.policy.answer = () => {
    throw new Error('the engine is gone');
  };
  const call = tenant.writeCall(token);
  // A bug never permits a call. It causes one recorded refusal.
  expect(await admit(call)).toMatchObject({ state: 'refused', result: { error: { code: 'internal' } } });
  expect(await tenant.row(call.operation_id)).toMatchObject({ state: 'refused', fault_code: 'internal' });
});

test('delegation mediation: autonomy corridor and risk thresholds are evaluated before execution', async () => {
  for (const mode of ['soft_gate', 'escalated'] as const) {
    kernel.policy.answer = requires(mode);
    const before = kernel.bell.woken.length;
    const view = await admit(tenant.writeCall(token));
    expect(view).toMatchObject({ state: 'held', autonomy_mode: mode, risk_score: 0.8, risk_basis: ['test.base'] });
    expect(kernel.bell.woken).toHaveLength(before);
    await expect(
      tenant.query(`UPDATE kernel.operation SET state = 'dispatched' WHERE operation_id = $1`, [view.operation_id]),
    ).rejects.toThrow('no transition');
  }
});

test('transactional safety: a decision is written completely or not at all', async () => {
  const marks: [string, string][] = [
    ['kernel.payload', 'BEFORE INSERT'],
    ['kernel.outbox', 'BEFORE INSERT'],
    ['kernel.budget', 'BEFORE UPDATE'],
  ];
  await tenant.query(
    `CREATE FUNCTION public.fails() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the disk is full'; END $$`,
  );
  await tenant.query('GRANT USAGE ON SCHEMA public TO writ_kernel');
  await tenant.query('GRANT EXECUTE ON FUNCTION public.fails() TO writ_kernel');
  for (const [table, when] of marks) {
    await tenant.query(`CREATE TRIGGER fails ${when} ON ${table} FOR EACH ROW EXECUTE FUNCTION public.fails()`);
    const call = tenant.writeCall(token);
    await expect(admit(call)).rejects.toThrow('the disk is full');
    await tenant.query(`DROP TRIGGER fails ON ${table}`);
    for (const kept of ['operation', 'idempotency', 'payload', 'outbox', 'approval'] as const)
      expect({ table, kept, n: await tenant.countOf(kept) }).toEqual({ table, kept, n: 0 });
    expect((await tenant.budgetOf(token))['calls']?.reserved).toBe(0);
  }
});

describe('replay safety: idempotency keys prevent duplicate side effects', () => {
  test('the same call gets the original operation in any state, and nothing is recorded twice', async () => {
    const call = tenant.writeCall(token);
    const again = () => admit({ ...call, operation_id: newId('operation'), args: { content: 'x', path: 'a.txt' } });
    const first = await admit(call);
    for (const state of ['admitted', 'dispatched', 'performing', 'performed', 'committed']) {
      if (state !== 'admitted')
        await tenant.query(
          `UPDATE kernel.operation SET state = $2, tx_outcome = CASE WHEN $2 = 'committed' THEN $2 END WHERE operation_id = $1`,
          [call.operation_id, state],
        );
      expect(await again()).toMatchObject({
        operation_id: first.operation_id,
        replayed: true,
        state,
        result: state === 'committed' ? { tx_outcome: 'committed' } : null,
      });
    }
    expect(await tenant.countOf('operation')).toBe(1);
    expect(await tenant.countOf('outbox')).toBe(1);
    expect((await tenant.budgetOf(token))['calls']?.reserved).toBe(1);
  });

  test('other arguments or another token under the same key are refused and recorded', async () => {
    const call = tenant.writeCall(token);
    await admit(call);
    const others = [{ args: { path: 'a.txt', content: 'other' } }, { capability_token_id: await tenant.token() }];
    for (const other of others) {
      expect((await admit({ ...call, ...other, operation_id: newId('operation') })).result?.error?.code).toBe(
        'idempotency.mismatch',
      );
    }
    expect((await tenant.records()).map(({ fault_code }) => fault_code)).toEqual([
      null,
      'idempotency.mismatch',
      'idempotency.mismatch',
    ]);
  });

  test('a replay is answered after the deadline and during a backlog of records', async () => {
    const call = tenant.writeCall(token);
    const { operation_id } = await admit(call);
    const again = (deadline: number | null) => admit({ ...call, operation_id: newId('operation'), deadline });
    expect(await again(1)).toMatchObject({ operation_id, replayed: true });
    await tenant.query('UPDATE kernel.outbox SET created_at = kernel.now_ms() - 10500 WHERE tenant_id = $1', [
      tenant.tenantId,
    ]);
    expect(await again(null)).toMatchObject({ operation_id, replayed: true });
    await expect(
      admit({ ...call, operation_id: newId('operation'), args: { path: 'b.txt', content: 'x' } }),
    ).rejects.toMatchObject({ code: 'record.backlog' });
  });

  test('the same arguments for another workspace are another call, and never a replay', async () => {
    const call = tenant.writeCall(token);
    await admit(call);
    const elsewhere = await admit({
      ...call,
      operation_id: newId('operation'),
      workspace_id: await tenant.secondWorkspace(),
    });
    expect(elsewhere).toMatchObject({
      state: 'refused',
      replayed: false,
      result: { error: { code: 'idempotency.mismatch' } },
    });
  });

  test('a key whose payload was erased is refused', async () => {
    const call = tenant.writeCall(token);
    await admit(call);
    await tenant.query('UPDATE kernel.idempotency SET args_fingerprint = NULL WHERE operation_id = $1', [
      call.operation_id,
    ]);
    expect((await admit({ ...call, operation_id: newId('operation') })).result?.error?.code).toBe(
      'idempotency.expired',
    );
  });

  test('a key belongs to one agent, whatever its tool, and a refusal claims none', async () => {
    const key = { idempotency_key: 'k' };
    expect((await admit(tenant.writeCall('-', key))).state).toBe('refused');
    expect((await admit(tenant.writeCall(token, key))).replayed).toBe(false);
    const edit = { ...key, tool_id: 'fs.edit', args: { path: 'a', edits: [{ find: 'a', replace: 'b' }] } };
    expect(await admit(tenant.call(token, edit))).toMatchObject({
      state: 'refused',
      result: { error: { code: 'idempotency.mismatch', message: 'the idempotency key was used with another tool' } },
    });
    const other = await kernel.newTenant();
    expect((await admit(other.writeCall(await other.token(), key))).state).toBe('admitted');
  });

  test('a key names a call for one person: another one finds out nothing of it, and a credential stays the same', async () => {
    const ann = { proposed_by: newId('apiKey'), person: newId('person') };
    const call = tenant.writeCall(token, ann);
    const { operation_id } = await admit(call);
    const again = (who: object, more: object = {}) =>
      admit({ ...call, ...who, ...more, operation_id: newId('operation') });
    // Another credential of the same person; and the same credential with a pseudonym that was made anew.
    expect(await again({ proposed_by: newId('apiKey') })).toMatchObject({ operation_id, replayed: true });
    expect(await again({ person: newId('person') })).toMatchObject({ operation_id, replayed: true });
    const bob = { proposed_by: newId('apiKey'), person: newId('person') };
    const nobody = { proposed_by: newId('apiKey'), person: undefined };
    for (const who of [bob, nobody])
      for (const more of [{}, { args: { path: 'a.txt', content: 'other' } }])
        expect((await again(who, more)).result?.error).toMatchObject({
          code: 'idempotency.mismatch',
          message: 'the idempotency key was used for a call on behalf of another person',
        });
  });
});
