// SPDX-License-Identifier: Apache-2.0
import type { OperationView, ProposedCall, StartedBy } from '@writ/contract';
import { newId } from '@writ/nest-kit';
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
  await scene.install(reserve('finance'));
});

const KEY = newId('apiKey');
const hold = (more: Partial<ProposedCall> = {}): Promise<OperationView> =>
  scene.hold({ proposed_by: KEY, proposers: ['zoe'], ...more });
const startOf = async ({ approval_id }: OperationView): Promise<StartedBy | undefined> =>
  (await kernel.approvals.read({ v: 1, caller: scene.person('ann'), approval_id: approval_id ?? '' })).started_by;
const edit = async ({ approval_id }: OperationView, by: string): Promise<OperationView> =>
  await kernel.edit.run({
    ...{ v: 1, caller: scene.person(by), approval_id: approval_id ?? '', operation_id: newId('operation') },
    ...{ args: { path: `${by}.txt`, content: 'x' }, comment: null },
  });

it('a call tells the agent, the key and the person who proposed it', async () => {
  const held = await hold({ provenance: { source: 'api', session_id: 'claimed' } });
  const { agent_id } = held;
  expect(await startOf(held)).toEqual({ agent_id, source: 'api', api_key_id: KEY, principal: 'zoe' });
  const nameless = await hold({ proposers: [KEY], provenance: {} });
  expect(await startOf(nameless)).toEqual({ agent_id, api_key_id: KEY });
});

it("a run's call tells the run, and no other call can claim one", async () => {
  const run_id = newId('run');
  expect(await startOf(await hold({ provenance: { source: 'run', run_id } }))).toMatchObject({ run_id });
  for (const provenance of [
    { source: 'api', run_id },
    { source: 'run', run_id: 'nightly' },
  ])
    expect(await startOf(await hold({ provenance }))).not.toHaveProperty('run_id');
});

it('an edited call tells who proposed the first one, and no claim of a parent call changes that', async () => {
  const first = await hold({ provenance: { source: 'mcp' } });
  const edited = await edit(await edit(first, 'ann'), 'bob');
  expect(await startOf(edited)).toEqual({
    ...{ agent_id: first.agent_id, source: 'mcp', api_key_id: KEY, principal: 'zoe' },
  });
  const provenance = { source: 'api', parent_operation_id: first.operation_id };
  expect(await startOf(await hold({ proposers: ['max'], provenance }))).toMatchObject({ principal: 'max' });
});
