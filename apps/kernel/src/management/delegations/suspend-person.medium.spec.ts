// SPDX-License-Identifier: Apache-2.0
// Votes and lent rights of persons who are suspended, on a real database.
import type { Caller, Id, OperationView } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import type { TestManagement } from '../../specs/test-management.ts';
import { requires } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

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
const lend = async (caller: Caller, to: string): Promise<Id<'delegation'>> => {
  const scope = { tools: null, agent_id: null, autonomy_mode: 'soft_gate' as const };
  const expires_at = Date.now() + 3_600_000;
  return (await manage.delegations.create({ v: 1, caller, to, scope, note: 'away', expires_at })).delegation_id;
};
const hold = async (): Promise<OperationView> => await kernel.admit.run(tenant.writeCall(await tenant.token()), null);
const approve = (held: OperationView, caller = bob, delegation_id: string | null = null): Promise<OperationView> =>
  kernel.decide.run({
    ...{ v: 1, caller, approval_id: held.approval_id ?? '', decision: 'approve', comment: null, delegation_id },
  });
const given = async (held: OperationView): Promise<number> =>
  (await kernel.approvals.read({ v: 1, caller: ann, approval_id: held.approval_id ?? '' })).votes.given;
const suspend = (member_id: Id<'member'>, ...principals: string[]) =>
  manage.suspend.run({ v: 1, caller: ann, member_id, suspended: true, principals });
const activate = (member_id: Id<'member'>, caller = ann) =>
  manage.suspend.run({ v: 1, caller, member_id, suspended: false, principals: [] });

it('a vote of a suspended person, or under a right that they lent or were lent, counts only after the suspension', async () => {
  kernel.policy.answer = requires('soft_gate', 3);
  const member = newId('member');
  const [own, lent, used] = [await hold(), await hold(), await hold()];
  await approve(own, bob);
  await approve(lent, ann, await lend(bob, 'ann'));
  await approve(used, bob, await lend(ann, 'bob'));
  const all = async () => [await given(own), await given(lent), await given(used)];
  expect(await all()).toEqual([1, 1, 1]);
  expect(await suspend(member, 'bob', 'bob-before')).toEqual({ names: 2 });
  expect(await all()).toEqual([0, 0, 0]);
  // Whoever repeats it changes and records nothing.
  expect(await suspend(member, 'bob')).toEqual({ names: 0 });
  expect(await activate(newId('member'))).toEqual({ names: 0 });
  expect(await all()).toEqual([0, 0, 0]);
  expect(await activate(member)).toEqual({ names: 2 });
  expect(await all()).toEqual([1, 1, 1]);
  const changes = (await tenant.records()).filter(({ kind }) => kind === 'change').map(({ change }) => change);
  expect(changes.filter((change) => change?.subject === member)).toMatchObject([
    { verb: 'person_suspended' },
    { verb: 'person_activated' },
  ]);
  expect(JSON.stringify(await tenant.records())).not.toMatch(/"bob/);
});

it('a suspended person decides nothing and lends nothing, whichever version of the kernel takes the vote', async () => {
  kernel.policy.answer = requires('soft_gate', 1);
  const [held, member] = [await hold(), newId('member')];
  const [fromBob, toBob] = [await lend(bob, 'cleo'), await lend(ann, 'bob')];
  await suspend(member, 'bob');
  await expect(approve(held, bob)).rejects.toMatchObject({ code: 'auth.role' });
  await expect(approve(held, person('cleo'), fromBob)).rejects.toMatchObject({ code: 'auth.role' });
  await expect(approve(held, bob, toBob)).rejects.toMatchObject({ code: 'auth.role' });
  for (const [principal, cast_as] of [
    ['bob', 'bob'],
    ['bob', 'cleo'],
    ['cleo', 'bob'],
  ])
    await expect(
      kernel.admin.query(
        `INSERT INTO kernel.vote (vote_id, tenant_id, approval_id, asked, says, principal, role, cast_by, cast_as,
           delegation_id, record_id) VALUES ($1, $2, $3, 0, 'approve', $4, 'operator', 'key_x', $5, $6, 'rec_x')`,
        [
          ...[newId('vote'), tenant.tenantId, held.approval_id, principal, cast_as],
          principal === cast_as ? null : principal === 'bob' ? fromBob : toBob,
        ],
      ),
    ).rejects.toMatchObject({ code: 'WR001' });
  await activate(member);
  expect(await approve(held, person('cleo'), fromBob)).toMatchObject({ state: 'admitted' });
});

it('a call that the vote of a suspended person would complete waits for another one', async () => {
  const held = await hold();
  await approve(held, bob);
  await suspend(newId('member'), 'bob');
  expect(await approve(held, person('cleo'))).toMatchObject({ state: 'held', votes: { given: 1, needed: 2 } });
  expect(await approve(held, ann)).toMatchObject({ state: 'admitted' });
});

it('one person has one vote, also where the suspension of somebody who acted on their right ends', async () => {
  kernel.policy.answer = requires('soft_gate', 3);
  const member = newId('member');
  const held = await hold();
  const toCleo = await lend(bob, 'cleo');
  await approve(held, person('cleo'), toCleo);
  await suspend(member, 'cleo');
  // Neither vote of Bob's right counts beside the other one, and Cleo, who cast the former, votes on her own.
  await approve(held, bob);
  expect(await given(held)).toBe(1);
  await activate(member);
  expect(await given(held)).toBe(1);
  await expect(approve(held, person('cleo'), toCleo)).rejects.toMatchObject({ code: 'approval.voted' });
  await approve(held, person('cleo'));
  expect(await given(held)).toBe(2);
  expect(await approve(held, ann)).toMatchObject({ state: 'admitted' });
});

it('a suspension waits for the vote that decides at that moment, and comes wholly before or after one beside it', async () => {
  for (let round = 0; round < 20; round++) {
    const [held, member] = [await hold(), newId('member')];
    const voter = `voter-${String(round)}`;
    await approve(held, person(voter));
    const last = (): Promise<OperationView> => approve(held, person('cleo'));
    await Promise.all(round % 2 === 0 ? [last(), suspend(member, voter)] : [suspend(member, voter), last()]);
    const row = await tenant.row(held.operation_id);
    expect([row.state, row.approvers]).toEqual(row.state === 'held' ? ['held', 0] : ['admitted', 2]);
    if (row.state === 'held') expect(await given(held)).toBe(1);
  }
  // As a vote that decides holds them until its transaction ends.
  await kernel.admin.query('BEGIN');
  await kernel.admin.query('SELECT kernel.hold_rules($1)', [tenant.tenantId]);
  let isSuspended = false;
  const suspended = suspend(newId('member'), 'bob').then(() => (isSuspended = true));
  const waits = `SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`;
  await vi.waitUntil(async () => isSuspended || (await kernel.admin.query(waits)).rows.length > 0, { timeout: 20_000 });
  expect(isSuspended).toBe(false);
  await kernel.admin.query('COMMIT');
  expect(await suspended).toBe(true);
});

it('an offboarded person stays out when the suspension from before ends', async () => {
  const [held, member] = [await hold(), newId('member')];
  await approve(held, bob);
  await suspend(member, 'bob');
  await manage.offboard.run({ v: 1, caller: ann, member_id: member, principals: ['bob'] });
  await activate(member);
  expect(await given(held)).toBe(0);
  await expect(approve(held, bob)).rejects.toMatchObject({ code: 'auth.role' });
});

it('a suspension is of one tenant, made by an administrator', async () => {
  const [held, member] = [await hold(), newId('member')];
  await approve(held, bob);
  const other = { ...ann, tenant_id: (await kernel.newTenant()).tenantId };
  const by = (caller: Caller) =>
    manage.suspend.run({ v: 1, caller, member_id: member, suspended: true, principals: ['bob'] });
  await by(other);
  expect(await given(held)).toBe(1);
  await expect(by(bob)).rejects.toMatchObject({ code: 'auth.role' });
  await suspend(member, 'bob');
  expect(await activate(member, other)).toEqual({ names: 1 });
  expect(await given(held)).toBe(0);
});
