// SPDX-License-Identifier: Apache-2.0
import { WakeHeld } from './wake-held.ts';
import { HeldCalls } from '../../execution/held/index.ts';
import { NULL_MONITOR } from '../../specs/null-monitor.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { ApproverScene, reserve } from '../../specs/test-approvers.ts';
import type { TestManagement } from '../../specs/test-management.ts';
import { openPolicyKernel, type PolicyKernel } from '../../specs/test-policies.ts';

let kernel: PolicyKernel;
let manage: TestManagement;
let scene: ApproverScene;
openKernelSpec<PolicyKernel>((on) => {
  ({ kernel, manage } = on);
}, openPolicyKernel);
beforeEach(async () => {
  scene = await ApproverScene.open(kernel, manage);
  await scene.group('finance', 'ann', 'bob');
  await scene.group('leads', 'lee', 'pat');
  await scene.group('board', 'dora');
});
const person = (name: string) => scene.person(name);
const HOUR_MS = 3_600_000;
const ESCALATION = [
  { after_ms: HOUR_MS, to: ['leads'] },
  { after_ms: 2 * HOUR_MS, to: ['board'] },
];
/** Another replica: it shares nothing with the first but the database. */
const newReplica = (): WakeHeld =>
  new WakeHeld(
    kernel.workers,
    kernel.tenants,
    new HeldCalls(kernel.tenants, kernel.sealer, kernel.announcer, NULL_MONITOR),
    kernel.announcer,
  );
const sweepAll = async (): Promise<number> =>
  (await Promise.all([kernel.wake, newReplica(), newReplica(), newReplica()].map((one) => one.run()))).reduce(
    (sum, written) => sum + written,
    0,
  );

describe('an escalation', () => {
  beforeEach(async () => {
    await scene.install(reserve('finance', 2), { waiting: { escalation: ESCALATION } });
  });

  it('offers the approval to a further group once its time is over, with one record and one notice', async () => {
    const held = await scene.hold();
    await expect(scene.decide(held, person('lee'))).rejects.toMatchObject({ code: 'approval.not_in_group' });
    await sweepAll();
    const { escalates_at, created_at, escalated_to } = await scene.show(held);
    expect({ in: (escalates_at ?? 0) - created_at, escalated_to }).toEqual({ in: HOUR_MS, escalated_to: undefined });
    await scene.age(held, HOUR_MS);
    expect(await sweepAll()).toBe(1);
    expect(await scene.show(held)).toMatchObject({ state: 'pending', escalated_to: ['leads'], votes: { needed: 2 } });
    expect(await scene.notices()).toEqual(['approval.pending', 'approval.escalated']);
    const records = (await scene.tenant.records()).filter(({ change }) => change?.verb === 'escalate');
    expect(records).toMatchObject([
      { kind: 'approval', actor: 'kernel', operation_id: held.operation_id, change: { subject: held.approval_id } },
    ]);
    await scene.decide(held, person('lee'));
    expect(await scene.decide(held, person('ann'))).toMatchObject({ state: 'admitted' });
  });

  it('takes each step at its time, and decides nothing', async () => {
    const held = await scene.hold();
    await scene.age(held, 2 * HOUR_MS);
    expect((await sweepAll()) + (await sweepAll())).toBe(2);
    expect(await sweepAll()).toBe(0);
    expect(await scene.show(held)).toMatchObject({
      state: 'pending',
      escalated_to: ['board', 'leads'],
      votes: { given: 0, needed: 2 },
    });
  });

  it('keeps four eyes: a proposer in the further group decides nothing', async () => {
    const held = await scene.hold({ proposers: ['lee'] });
    await scene.age(held, HOUR_MS);
    await sweepAll();
    await expect(scene.decide(held, person('lee'))).rejects.toMatchObject({ code: 'approval.own_call' });
  });

  it('is not taken once the call is decided, and not beyond its end', async () => {
    const [denied, late] = [await scene.hold(), await scene.hold()];
    await scene.decide(denied, person('ann'), { decision: 'deny' });
    await scene.age(denied, HOUR_MS);
    await scene.age(late, 25 * HOUR_MS);
    expect(await sweepAll()).toBe(0);
  });

  it('races the last vote: either comes wholly first', async () => {
    for (let n = 0; n < 6; n++) {
      const held = await scene.hold();
      await scene.decide(held, person('ann'));
      await scene.age(held, HOUR_MS);
      const [view] = await Promise.all([scene.decide(held, person('bob')), sweepAll()]);
      expect(view.state).toBe('admitted');
      const { escalated_to } = await scene.show(held);
      const records = (await scene.tenant.records()).filter(
        ({ approval_refs: refs, change }) => change?.verb === 'escalate' && refs.includes(held.approval_id as never),
      );
      expect(records).toHaveLength(escalated_to === undefined ? 0 : 1);
    }
  });

  it('reserves nothing where the policy reserves nothing', async () => {
    await scene.install(
      '@id("ask") @reason("ask") forbid (principal, action, resource) when { context.supervision == "autopilot" };',
      { waiting: { escalation: ESCALATION } },
    );
    const held = await scene.hold();
    await scene.age(held, HOUR_MS);
    expect(await sweepAll()).toBe(1);
    expect(await scene.decide(held, person('somebody'))).toMatchObject({ state: 'admitted' });
  });
});

describe('reminders', () => {
  const reminded = async (): Promise<number> =>
    (await scene.notices()).filter((kind) => kind === 'approval.reminder').length;

  it('are sent once for each time before the end, by any number of replicas', async () => {
    await scene.install(reserve('finance'), { waiting: { reminders_ms: [60_000, HOUR_MS, 2 * HOUR_MS] } });
    const held = await scene.hold();
    expect([await sweepAll(), await reminded()]).toEqual([0, 0]);
    await scene.age(held, 22 * HOUR_MS);
    expect([await sweepAll(), await sweepAll(), await reminded()]).toEqual([1, 0, 1]);
    await scene.age(held, 2 * HOUR_MS - 30_000);
    expect((await sweepAll()) + (await sweepAll())).toBe(2);
    expect([await sweepAll(), await reminded()]).toEqual([0, 3]);
  });

  it('are left out where the call has less time than that, and after a decision', async () => {
    await scene.install(reserve('finance'), { waiting: { reminders_ms: [HOUR_MS, 2 * HOUR_MS] } });
    const short = await scene.hold({ deadline: Date.now() + HOUR_MS + 60_000 });
    const decided = await scene.hold();
    await scene.decide(decided, person('ann'));
    await scene.age(decided, 23 * HOUR_MS);
    await scene.age(short, 120_000);
    await sweepAll();
    await sweepAll();
    expect(await reminded()).toBe(1);
  });
});
