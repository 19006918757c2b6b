// SPDX-License-Identifier: Apache-2.0
import { DelegationView, parseMessage, type Caller, type OperationView } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { pagesOf, type TestManagement } from '../../specs/test-management.ts';
import { requires } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

const HOUR_MS = 3_600_000;

let kernel: TestKernel;
let manage: TestManagement;
let tenant: TestTenant;
let [ann, bob] = [{} as Caller, {} as Caller];
openKernelSpec((on) => {
  ({ kernel, manage } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  kernel.policy.answer = requires('soft_gate', 2);
  [ann, bob] = [person('ann', 'admin'), person('bob')];
});

const person = (principal: string, role: Caller['role'] = 'operator'): Caller => ({
  tenant_id: tenant.tenantId,
  api_key_id: newId('apiKey'),
  role,
  agent_id: null,
  principal,
});
type DelegationOverrides = Partial<Parameters<TestManagement['delegations']['create']>[0]['scope']> & {
  to?: string;
  expires_at?: number;
};
const lend = async (
  caller = ann,
  { to = 'bob', expires_at = Date.now() + HOUR_MS, ...scope }: DelegationOverrides = {},
): Promise<DelegationView> =>
  parseMessage(
    DelegationView,
    await manage.delegations.create({
      v: 1,
      caller,
      to,
      scope: { tools: null, agent_id: null, autonomy_mode: 'soft_gate', ...scope },
      note: 'away',
      expires_at,
    }),
  );
const hold = async (more = {}): Promise<OperationView> =>
  await kernel.admit.run(tenant.writeCall(await tenant.token(), more), null);
const approve = (held: OperationView, caller = bob, delegation_id: string | null = null): Promise<OperationView> =>
  kernel.decide.run({
    v: 1,
    caller,
    approval_id: held.approval_id ?? '',
    decision: 'approve',
    comment: null,
    delegation_id,
  });
const votesOn = async (held: OperationView) =>
  (await kernel.approvals.read({ v: 1, caller: ann, approval_id: held.approval_id ?? '' })).votes;
const revoke = (id: string, caller = ann) => manage.delegations.revoke({ v: 1, caller, delegation_id: id });

describe('a delegated right', () => {
  it("counts as the lender's vote, and is recorded as delegated", async () => {
    const { delegation_id } = await lend();
    const held = await hold();
    expect(await approve(held, bob, delegation_id)).toMatchObject({ state: 'held', votes: { given: 1, needed: 2 } });
    expect(
      (await kernel.approvals.read({ v: 1, caller: ann, approval_id: held.approval_id ?? '' })).voted,
    ).toMatchObject([{ principal: 'ann', role: 'admin', cast_as: 'bob', cast_by: bob.api_key_id, delegation_id }]);
    await expect(approve(held, ann)).rejects.toMatchObject({ code: 'approval.voted' });
    expect(await approve(held, person('cleo'))).toMatchObject({ state: 'admitted' });
    const records = (await tenant.records()).filter(({ kind }) => kind === 'approval');
    expect(records.map(({ change }) => change?.verb)).toEqual(['delegate', 'vote', 'vote', 'approve']);
    expect(records[0]).toMatchObject({ actor: ann.api_key_id, change: { subject: delegation_id } });
    expect(JSON.stringify(records)).not.toMatch(/"(ann|bob)"/);
  });

  it("does not allow a second vote beside one's own", async () => {
    const { delegation_id } = await lend();
    const held = await hold();
    await approve(held, bob);
    await expect(approve(held, bob, delegation_id)).rejects.toMatchObject({ code: 'approval.voted' });
    const other = await hold();
    await approve(other, bob, delegation_id);
    await expect(approve(other, bob)).rejects.toMatchObject({ code: 'approval.voted' });
    expect(await votesOn(other)).toMatchObject({ given: 1 });
  });

  it("has a record of its vote also where one vote is enough, since the key doesn't show the lender", async () => {
    kernel.policy.answer = requires('escalated');
    const { delegation_id } = await lend(ann, { autonomy_mode: 'escalated' });
    const held = await hold();
    await expect(approve(held, bob)).rejects.toMatchObject({ code: 'auth.role' });
    expect(await approve(held, bob, delegation_id)).toMatchObject({ state: 'admitted' });
    expect(
      (await tenant.records()).filter(({ kind }) => kind === 'approval').map(({ change }) => change?.verb),
    ).toEqual(['delegate', 'vote', 'approve']);
  });

  it('denies as the lender would', async () => {
    const { delegation_id } = await lend();
    const held = await hold();
    expect(
      await kernel.decide.run({
        v: 1,
        caller: bob,
        approval_id: held.approval_id ?? '',
        decision: 'deny',
        comment: null,
        delegation_id,
      }),
    ).toMatchObject({ state: 'refused' });
  });

  it.each<[string, DelegationOverrides, () => ReturnType<typeof requires>]>([
    ['other tools', { tools: ['shell.*'] }, () => requires('soft_gate')],
    ['another agent', { agent_id: 'other' }, () => requires('soft_gate')],
    ['less supervision', {}, () => requires('escalated')],
  ])('is limited to its scope: %s', async (_what, wish, says) => {
    const agent_id =
      wish.agent_id === 'other' ? (await manage.agents.create({ v: 1, caller: ann, name: 'other' })).agent_id : null;
    const { delegation_id } = await lend(ann, { ...wish, agent_id });
    kernel.policy.answer = says();
    await expect(approve(await hold(), bob, delegation_id)).rejects.toMatchObject({ code: 'approval.not_delegated' });
  });

  it("is an operator's right where an operator lent it", async () => {
    const { delegation_id } = await lend(person('cleo'), { to: 'bob' });
    kernel.policy.answer = requires('escalated');
    await expect(approve(await hold(), bob, delegation_id)).rejects.toMatchObject({ code: 'approval.not_delegated' });
    await expect(lend(person('cleo'), { autonomy_mode: 'escalated' })).rejects.toMatchObject({ code: 'auth.role' });
  });

  it('ends when it expires', async () => {
    const { delegation_id } = await lend();
    await tenant.query('UPDATE kernel.delegation SET expires_at = kernel.now_ms() - 1 WHERE delegation_id = $1', [
      delegation_id,
    ]);
    await expect(approve(await hold(), bob, delegation_id)).rejects.toMatchObject({ code: 'approval.not_delegated' });
  });

  it("can't be used by another person, who gets not_found", async () => {
    const { delegation_id } = await lend();
    const held = await hold();
    const [theirs, nobodys] = await Promise.all(
      [delegation_id, newId('delegation')].map((id) =>
        approve(held, person('cleo'), id).catch((error: unknown) => error),
      ),
    );
    expect(theirs).toEqual(nobodys);
    expect(theirs).toMatchObject({ code: 'not_found' });
  });

  it('is none of a service account, which decides about no call by itself or by a right that is lent', async () => {
    const bot = person(newId('member'), 'admin');
    for (const caller of [bot, { ...bot, role: 'operator' } as const])
      await expect(lend(caller)).rejects.toMatchObject({ code: 'auth.role' });
    await expect(lend(ann, { to: String(bot.principal) })).rejects.toMatchObject({ code: 'request.malformed' });
    const held = await hold();
    await expect(approve(held, bot)).rejects.toMatchObject({ code: 'auth.role' });
    const { delegation_id } = await lend();
    await expect(approve(held, bot, delegation_id)).rejects.toMatchObject({ code: 'auth.role' });
    expect(await votesOn(held)).toMatchObject({ given: 0 });
  });

  it('never allows a decision on a call by its proposer or editor', async () => {
    const { delegation_id } = await lend();
    for (const proposers of [['ann'], ['bob'], ['cleo', 'bob']])
      await expect(approve(await hold({ proposers }), bob, delegation_id)).rejects.toMatchObject({
        code: 'approval.own_call',
      });
  });
});

describe('a revoked delegation', () => {
  it('no longer counts where the approval is pending, and its lender votes again', async () => {
    const { delegation_id } = await lend();
    const held = await hold();
    await approve(held, bob, delegation_id);
    expect(await revoke(delegation_id)).toMatchObject({ state: 'revoked', revoked_by: ann.api_key_id });
    expect(await votesOn(held)).toMatchObject({ given: 0, needed: 2 });
    await expect(approve(held, bob, delegation_id)).rejects.toMatchObject({ code: 'approval.not_delegated' });
    await approve(held, ann);
    expect(await approve(held, bob)).toMatchObject({ state: 'admitted' });
  });

  it('is completely before or after a concurrent last vote', async () => {
    for (let round = 0; round < 5; round++) {
      const { delegation_id } = await lend();
      const held = await hold();
      await approve(held, bob, delegation_id);
      const [view] = await Promise.all([approve(held, person('cleo')), revoke(delegation_id)]);
      const row = await tenant.row(held.operation_id);
      expect([view.state, row.state, row.approvers]).toEqual(
        view.state === 'held' ? ['held', 'held', 0] : ['admitted', 'admitted', 2],
      );
      if (view.state === 'held') expect(await votesOn(held)).toMatchObject({ given: 1 });
    }
  });

  it('is recorded once for repeated requests, and only its lender or an administrator revokes it', async () => {
    const { delegation_id } = await lend(bob, { to: 'cleo' });
    await expect(revoke(delegation_id, person('cleo'))).rejects.toMatchObject({ code: 'auth.role' });
    const first = await revoke(delegation_id, ann);
    expect(await revoke(delegation_id, bob)).toEqual(first);
    expect((await tenant.records()).filter(({ change }) => change?.verb === 'revoke_delegation')).toMatchObject([
      { kind: 'approval', actor: ann.api_key_id, change: { subject: delegation_id } },
    ]);
    await expect(revoke(newId('delegation'))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is also revoked with the key that lent it', async () => {
    const [lent, other] = [await lend(), await lend(bob, { to: 'cleo' })];
    await manage.recordChange.run({ v: 1, caller: ann, verb: 'api_key_revoked', subject: ann.api_key_id });
    const { items } = await manage.delegations.list({
      v: 1,
      caller: ann,
      page: { cursor: null, limit: 10 },
      standing: true,
    });
    expect(items.map(({ delegation_id }) => delegation_id)).toEqual([other.delegation_id]);
    expect((await tenant.records()).filter(({ change }) => change?.verb === 'revoke_delegation')).toMatchObject([
      { change: { subject: lent.delegation_id } },
    ]);
  });
});

describe('lending', () => {
  it.each<[string, string, () => Promise<unknown>]>([
    ['is refused for an auditor', 'auth.role', () => lend(person('eve', 'auditor'))],
    ['is refused for an agent', 'auth.role', () => lend({ ...person('eve', 'agent'), agent_id: tenant.agentId })],
    ['is refused to oneself', 'request.malformed', () => lend(ann, { to: 'ann' })],
    ['is refused with an end in the past', 'request.malformed', () => lend(ann, { expires_at: 1 })],
    ['is refused beyond 30 days', 'request.malformed', () => lend(ann, { expires_at: Date.now() + 40 * 24 * HOUR_MS })],
    ['is refused for an unknown agent', 'not_found', () => lend(ann, { agent_id: newId('agent') })],
  ])('%s', async (_what, code, asking) => {
    await expect(asking()).rejects.toMatchObject({ code });
    expect(await tenant.countOf('outbox')).toBe(0);
  });

  it("can't pass on a delegated right: a person lends only their own", async () => {
    await lend(ann, { autonomy_mode: 'escalated' });
    await expect(lend(bob, { to: 'cleo', autonomy_mode: 'escalated' })).rejects.toMatchObject({ code: 'auth.role' });
    expect(await lend(bob, { to: 'cleo' })).toMatchObject({ from: 'bob', role: 'operator' });
  });

  it('is listed newest first, page by page, for its own tenant', async () => {
    const made: string[] = [];
    for (let n = 0; n < 3; n++) made.unshift((await lend()).delegation_id);
    const pages = await pagesOf(2, (page) =>
      manage.delegations.list({ v: 1, caller: person('eve', 'auditor'), page, standing: false }),
    );
    expect(pages.flat().map(({ delegation_id }) => delegation_id)).toEqual(made);
    const other = await kernel.newTenant();
    expect(
      (
        await manage.delegations.list({
          v: 1,
          caller: { ...ann, tenant_id: other.tenantId },
          page: { cursor: null, limit: 5 },
          standing: false,
        })
      ).items,
    ).toEqual([]);
    await expect(
      manage.delegations.revoke({ v: 1, caller: { ...ann, tenant_id: other.tenantId }, delegation_id: made[0] ?? '' }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a person who left', () => {
  const offboard = (...principals: string[]) =>
    manage.offboard.run({ v: 1, caller: ann, member_id: newId('member'), principals });

  it('has no vote that counts, cast by them or under a right that they lent or were lent', async () => {
    kernel.policy.answer = requires('soft_gate', 3);
    const [own, lent, used] = [await hold(), await hold(), await hold()];
    const { delegation_id: toBob } = await lend();
    const { delegation_id: toAnn } = await lend(bob, { to: 'ann' });
    await approve(own, bob);
    await approve(lent, ann, toAnn);
    await approve(used, bob, toBob);
    for (const held of [own, lent, used]) expect(await votesOn(held)).toMatchObject({ given: 1 });
    expect(await offboard('bob')).toEqual({ delegations: 2 });
    for (const held of [own, lent, used]) expect(await votesOn(held)).toMatchObject({ given: 0 });
    // One of them that comes late counts no more than those before.
    await approve(own, bob).catch(() => null);
    expect(await votesOn(own)).toMatchObject({ given: 0 });
    const late = await lend(person('bob'), { to: 'cleo' });
    await approve(own, person('cleo'), late.delegation_id).catch(() => null);
    expect(await votesOn(own)).toMatchObject({ given: 0 });
    const borrowed = await lend(ann);
    await approve(own, bob, borrowed.delegation_id).catch(() => null);
    expect(await votesOn(own)).toMatchObject({ given: 0 });
    expect(await offboard('bob')).toEqual({ delegations: 2 });
    const verbs = (await tenant.records()).map(({ change }) => change?.verb);
    expect(verbs.filter((verb) => verb === 'person_offboarded')).toHaveLength(1);
    expect(verbs.filter((verb) => verb === 'revoke_delegation')).toHaveLength(4);
  });

  it('decides nothing, whoever lets the vote through: the kernel, or one of the version before', async () => {
    kernel.policy.answer = requires('soft_gate', 1);
    const held = await hold();
    await offboard('bob');
    await expect(approve(held, bob)).rejects.toMatchObject({ code: 'auth.role' });
    const late = await lend(person('bob'), { to: 'cleo' });
    await expect(approve(held, person('cleo'), late.delegation_id)).rejects.toMatchObject({ code: 'auth.role' });
    for (const [principal, cast_as] of [
      ['bob', 'cleo'],
      ['cleo', 'bob'],
    ])
      await expect(
        kernel.admin.query(
          `INSERT INTO kernel.vote (vote_id, tenant_id, approval_id, asked, says, principal, role, cast_by, cast_as, record_id)
           VALUES ($1, $2, $3, 0, 'approve', $4, 'operator', 'key_x', $5, 'rec_x')`,
          [newId('vote'), tenant.tenantId, held.approval_id, principal, cast_as],
        ),
      ).rejects.toMatchObject({ code: 'WR001' });
    expect(await votesOn(held)).toMatchObject({ given: 0 });
    expect(await approve(held, ann)).toMatchObject({ state: 'admitted' });
  });

  it('leaves a call that their vote would have completed', async () => {
    const held = await hold();
    await approve(held, bob);
    await offboard('bob');
    expect(await approve(held, person('cleo'))).toMatchObject({ state: 'held', votes: { given: 1, needed: 2 } });
    expect(await approve(held, ann)).toMatchObject({ state: 'admitted' });
  });

  it('is in no approver group any more, and each group that changed has a record', async () => {
    const put = (name: string, members: readonly string[]) =>
      manage.approverGroups.put({ v: 1, caller: ann, name, description: null, members: [...members] });
    await put('finance', ['bob', 'cleo']);
    await put('legal', ['bob']);
    await put('others', ['cleo']);
    await offboard('bob');
    await offboard('bob');
    const { items } = await manage.approverGroups.list({ v: 1, caller: ann, page: { cursor: null, limit: 10 } });
    expect(items.map(({ name, members }) => [name, members])).toEqual([
      ['finance', ['cleo']],
      ['legal', []],
      ['others', ['cleo']],
    ]);
    const changes = (await tenant.records()).flatMap(({ change }) => change ?? []);
    const changed = changes.filter(({ verb }) => verb === 'approver_group_changed');
    expect(changed.map(({ subject }) => subject)).toEqual(['finance', 'legal']);
  });

  it('is taken out by administrators alone, and in their tenant', async () => {
    await expect(
      manage.offboard.run({ v: 1, caller: bob, member_id: newId('member'), principals: ['ann'] }),
    ).rejects.toMatchObject({ code: 'auth.role' });
    const held = await hold();
    await approve(held, bob);
    const other = await kernel.newTenant();
    const caller = { ...ann, tenant_id: other.tenantId };
    await manage.offboard.run({ v: 1, caller, member_id: newId('member'), principals: ['bob'] });
    expect(await votesOn(held)).toMatchObject({ given: 1 });
  });
});
