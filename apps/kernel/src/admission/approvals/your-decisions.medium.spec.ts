// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller, type YourDecision } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { shownEffectDigest } from '../../specs/shown-effect.ts';
import { ApproverScene, reserve } from '../../specs/test-approvers.ts';
import type { TestExecution } from '../../specs/test-executor.ts';
import type { TestManagement } from '../../specs/test-management.ts';
import { openPolicyKernel, type PolicyKernel } from '../../specs/test-policies.ts';
import { YourDecisions } from './your-decisions.ts';

let kernel: PolicyKernel;
let run: TestExecution;
let manage: TestManagement;
let scene: ApproverScene;
openKernelSpec<PolicyKernel>((on) => {
  ({ kernel, run, manage } = on);
}, openPolicyKernel);
beforeEach(async () => {
  scene = await ApproverScene.open(kernel, manage);
  await scene.group('finance', 'ann', 'bob');
  await scene.install(reserve('finance', 2));
});

type Held = Awaited<ReturnType<ApproverScene['hold']>>;
const told = (held: Held, caller: Caller, seen: string | null = null): Promise<YourDecision> =>
  kernel.yours.of({ v: 1, caller, approval_id: held.approval_id ?? '' }, { effectDigest: seen, isReadable: true });
const codes = ({ why }: YourDecision): string[] => why.map(({ code }) => code);

it('a member of the group may decide, and sees the own vote', async () => {
  const held = await scene.hold();
  const ann = scene.person('ann');
  expect(await told(held, ann)).toEqual({ may_approve: true, may_deny: true, why: [], delegations: [], voted: null });
  await scene.decide(held, ann);
  expect(await told(held, ann)).toEqual({
    may_approve: false,
    may_deny: true,
    why: [{ code: 'approval.voted', message: 'you have already voted, and each person has one vote' }],
    delegations: [],
    voted: 'approve',
  });
});

it('others see for which groups it is reserved, and may deny it', async () => {
  expect(await told(await scene.hold(), scene.person('cleo'))).toEqual({
    may_approve: false,
    may_deny: true,
    why: [{ code: 'approval.not_in_group', message: 'the approval is reserved for `finance`' }],
    delegations: [],
    voted: null,
  });
});

it('proposers, auditors and agents may do neither', async () => {
  const held = await scene.hold({ proposers: ['ann'] });
  for (const [caller, code] of [
    [scene.person('ann'), 'approval.own_call'],
    [scene.person('eve', 'auditor'), 'auth.role'],
    [{ ...scene.person('robot', 'agent'), agent_id: newId('agent') }, 'auth.role'],
  ] as const) {
    const you = await told(held, caller);
    expect([you.may_approve, you.may_deny, codes(you)]).toEqual([false, false, [code]]);
  }
});

it('what nobody can look at is denied, and approved by nobody', async () => {
  const held = await scene.hold();
  const request = { v: 1 as const, caller: scene.person('ann'), approval_id: held.approval_id ?? '' };
  const you = await kernel.yours.of(request, { effectDigest: null, isReadable: false });
  expect([you.may_approve, you.may_deny, codes(you)]).toEqual([false, true, ['conflict']]);
});

it('a delegation is named where an approval with it counts, and else said why not', async () => {
  const held = await scene.hold();
  const lend = async (from: string, to: string, tools: string[] | null) =>
    (
      await manage.delegations.create({
        v: 1,
        caller: scene.person(from),
        to,
        scope: { tools, agent_id: null, autonomy_mode: 'soft_gate' },
        note: 'away',
        expires_at: Date.now() + 3_600_000,
      })
    ).delegation_id;
  const [fit, unfit] = [await lend('ann', 'bob', null), await lend('ann', 'bob', ['shell.*'])];
  expect(await told(held, scene.person('bob'))).toMatchObject({ may_approve: true, why: [], delegations: [fit] });
  await scene.decide(held, scene.person('bob'), { delegation_id: fit });
  const you = await told(held, scene.person('bob'));
  expect(you).toMatchObject({ may_approve: false, delegations: [], voted: 'approve' });
  expect(you.why).toContainEqual({
    code: 'approval.not_delegated',
    message: `delegation \`${unfit}\`: it isn't for calls of \`fs.write\``,
  });
  // Whose right was used has voted, too.
  expect(await told(held, scene.person('ann'))).toMatchObject({ may_approve: false, voted: 'approve' });
});

it('a call that was decided is shown as decided, also to whom it was decided by', async () => {
  const held = await scene.hold();
  await scene.decide(held, scene.person('ann'), { decision: 'deny' });
  for (const person of ['ann', 'bob'])
    expect(await told(held, scene.person(person))).toMatchObject({
      may_approve: false,
      may_deny: false,
      why: [{ code: 'conflict', message: 'the approval is `denied` already' }],
      delegations: [],
      voted: person === 'ann' ? 'deny' : null,
    });
});

it('an approval counts for the effect that is shown alone', async () => {
  const held = await scene.hold();
  await run.preview(scene.tenant, held, { 'a.txt': 'shown' });
  const shown = await shownEffectDigest(kernel, scene.tenant.tenantId, held.approval_id ?? '');
  expect(codes(await told(held, scene.person('ann')))).toEqual(['approval.effect_unseen']);
  expect(await told(held, scene.person('ann'), shown)).toMatchObject({ may_approve: true, why: [] });
});

it('a fault that refuses no decision is no answer', async () => {
  const held = { find: () => Promise.reject(new Fault('database.unavailable')) };
  const yours = new YourDecisions(kernel, held);
  await expect(
    yours.of(
      { v: 1, caller: scene.person('ann'), approval_id: newId('approval') },
      { effectDigest: null, isReadable: true },
    ),
  ).rejects.toMatchObject({ code: 'database.unavailable' });
});
