// SPDX-License-Identifier: Apache-2.0
import { ApprovalView, OperationView, parseMessage, type Caller, type OperationView as View } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let tenant: TestTenant;
let token: string;
let held: View;
openKernelSpec((on) => {
  ({ kernel } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  token = await tenant.token({ budgets: { calls: 1 } });
  kernel.policy.hash = '1'.repeat(64);
  kernel.policy.answer = requires('soft_gate');
  held = await kernel.admit.run(tenant.writeCall(token, { args: { path: 'a.txt', content: 'shown' } }), null);
});
const as = (role: Caller['role'], more: Partial<Caller> = {}): Caller => ({
  tenant_id: tenant.tenantId,
  api_key_id: newId('apiKey'),
  role,
  agent_id: null,
  ...more,
});
const decide = async (
  decision: 'approve' | 'deny',
  caller = as('operator'),
  comment: string | null = null,
): Promise<View> =>
  parseMessage(
    OperationView,
    await kernel.decide.run({ v: 1, caller, approval_id: held.approval_id ?? '', decision, comment }),
  );
const read = (caller: Caller) => kernel.approvals.read({ v: 1, caller, approval_id: held.approval_id ?? '' });

describe('an approval', () => {
  it('causes a new decision that reserves, names the approval and admits the call on the current head', async () => {
    await tenant.write({ 'other.txt': 'moved on' });
    expect(await decide('approve')).toMatchObject({ state: 'admitted', autonomy_mode: 'soft_gate' });
    const row = await tenant.row(held.operation_id);
    expect(row).toMatchObject({
      state: 'admitted',
      lane: 'inline',
      state_snapshot_id: tenant.head,
      approval_refs: [held.approval_id],
      reserved: { calls: 1 },
    });
    expect(row.decision_record_id).not.toBe(held.decision_record_id);
    const [, approval, decision] = await tenant.records();
    expect(approval).toMatchObject({
      kind: 'approval',
      approval_refs: [held.approval_id],
      change: { verb: 'approve', subject: held.approval_id },
    });
    expect(decision).toMatchObject({
      kind: 'tool_call',
      phase: 'decision',
      verdict: 'admitted',
      approval_refs: [held.approval_id],
      record_id: row.decision_record_id,
    });
    expect((await tenant.budgetOf(token))['calls']?.reserved).toBe(1);
    expect(kernel.bell.woken.at(-1)).toBe('inline');
  });

  it('given twice is one decision, and a later denial is a conflict', async () => {
    await decide('approve');
    expect(await decide('approve')).toMatchObject({ state: 'admitted' });
    await expect(decide('deny')).rejects.toMatchObject({ code: 'conflict' });
    expect(await tenant.countOf('outbox')).toBe(3);
  });

  it('given by eight callers at once is one decision', async () => {
    const views = await Promise.all(Array.from({ length: 8 }, () => decide('approve')));
    expect(new Set(views.map(({ decision_record_id }) => decision_record_id)).size).toBe(1);
    expect(await tenant.countOf('outbox')).toBe(3);
  });

  it.each<[string, string, () => Promise<unknown>]>([
    [
      'a token that was revoked meanwhile',
      'token.revoked',
      () => tenant.query('UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1', [token]),
    ],
    [
      'a budget that was used up meanwhile',
      'budget.exhausted',
      () => tenant.query('UPDATE kernel.budget SET used = bound WHERE capability_token_id = $1', [token]),
    ],
    [
      'a policy that now forbids it',
      'policy.denied',
      () => {
        kernel.policy.answer = requires('no_go');
        return Promise.resolve();
      },
    ],
    [
      'a policy that is another',
      'approval.stale',
      () => {
        kernel.policy.hash = '2'.repeat(64);
        return Promise.resolve();
      },
    ],
    [
      'a policy that now asks for an administrator',
      'approval.stale',
      () => {
        kernel.policy.answer = requires('escalated');
        return Promise.resolve();
      },
    ],
  ])('does not help against %s', async (_what, code, move) => {
    await move();
    expect(await decide('approve')).toMatchObject({
      state: 'refused',
      result: { error: { code }, tx_outcome: 'rolled_back' },
    });
    expect((await tenant.records()).at(-1)).toMatchObject({
      phase: 'outcome',
      verdict: 'refused',
      fault_code: code,
      decision_record_id: held.decision_record_id,
    });
    expect((await tenant.budgetOf(token))['calls']?.reserved).toBe(0);
  });

  it('under a policy that no longer asks still counts as supervised', async () => {
    kernel.policy.answer = () => AUTOPILOT;
    expect(await decide('approve')).toMatchObject({ state: 'admitted', autonomy_mode: 'soft_gate' });
  });

  it('is not given while records wait too long', async () => {
    await tenant.query('UPDATE kernel.outbox SET created_at = 1 WHERE tenant_id = $1', [tenant.tenantId]);
    await expect(decide('approve')).rejects.toMatchObject({ code: 'record.backlog' });
    expect((await tenant.row(held.operation_id)).state).toBe('held');
  });
});

describe('a denial', () => {
  it('refuses the call with the comment as a hint, and records approval and outcome', async () => {
    expect(await decide('deny', as('operator'), 'not today')).toMatchObject({
      state: 'refused',
      result: { error: { code: 'approval.denied', hint: 'not today' }, tx_outcome: 'rolled_back' },
    });
    const [, approval, outcome] = await tenant.records();
    expect(approval).toMatchObject({ kind: 'approval', change: { verb: 'deny' } });
    expect(outcome).toMatchObject({
      phase: 'outcome',
      verdict: 'refused',
      fault_code: 'approval.denied',
      approval_refs: [held.approval_id],
    });
    expect(JSON.stringify([approval, outcome])).not.toContain('not today');
  });

  it('keeps the idempotency key: the same call again gets the refusal', async () => {
    const row = await tenant.row(held.operation_id);
    await decide('deny');
    const again = await kernel.admit.run(
      tenant.writeCall(token, { args: { path: 'a.txt', content: 'shown' }, idempotency_key: row.idempotency_key }),
      null,
    );
    expect(again).toMatchObject({ state: 'refused', replayed: true, operation_id: held.operation_id });
  });
});

describe('the right to decide', () => {
  it("is never the proposer's", async () => {
    await expect(decide('approve', as('admin', { api_key_id: tenant.keyId }))).rejects.toMatchObject({
      code: 'approval.own_call',
    });
    await expect(decide('deny', as('admin', { agent_id: tenant.agentId }))).rejects.toMatchObject({
      code: 'approval.own_call',
    });
  });

  it.each(['agent', 'auditor'] as const)('is not of the role %s', async (role) => {
    await expect(decide('approve', as(role))).rejects.toMatchObject({ code: 'auth.role' });
  });

  it("is only an administrator's where supervision is escalated", async () => {
    kernel.policy.answer = requires('escalated');
    held = await kernel.admit.run(tenant.writeCall(token), null);
    await expect(decide('approve', as('operator'))).rejects.toMatchObject({ code: 'auth.role' });
    expect(await decide('approve', as('admin'))).toMatchObject({ state: 'admitted' });
  });

  it('is not of another tenant, which gets not_found', async () => {
    const other = await kernel.newTenant();
    const probe = { ...as('admin'), tenant_id: other.tenantId };
    const [theirs, nobodys] = await Promise.all(
      [held.approval_id ?? '', newId('approval')].map((approval_id) =>
        kernel.decide
          .run({ v: 1, caller: probe, approval_id, decision: 'approve', comment: null })
          .catch((error: unknown) => error),
      ),
    );
    expect(theirs).toEqual(nobodys);
    expect(theirs).toMatchObject({ code: 'not_found' });
  });
});

describe('approvals', () => {
  it('are shown with arguments to approvers, without to auditors, and not to agents', async () => {
    expect(parseMessage(ApprovalView, await read(as('operator')))).toMatchObject({
      state: 'pending',
      of: 'action',
      args: { path: 'a.txt', content: 'shown' },
    });
    expect((await read(as('auditor'))).args).toBeNull();
    await expect(read(as('agent'))).rejects.toMatchObject({ code: 'auth.role' });
  });

  it('are listed page by page, newest first, by state', async () => {
    const second = await kernel.admit.run(tenant.writeCall(token), null);
    const list = (cursor: string | null, state: string | null = null) =>
      kernel.approvals.list({ v: 1, caller: as('admin'), page: { cursor, limit: 1 }, state });
    const first = await list(null);
    expect(first.items.map(({ approval_id }) => approval_id)).toEqual([second.approval_id]);
    const next = await list(first.next_cursor);
    expect(next.items.map(({ approval_id }) => approval_id)).toEqual([held.approval_id]);
    expect(next.next_cursor).toBeNull();
    await decide('deny');
    expect((await list(null, 'denied')).items.map(({ approval_id }) => approval_id)).toEqual([held.approval_id]);
    await expect(list('nonsense')).rejects.toMatchObject({ code: 'request.malformed' });
  });
});

describe('time and cancellation', () => {
  it('refuse a held call once where nobody decides in time', async () => {
    expect(await kernel.expire.run()).toBe(0);
    await tenant.query('UPDATE kernel.approval SET expires_at = kernel.now_ms() - 1 WHERE approval_id = $1', [
      held.approval_id,
    ]);
    await expect(decide('approve')).rejects.toMatchObject({ code: 'conflict' });
    const ended = await Promise.all([kernel.expire.run(), kernel.expire.run()]);
    expect(ended[0] + ended[1]).toBe(1);
    expect(await tenant.row(held.operation_id)).toMatchObject({
      state: 'refused',
      fault_code: 'approval.expired',
      tx_outcome: 'rolled_back',
    });
    expect((await tenant.records()).slice(1)).toMatchObject([
      { kind: 'approval', actor: 'kernel', change: { verb: 'expire' } },
      { phase: 'outcome', fault_code: 'approval.expired' },
    ]);
    expect((await read(as('admin'))).state).toBe('expired');
  });

  it("end all other held calls where one can't be ended, which is reported", async () => {
    const other = await kernel.admit.run(tenant.writeCall(token), null);
    await tenant.query('UPDATE kernel.approval SET expires_at = kernel.now_ms() - 10 WHERE approval_id = $1', [
      held.approval_id,
    ]);
    await tenant.query('UPDATE kernel.approval SET expires_at = kernel.now_ms() - 1 WHERE approval_id = $1', [
      other.approval_id,
    ]);
    await tenant.query('UPDATE kernel.operation SET tool_id = repeat($2, 20000) WHERE operation_id = $1', [
      held.operation_id,
      'x',
    ]);
    await expect(kernel.expire.run()).rejects.toThrow('1 of 2 held calls could not be ended');
    expect(await tenant.row(other.operation_id)).toMatchObject({ state: 'refused', fault_code: 'approval.expired' });
    await tenant.query(`UPDATE kernel.operation SET tool_id = 'fs.write' WHERE operation_id = $1`, [held.operation_id]);
    expect(await kernel.expire.run()).toBe(1);
  });

  it('end an approval with its token or deadline at the latest', async () => {
    const soon = Date.now() + 60_000;
    const view = await kernel.admit.run(tenant.writeCall(await tenant.token({ expires_at: soon })), null);
    expect(
      (await kernel.approvals.read({ v: 1, caller: as('admin'), approval_id: view.approval_id ?? '' })).expires_at,
    ).toBe(soon);
  });

  it('refuse a cancelled held call and close its approval', async () => {
    expect(await kernel.cancel.run({ v: 1, caller: as('operator'), operation_id: held.operation_id })).toMatchObject({
      state: 'refused',
      result: { error: { code: 'cancelled' }, tx_outcome: 'rolled_back' },
    });
    expect((await read(as('admin'))).state).toBe('cancelled');
    await expect(
      kernel.cancel.run({ v: 1, caller: as('operator'), operation_id: held.operation_id }),
    ).rejects.toMatchObject({ code: 'conflict' });
  });

  it('refuse a cancelled waiting call, record its outcome and return its reservation', async () => {
    await decide('approve');
    expect(await kernel.cancel.run({ v: 1, caller: as('operator'), operation_id: held.operation_id })).toMatchObject({
      state: 'refused',
      result: { error: { code: 'cancelled' }, tx_outcome: 'rolled_back' },
    });
    expect((await tenant.budgetOf(token))['calls']).toMatchObject({ reserved: 0, used: 0 });
    expect((await tenant.records()).at(-1)).toMatchObject({
      phase: 'outcome',
      fault_code: 'cancelled',
      tx_outcome: 'rolled_back',
      actor: expect.stringMatching(/^key_/) as string,
    });
  });

  it('ask a cancelled running call to stop, and let it run until its report', async () => {
    await decide('approve');
    await tenant.query(`UPDATE kernel.operation SET state = 'dispatched', attempt = 1 WHERE operation_id = $1`, [
      held.operation_id,
    ]);
    await tenant.query(`UPDATE kernel.operation SET state = 'performing' WHERE operation_id = $1`, [held.operation_id]);
    expect(await kernel.cancel.run({ v: 1, caller: as('operator'), operation_id: held.operation_id })).toMatchObject({
      state: 'performing',
      result: null,
    });
    expect((await tenant.row(held.operation_id)).cancel_requested).toBe(true);
    expect(kernel.events.stops).toContain(`${held.operation_id} 1`);
  });

  it('record who first asked to stop a running call', async () => {
    await decide('approve');
    await tenant.query(`UPDATE kernel.operation SET state = 'dispatched', attempt = 1 WHERE operation_id = $1`, [
      held.operation_id,
    ]);
    await tenant.query(`UPDATE kernel.operation SET state = 'performing' WHERE operation_id = $1`, [held.operation_id]);
    const caller = as('operator');
    const asked = await Promise.all(
      Array.from({ length: 4 }, () => kernel.cancel.run({ v: 1, caller, operation_id: held.operation_id })),
    );
    expect(asked.map(({ state }) => state)).toEqual(Array.from({ length: 4 }, () => 'performing'));
    const said = (await tenant.records()).filter(({ kind }) => kind === 'change');
    expect(said).toMatchObject([
      {
        operation_id: held.operation_id,
        actor: caller.api_key_id,
        change: { verb: 'cancel_requested', subject: held.operation_id },
      },
    ]);
    expect(
      kernel.outbox.records.filter(({ record_id }) => said.some((record) => record.record_id === record_id)),
    ).toHaveLength(1);
  });

  it('let a call be cancelled by its own agent, by no other agent and no auditor', async () => {
    const cancel = (caller: Caller) => kernel.cancel.run({ v: 1, caller, operation_id: held.operation_id });
    await expect(cancel(as('auditor'))).rejects.toMatchObject({ code: 'auth.role' });
    await expect(cancel(as('agent', { agent_id: newId('agent') }))).rejects.toMatchObject({ code: 'not_found' });
    expect(await cancel(as('agent', { agent_id: tenant.agentId }))).toMatchObject({ state: 'refused' });
  });
});
