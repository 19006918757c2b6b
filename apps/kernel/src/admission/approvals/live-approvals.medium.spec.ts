// SPDX-License-Identifier: Apache-2.0
// A page that shows one approval reads it again at each event that names it: nothing that it shows changes without one.
import type { OperationView } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { ApproverScene, reserve } from '../../specs/test-approvers.ts';
import type { TestExecution } from '../../specs/test-executor.ts';
import type { TestManagement } from '../../specs/test-management.ts';
import { openPolicyKernel, type PolicyKernel } from '../../specs/test-policies.ts';

const HOUR_MS = 3_600_000;

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
  await scene.group('leads', 'lee');
  await scene.install(reserve('finance', 2), {
    waiting: { escalation: [{ after_ms: HOUR_MS, to: ['leads'] }], reminders_ms: [HOUR_MS] },
  });
});

/** The states of the call in the events that came of `work`. */
async function eventsOf({ operation_id }: OperationView, work: () => Promise<unknown>): Promise<string[]> {
  const before = kernel.events.changes.length;
  await work();
  return kernel.events.changes
    .slice(before)
    .map((change) => change.split(' '))
    .filter(([id]) => id === operation_id)
    .map(([, state]) => state ?? '');
}

it('each vote, preview, escalation, reminder and decision of an approval is an event that names it', async () => {
  const held = await scene.hold();
  expect(await eventsOf(held, () => run.preview(scene.tenant, held, { 'a.txt': 'x' }))).toEqual(['held']);
  const effect_digest = (await scene.show(held)).binding.effect_digest;
  const decide = (name: string) => () => scene.decide(held, scene.person(name), { effect_digest });
  expect(await eventsOf(held, decide('ann'))).toEqual(['held']);
  await scene.age(held, HOUR_MS);
  expect(await eventsOf(held, () => kernel.wake.run())).toEqual(['held']);
  await scene.age(held, 22.5 * HOUR_MS);
  expect(await eventsOf(held, () => kernel.wake.run())).toEqual(['held']);
  expect((await eventsOf(held, decide('bob'))).length).toBeGreaterThan(0);
});
