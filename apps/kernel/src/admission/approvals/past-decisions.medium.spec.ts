// SPDX-License-Identifier: Apache-2.0
import { PAST_DECISIONS_MAX, type Caller, type OperationView, type PastDecision } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { ApproverScene, reserve } from '../../specs/test-approvers.ts';
import type { TestManagement } from '../../specs/test-management.ts';
import { openPolicyKernel, type PolicyKernel } from '../../specs/test-policies.ts';

let kernel: PolicyKernel;
let manage: TestManagement;
let scene: ApproverScene;
const open = async (): Promise<ApproverScene> => {
  const opened = await ApproverScene.open(kernel, manage);
  await opened.group('finance', 'ann', 'bob');
  await opened.install(reserve('finance', 2));
  return opened;
};
openKernelSpec<PolicyKernel>((on) => {
  ({ kernel, manage } = on);
}, openPolicyKernel);
beforeEach(async () => {
  scene = await open();
});

const alike = async ({ approval_id }: OperationView, caller: Caller = scene.person('ann')): Promise<PastDecision[]> =>
  (await kernel.approvals.alike({ v: 1, caller, approval_id: approval_id ?? '' })).items;
const deny = (held: OperationView, of = scene) => of.decide(held, of.person('bob'), { decision: 'deny' });

it('past decisions tell outcome, persons, risk and reasons, the newest call first, and no call that still waits', async () => {
  const approved = await scene.hold();
  await scene.decide(approved, scene.person('ann'));
  await scene.decide(approved, scene.person('bob'));
  const denied = await scene.hold();
  await kernel.decide.run({
    ...{
      v: 1,
      caller: scene.person('bob'),
      approval_id: denied.approval_id ?? '',
      decision: 'deny',
      comment: 'too late',
    },
  });
  await scene.hold();
  const held = await scene.hold();
  const { risk_score, risk_basis, autonomy_mode } = held;
  const shared = { risk_score, risk_basis, autonomy_mode, held_for: held.reasons.map(({ code }) => code) };
  const at = { decided_at: expect.any(Number) as number, decided_by: expect.stringMatching(/^key_/) as string };
  expect(await alike(held)).toEqual([
    {
      ...{ approval_id: denied.approval_id, operation_id: denied.operation_id, outcome: 'denied', ...at, ...shared },
      ...{ voters: ['bob'], comment: 'too late' },
    },
    {
      ...{ approval_id: approved.approval_id, operation_id: approved.operation_id, outcome: 'approved', ...at },
      ...{ ...shared, voters: ['ann', 'bob'], comment: null },
    },
  ]);
  // What was decided itself is not alike to itself.
  expect((await alike(denied)).map(({ outcome }) => outcome)).toEqual(['approved']);
});

it('past decisions are of the same tool, agent and tenant', async () => {
  await deny(await scene.hold({ tool_id: 'fs.read', args: { path: 'a.txt' } }));
  const ofAnotherAgent = await scene.hold();
  await deny(ofAnotherAgent);
  await scene.tenant.query('UPDATE kernel.operation SET agent_id = $2 WHERE operation_id = $1', [
    ofAnotherAgent.operation_id,
    newId('agent'),
  ]);
  const other = await open();
  const ofAnotherTenant = await other.hold();
  await deny(ofAnotherTenant, other);
  await other.tenant.query('UPDATE kernel.operation SET agent_id = $2 WHERE operation_id = $1', [
    ofAnotherTenant.operation_id,
    ofAnotherAgent.agent_id,
  ]);
  expect(await alike(await scene.hold())).toEqual([]);
  await deny(await scene.hold());
  expect(await alike(await scene.hold())).toHaveLength(1);
});

it('past decisions are the newest ones, as many as one answer has', async () => {
  const denied: OperationView[] = [];
  for (let n = 0; n <= PAST_DECISIONS_MAX; n += 1) {
    denied.push(await scene.hold());
    await deny(denied.at(-1)!);
  }
  const newest = denied.slice(1).reverse();
  expect((await alike(await scene.hold())).map(({ operation_id }) => operation_id)).toEqual(
    newest.map(({ operation_id }) => operation_id),
  );
});

it('past decisions are shown to whoever may read the approval, and to nobody else', async () => {
  const held = await scene.hold();
  await deny(held);
  const next = await scene.hold();
  expect(await alike(next, scene.person('eve', 'auditor'))).toHaveLength(1);
  await expect(alike(next, { ...scene.person('robot', 'agent'), agent_id: newId('agent') })).rejects.toMatchObject({
    code: 'auth.role',
  });
  const other = await open();
  for (const [approval, caller] of [
    [next.approval_id, other.person('ann')],
    [newId('approval'), scene.person('ann')],
  ] as const)
    await expect(alike({ ...next, approval_id: approval }, caller)).rejects.toMatchObject({
      code: 'not_found',
      message: 'there is no such thing here',
    });
});
