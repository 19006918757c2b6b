// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { ApproverScene, reserve } from '../../specs/test-approvers.ts';
import { deltaFor, reportOf, type TestExecution } from '../../specs/test-executor.ts';
import type { TestManagement } from '../../specs/test-management.ts';
import { openPolicyKernel, setOf, type PolicyKernel } from '../../specs/test-policies.ts';

let kernel: PolicyKernel;
let run: TestExecution;
let manage: TestManagement;
let scene: ApproverScene;
openKernelSpec<PolicyKernel>((on) => {
  ({ kernel, run, manage } = on);
}, openPolicyKernel);
beforeEach(async () => {
  scene = await ApproverScene.open(kernel, manage);
  await scene.tenant.write({ 'a.txt': 'before' });
  await scene.group('finance', 'ann', 'bob');
});
const person = (name: string) => scene.person(name);

describe('an approval that is reserved for a group', () => {
  it('is given by its members alone, and shows the group and who has approved', async () => {
    await scene.install(reserve('finance', 2));
    const held = await scene.hold();
    expect(await scene.show(held)).toMatchObject({
      votes: { given: 0, needed: 2 },
      groups: [{ any_of: ['finance'], count: 2, given: 0 }],
    });
    await expect(scene.decide(held, person('mallory'))).rejects.toMatchObject({
      code: 'approval.not_in_group',
      message: 'the approval is reserved for `finance`',
    });
    expect(await scene.decide(held, person('ann'))).toMatchObject({ state: 'held', votes: { given: 1, needed: 2 } });
    await expect(scene.decide(held, person('mallory'))).rejects.toMatchObject({ code: 'approval.not_in_group' });
    expect(await scene.decide(held, person('bob'))).toMatchObject({ state: 'admitted' });
    expect(await scene.tenant.row(held.operation_id)).toMatchObject({
      approvers: 2,
      demands_met: [{ any_of: ['finance'], count: 2 }],
    });
  });

  it('can be denied by anybody of the role', async () => {
    await scene.install(reserve('finance'));
    const held = await scene.hold();
    expect(await scene.decide(held, person('mallory'), { decision: 'deny' })).toMatchObject({ state: 'refused' });
  });

  it('is approved by any of several groups, and each of several rules demands its own', async () => {
    await scene.group('legal', 'cleo');
    await scene.group('board', 'dora');
    await scene.install(reserve('finance, legal') + reserve('board', 1, 'other'));
    const held = await scene.hold();
    expect(await scene.decide(held, person('cleo'))).toMatchObject({ state: 'held', votes: { given: 1, needed: 2 } });
    expect(await scene.decide(held, person('ann'))).toMatchObject({ state: 'held', votes: { given: 2, needed: 3 } });
    expect(await scene.decide(held, person('dora'))).toMatchObject({ state: 'admitted' });
  });

  it('is not approved by its proposer, although they are a member', async () => {
    await scene.install(reserve('finance'));
    const held = await scene.hold({ proposers: ['ann'] });
    await expect(scene.decide(held, person('ann'))).rejects.toMatchObject({ code: 'approval.own_call' });
  });

  it('is approved by nobody while the group is empty', async () => {
    await scene.install(reserve('finance'));
    const held = await scene.hold();
    await scene.group('finance');
    await expect(scene.decide(held, person('ann'))).rejects.toMatchObject({ code: 'approval.not_in_group' });
    expect(await scene.show(held)).toMatchObject({ state: 'pending' });
  });

  it('lends no membership: a delegate outside the group decides nothing with a right of a member', async () => {
    await scene.install(reserve('finance'));
    const held = await scene.hold();
    const scope = { tools: null, agent_id: null, autonomy_mode: 'soft_gate' as const };
    const lend = (to: string) =>
      manage.delegations.create({
        v: 1,
        caller: person('ann'),
        to,
        scope,
        note: 'away',
        expires_at: Date.now() + 60_000,
      });
    const { delegation_id } = await lend('mallory');
    await expect(scene.decide(held, person('mallory'), { delegation_id })).rejects.toMatchObject({
      code: 'approval.not_in_group',
    });
    const other = await lend('bob');
    expect(await scene.decide(held, person('bob'), other)).toMatchObject({ state: 'admitted' });
  });

  it('gets no session grant', async () => {
    await scene.install(reserve('finance'));
    const held = await scene.hold({ session_id: 'one' });
    const request = { v: 1 as const, caller: person('ann'), approval_id: held.approval_id ?? '', comment: null };
    await expect(kernel.decide.run({ ...request, decision: 'approve', session: { uses: 2 } })).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});

describe('a member who is removed', () => {
  it('counts no more, and votes again where they are put back', async () => {
    await scene.install(reserve('finance', 2));
    const held = await scene.hold();
    await scene.decide(held, person('ann'));
    await scene.group('finance', 'bob', 'cleo');
    expect(await scene.show(held)).toMatchObject({ votes: { given: 0, needed: 2 }, voted: [{ stands: false }] });
    expect(await scene.decide(held, person('bob'))).toMatchObject({ state: 'held', votes: { given: 1 } });
    await scene.group('finance', 'ann', 'bob', 'cleo');
    expect(await scene.show(held)).toMatchObject({ votes: { given: 1, needed: 2 } });
    expect(await scene.decide(held, person('ann'))).toMatchObject({ state: 'admitted' });
    expect(await scene.tenant.row(held.operation_id)).toMatchObject({ approvers: 2 });
  });

  it('does not count in a vote that is written while the removal commits', async () => {
    await scene.install(reserve('finance', 2));
    const held = await scene.hold();
    await scene.decide(held, person('ann'));
    const { admin, untilBlocked } = kernel;
    await admin.query('BEGIN');
    await admin.query(`UPDATE kernel.approver_group SET changed_by = 'x' WHERE tenant_id = $1`, [
      scene.tenant.tenantId,
    ]);
    await admin.query(`DELETE FROM kernel.approver_group_member WHERE tenant_id = $1 AND principal = 'ann'`, [
      scene.tenant.tenantId,
    ]);
    const deciding = scene.decide(held, person('bob'));
    await untilBlocked();
    await admin.query('COMMIT');
    expect(await deciding).toMatchObject({ state: 'held', votes: { given: 1, needed: 2 } });
  });

  it('races the last vote: the call is admitted with both as members, or stays held with one vote', async () => {
    await scene.install(reserve('finance', 2));
    for (let n = 0; n < 6; n++) {
      await scene.group('finance', 'ann', 'bob');
      const held = await scene.hold();
      await scene.decide(held, person('ann'));
      const [view] = await Promise.all([scene.decide(held, person('bob')), scene.group('finance', 'bob')]);
      const { state, votes } = await scene.show(held);
      if (view.state === 'admitted') expect(state).toBe('approved');
      else expect({ state, votes }).toEqual({ state: 'pending', votes: { given: 1, needed: 2, role: 'operator' } });
    }
  });
});

describe('an effect', () => {
  const CHANGED =
    '@id("changed") @reason("files changed") @approvers("finance") forbid (principal, action, resource) when { context has effect && context.effect.modified > 0 };\n';
  const ASK =
    '@id("ask") @reason("ask") forbid (principal, action, resource) when { context.supervision == "autopilot" };\n';
  const seen = async (held: { approval_id: string | null }) => ({
    effect_digest: (await scene.show(held)).binding.effect_digest,
  });

  it('that a preview shows reserves the approval, and an earlier vote of another person counts no more', async () => {
    await scene.install(CHANGED + ASK, { quorum: { soft_gate: 2 } });
    const held = await scene.hold();
    await scene.decide(held, person('mallory'));
    await run.preview(scene.tenant, held, { 'a.txt': 'shown' });
    expect(await scene.show(held)).toMatchObject({
      of: 'effect',
      groups: [{ any_of: ['finance'], count: 1, given: 0 }],
      votes: { given: 0, needed: 2 },
    });
    const digest = await seen(held);
    await expect(scene.decide(held, person('mallory'), digest)).rejects.toMatchObject({
      code: 'approval.not_in_group',
    });
    await scene.decide(held, person('ann'), digest);
    expect(await scene.decide(held, person('bob'), digest)).toMatchObject({ state: 'committed' });
  });

  it('of a call that ran is held for the group, whoever approved the call', async () => {
    await scene.install(CHANGED);
    const { attempt } = await run.perform(scene.tenant, scene.tenant.writeCall(await scene.tenant.token()));
    await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'shown' })));
    const { approval_id, state } = await scene.tenant.row(attempt.operation_id);
    expect(state).toBe('held');
    expect(await scene.show({ approval_id })).toMatchObject({ of: 'effect', groups: [{ any_of: ['finance'] }] });
    const digest = await seen({ approval_id });
    await expect(scene.decide({ approval_id }, person('mallory'), digest)).rejects.toMatchObject({
      code: 'approval.not_in_group',
    });
    expect(await scene.decide({ approval_id }, person('ann'), digest)).toMatchObject({ state: 'committed' });
  });
});

describe('a kernel of the version before', () => {
  // It calls the same SQL functions, and knows of no group: it reads no such policy, and sends no demands.
  const voteOf = (held: { approval_id: string | null }, name: string, seen: string[]) => ({
    vote_id: newId('vote'),
    approval_id: held.approval_id,
    says: 'approve',
    principal: name,
    role: 'operator',
    cast_by: person(name).api_key_id,
    cast_as: name,
    delegation_id: null,
    comment: null,
    record_id: null,
    seen: { asked: 1, votes: seen },
  });
  const cast = async (held: { approval_id: string | null; operation_id: string }, vote: { principal: string }) =>
    await kernelSql.castVote(kernel.tenants.pool, {
      tenant: scene.tenant.tenantId,
      p: {
        operation_id: held.operation_id,
        approval: { approval_id: held.approval_id, quorum: 2, autonomy_mode: 'soft_gate' },
        vote,
        records: [],
      },
    });
  /** Approves and ends the call as such a kernel would after its last vote. */
  const close = async (held: { approval_id: string | null; operation_id: string }, vote: object) =>
    await kernelSql.endHeld(kernel.tenants.pool, {
      tenant: scene.tenant.tenantId,
      p: {
        operation: {
          operation_id: held.operation_id,
          state: 'refused',
          tx_outcome: 'rolled_back',
          reasons: [],
          approval_refs: [],
        },
        approval: {
          approval_id: held.approval_id,
          state: 'approved',
          decided_by: 'x',
          comment: null,
          superseded_by: null,
          vote,
        },
        records: [],
      },
    });

  it('writes no vote of a person outside of the group', async () => {
    await scene.install(reserve('finance', 2));
    const held = await scene.hold();
    await expect(cast(held, voteOf(held, 'mallory', []))).rejects.toThrow('the facts moved: groups');
    await cast(held, voteOf(held, 'ann', []));
    expect((await scene.show(held)).votes).toEqual({ given: 1, needed: 2, role: 'operator' });
  });

  it('approves nothing with fewer of the group than the policy demands', async () => {
    await scene.install(reserve('finance', 2));
    const held = await scene.hold();
    await expect(close(held, voteOf(held, 'ann', []))).rejects.toThrow('the facts moved: groups');
    await expect(close(held, voteOf(held, 'mallory', []))).rejects.toThrow('the facts moved: groups');
    expect(await scene.show(held)).toMatchObject({ state: 'pending', voted: [] });
    await scene.decide(held, person('ann'));
    const [vote] = (await scene.show(held)).voted;
    await close(held, voteOf(held, 'bob', [vote?.vote_id ?? '']));
    expect(await scene.show(held)).toMatchObject({ state: 'approved' });
  });
});

describe('a policy that names groups', () => {
  const activate = (policy: string) =>
    kernel.activate.run({ ...kernel.asAdmin(scene.tenant), policy, if_active: null, note: null });

  it('is stored, and not put in force while one of them does not exist', async () => {
    const waiting = { escalation: [{ after_ms: 60_000, to: ['leads'] }] };
    const { policy } = await kernel.putSet(scene.tenant, setOf('a', reserve('finance, legal'), { waiting }));
    await expect(activate(policy?.policy_hash ?? '')).rejects.toMatchObject({
      code: 'policy.invalid',
      message: expect.stringContaining('`leads`, `legal`') as string,
    });
    await scene.group('leads');
    await scene.group('legal');
    expect(await activate(policy?.policy_hash ?? '')).toMatchObject({ name: 'a' });
  });

  it('keeps its groups while it is in force, and races their removal', async () => {
    const remove = (name: string) => manage.approverGroups.remove({ ...kernel.asAdmin(scene.tenant), name });
    const { policy } = await kernel.putSet(scene.tenant, setOf('a', reserve('finance')));
    const [activated, removed] = await Promise.allSettled([activate(policy?.policy_hash ?? ''), remove('finance')]);
    expect([activated.status, removed.status].filter((status) => status === 'fulfilled')).toHaveLength(1);
    if (removed.status === 'fulfilled') return;
    await expect(remove('finance')).rejects.toMatchObject({ code: 'conflict' });
    await scene.install('');
    expect(await remove('finance')).toEqual({ removed: 'finance' });
  });
});

describe('the approvals that a person may decide', () => {
  const mine = async (caller = person('ann')) =>
    (
      await kernel.approvals.list({ v: 1, caller, page: { cursor: null, limit: 10 }, state: null, mine: true })
    ).items.map(({ operation_id }) => operation_id);

  it('are pending, of their groups and role, of other proposers, and without a vote of theirs', async () => {
    await scene.install(reserve('finance', 2));
    const [held, own] = [await scene.hold(), await scene.hold({ proposers: ['ann'] })];
    expect(await mine(person('ann'))).toEqual([held.operation_id]);
    expect(await mine(person('bob'))).toEqual([own.operation_id, held.operation_id]);
    expect(await mine(person('mallory'))).toEqual([]);
    await scene.decide(held, person('ann'));
    expect(await mine(person('ann'))).toEqual([]);
    await scene.decide(held, person('bob'));
    expect(await mine(person('bob'))).toEqual([own.operation_id]);
    await expect(mine(scene.person('eve', 'auditor'))).rejects.toMatchObject({ code: 'auth.role' });
  });
});
