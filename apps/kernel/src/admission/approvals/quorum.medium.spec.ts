// SPDX-License-Identifier: Apache-2.0
import { ApprovalView, type Caller, type OperationView as View, parseMessage } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import type { TestManagement } from '../../specs/test-management.ts';
import { requires } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let manage: TestManagement;
let tenant: TestTenant;
let token: string;
let held: View;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  token = await tenant.token({ budgets: { calls: 5 } });
  kernel.policy.hash = '1'.repeat(64);
  await hold();
});

async function hold(says = requires('soft_gate', 2), more = {}): Promise<void> {
  kernel.policy.answer = says;
  held = await kernel.admit.run(tenant.writeCall(token, { args: { path: 'a.txt', content: 'shown' }, ...more }), null);
}
const as = (role: Caller['role'] = 'operator', more: Partial<Caller> = {}): Caller => ({
  tenant_id: tenant.tenantId,
  api_key_id: newId('apiKey'),
  role,
  agent_id: null,
  ...more,
});
const decide = (caller: Caller = as(), decision: 'approve' | 'deny' = 'approve'): Promise<View> =>
  kernel.decide.run({ v: 1, caller, approval_id: held.approval_id ?? '', decision, comment: null });
const show = async (): Promise<ApprovalView> =>
  parseMessage(
    ApprovalView,
    await kernel.approvals.read({ v: 1, caller: as('admin'), approval_id: held.approval_id ?? '' }),
  );
const verbs = async () =>
  (await tenant.records()).filter(({ kind }) => kind === 'approval').map(({ change }) => change?.verb);
const noticesOf = async () =>
  (
    await kernel.admin.query<{ kind: string }>(
      'SELECT kind FROM kernel.notice WHERE tenant_id = $1 ORDER BY created_at, notice_id',
      [tenant.tenantId],
    )
  ).rows.map(({ kind }) => kind);

describe('a person with several names', () => {
  const under = (principal: string, ...other_names: string[]) => ({
    v: 1 as const,
    caller: as('admin', { principal }),
    ...(other_names.length === 0 ? {} : { other_names }),
  });
  const approval = () => ({ approval_id: held.approval_id ?? '', comment: null });
  const approve = (by: ReturnType<typeof under>) => kernel.decide.run({ ...by, ...approval(), decision: 'approve' });

  it('has one vote', async () => {
    await approve(under('ann'));
    await expect(approve(under('ann.smith', 'ann'))).rejects.toMatchObject({ code: 'approval.voted' });
    expect(await show()).toMatchObject({ state: 'pending', votes: { given: 1, needed: 2 } });
    expect(await approve(under('bob', 'robert'))).toMatchObject({ state: 'admitted' });
  });

  it('has one vote, also where both are cast at once', async () => {
    const votes = [approve(under('ann', 'ann.smith')), approve(under('ann.smith', 'ann'))];
    const settled = await Promise.allSettled(votes);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await show()).toMatchObject({ state: 'pending', votes: { given: 1, needed: 2 } });
  });

  it('approves and edits no call that they proposed under another one', async () => {
    await hold(requires('soft_gate', 1), { proposers: ['ann'] });
    const ann = under('ann.smith', 'ann');
    const edit = { ...approval(), operation_id: newId('operation'), args: { path: 'a.txt', content: 'x' } };
    await expect(approve(ann)).rejects.toMatchObject({ code: 'approval.own_call' });
    await expect(kernel.edit.run({ ...ann, ...edit })).rejects.toMatchObject({ code: 'approval.own_call' });
    expect(await approve(under('bob'))).toMatchObject({ state: 'admitted' });
  });
});

describe('a call that needs several approvals', () => {
  it('stays held until the last vote, and is decided in the transaction of that vote', async () => {
    const [first, second] = [as(), as()];
    expect(await decide(first)).toMatchObject({ state: 'held', votes: { given: 1, needed: 2, role: 'operator' } });
    expect(await tenant.countOf('outbox')).toBe(2);
    expect(await decide(second)).toMatchObject({ state: 'admitted' });
    expect(await tenant.row(held.operation_id)).toMatchObject({
      state: 'admitted',
      approvers: 2,
      approval_refs: [held.approval_id],
    });
    expect(await show()).toMatchObject({
      state: 'approved',
      decided_by: second.api_key_id,
      votes: { given: 2, needed: 2 },
      voted: [
        { cast_by: first.api_key_id, principal: first.api_key_id, stands: true },
        { cast_by: second.api_key_id, stands: true },
      ],
    });
  });

  it("has a record of each vote with its voter's key and subject, and without names of persons", async () => {
    const ann = as('operator', { principal: 'ann@example.com' });
    await decide(ann);
    await decide(as());
    const { voted } = await show();
    const records = (await tenant.records()).filter(({ kind }) => kind === 'approval');
    expect(records.map(({ change }) => change?.verb)).toEqual(['vote', 'vote', 'approve']);
    expect(records[0]).toMatchObject({
      record_id: voted[0]?.record_id,
      actor: ann.api_key_id,
      operation_id: held.operation_id,
      approval_refs: [held.approval_id],
      change: { subject: voted[0]?.vote_id, digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
    });
    expect(JSON.stringify(records)).not.toContain('ann@');
  });

  it('causes a notice for each vote, and one for the decision', async () => {
    await decide();
    expect(await noticesOf()).toEqual(['approval.pending', 'approval.voted']);
    await decide();
    expect(await noticesOf()).toEqual(['approval.pending', 'approval.voted', 'approval.approved']);
  });

  it('counts eight concurrent approvals as eight, and decides once', async () => {
    await hold(requires('soft_gate', 8));
    const views = await Promise.all(Array.from({ length: 8 }, () => again(() => decide())));
    expect(views.filter(({ state }) => state === 'admitted')).toHaveLength(1);
    expect((await show()).votes).toEqual({ given: 8, needed: 8, role: 'operator' });
    expect((await verbs()).filter((verb) => verb === 'approve')).toHaveLength(1);
  });

  it('ends with one denial, whoever approved before', async () => {
    await decide();
    expect(await decide(as(), 'deny')).toMatchObject({
      state: 'refused',
      result: { error: { code: 'approval.denied' } },
    });
    expect((await show()).voted.map(({ says }) => says)).toEqual(['approve', 'deny']);
    await expect(decide()).rejects.toMatchObject({ code: 'conflict' });
  });

  it('can be denied by a person who approved it before', async () => {
    const caller = as();
    await decide(caller);
    expect(await decide(caller, 'deny')).toMatchObject({ state: 'refused' });
  });

  it.each([
    ['expires', 'approval.expired'],
    ['is cancelled', 'cancelled'],
  ])('that %s costs nothing, whoever approved before', async (how, code) => {
    await decide();
    if (how === 'expires') {
      await tenant.query('UPDATE kernel.approval SET expires_at = kernel.now_ms() - 1 WHERE approval_id = $1', [
        held.approval_id,
      ]);
      await expect(decide()).rejects.toMatchObject({ code: 'conflict' });
      expect(await kernel.expire.run()).toBe(1);
    } else await kernel.cancel.run({ v: 1, caller: as(), operation_id: held.operation_id });
    expect(await tenant.row(held.operation_id)).toMatchObject({ state: 'refused', fault_code: code });
    expect((await tenant.budgetOf(token))['calls']).toMatchObject({ reserved: 0, used: 0 });
  });

  it('is refused at the last vote where the policy has changed', async () => {
    await decide();
    kernel.policy.hash = '2'.repeat(64);
    expect(await decide()).toMatchObject({ state: 'refused', result: { error: { code: 'approval.stale' } } });
  });

  it('waits for more votes where the policy now asks for more, and never for fewer', async () => {
    await decide();
    kernel.policy.answer = requires('soft_gate', 3);
    expect(await decide()).toMatchObject({ state: 'held', votes: { given: 2, needed: 3 } });
    kernel.policy.answer = requires('soft_gate', 1);
    expect(await decide()).toMatchObject({ state: 'admitted' });
  });

  it('has its votes in lists of operations too', async () => {
    await decide();
    const { items } = await manage.listOperations.run({
      v: 1,
      caller: as('admin'),
      page: { cursor: null, limit: 10 },
      state: null,
      tool_id: null,
      agent_id: null,
      workspace_id: null,
      session_id: null,
    });
    expect(items).toMatchObject([{ state: 'held', votes: { given: 1, needed: 2, role: 'operator' } }]);
  });
});

describe('one person', () => {
  it('votes once: a repeated vote is one vote, and another key of the same person adds none', async () => {
    const ann = as('operator', { principal: 'ann' });
    await decide(ann);
    expect(await decide(ann)).toMatchObject({ state: 'held', votes: { given: 1 } });
    expect(await tenant.countOf('outbox')).toBe(2);
    await expect(again(() => decide(as('admin', { principal: 'ann' })))).resolves.toMatchObject({
      state: 'held',
      votes: { given: 1 },
    });
    expect((await show()).voted).toHaveLength(1);
  });

  it("can't decide a call that they proposed, with any of their keys", async () => {
    await hold(requires('soft_gate', 1), { proposers: ['ann'] });
    await expect(decide(as('admin', { principal: 'ann' }))).rejects.toMatchObject({ code: 'approval.own_call' });
    await expect(decide(as('admin', { principal: 'ann' }), 'deny')).rejects.toMatchObject({
      code: 'approval.own_call',
    });
    expect(await decide(as('operator', { principal: 'bob' }))).toMatchObject({ state: 'admitted' });
  });

  it("can't decide a call that they proposed or edited, nor the edited call", async () => {
    await hold(requires('soft_gate', 1), { proposers: ['ann'] });
    const bob = as('operator', { principal: 'bob' });
    held = await kernel.edit.run({
      v: 1,
      caller: bob,
      approval_id: held.approval_id ?? '',
      operation_id: newId('operation'),
      args: { path: 'a.txt', content: 'less' },
      comment: null,
    });
    for (const principal of ['ann', 'bob'])
      await expect(decide(as('admin', { principal }))).rejects.toMatchObject({ code: 'approval.own_call' });
    expect(await decide(as('operator', { principal: 'cleo' }))).toMatchObject({ state: 'admitted' });
  });

  it("can't alone approve an edited call as the author of the active policy", async () => {
    await tenant.query(
      'INSERT INTO kernel.policy_set (tenant_id, policy_hash, name, version, document, created_by) VALUES ($1, $2, $3, 1, $4, $5)',
      [tenant.tenantId, kernel.policy.hash, 'x', {}, 'x'],
    );
    await tenant.query(
      'INSERT INTO kernel.policy_activation (tenant_id, seq, policy_hash, activated_by, activated_as) VALUES ($1, 1, $2, $3, $4)',
      [tenant.tenantId, kernel.policy.hash, 'x', 'dora'],
    );
    await hold(requires('soft_gate', 1), { proposers: ['ann', 'bob'] });
    const dora = as('admin', { principal: 'dora' });
    expect(await decide(dora)).toMatchObject({ state: 'held', votes: { given: 1, needed: 2 } });
    expect(await decide(as('operator', { principal: 'cleo' }))).toMatchObject({ state: 'admitted' });
    await hold(requires('soft_gate', 1), { proposers: ['ann'] });
    expect(await decide(dora)).toMatchObject({ state: 'admitted' });
  });
});

describe('votes on an escalated call', () => {
  it('count only from administrators', async () => {
    await hold(requires('escalated', 2));
    await expect(decide(as('operator'))).rejects.toMatchObject({ code: 'auth.role' });
    expect(await decide(as('admin'))).toMatchObject({ state: 'held', votes: { given: 1, needed: 2, role: 'admin' } });
    expect(await decide(as('admin'))).toMatchObject({ state: 'admitted' });
  });

  it('of an operator become insufficient when the policy escalates: the call is refused as stale', async () => {
    await decide(as('operator'));
    kernel.policy.answer = requires('escalated', 2);
    expect(await decide(as('admin'))).toMatchObject({
      state: 'refused',
      result: { error: { code: 'approval.stale' } },
    });
  });
});

/** Retries a decision that conflicts with seven others. */
async function again(task: () => Promise<View>): Promise<View> {
  for (;;) {
    const view = await task().catch((error: unknown) => {
      if ((error as { code?: string }).code === 'overloaded') return null;
      throw error;
    });
    if (view !== null) return view;
  }
}
