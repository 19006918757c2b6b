// SPDX-License-Identifier: Apache-2.0
import type { Caller, OperationView as View } from '@writ/contract';
import { newId } from '../store/index.ts';
import { openTestKernel, type TestKernel } from '../specs/test-kernel.ts';
import { asks, AUTOPILOT } from '../specs/test-ports.ts';
import type { TestTenant } from '../specs/test-tenant.ts';

let kernel: TestKernel;
let tenant: TestTenant;
let held: View;
beforeAll(async () => { kernel = await openTestKernel(); });
afterAll(() => kernel.close());
beforeEach(async () => {
  tenant = await kernel.newTenant();
  kernel.policy.says = (action) => (action.args['content'] === 'harmless' ? AUTOPILOT : asks('soft_gate')());
  held = await kernel.admit.run(tenant.writeCall(await tenant.token(), { args: { path: 'a.txt', content: 'risky' } }), null);
});
const as = (role: Caller['role'], more: Partial<Caller> = {}): Caller => ({ tenant_id: tenant.tenantId, api_key_id: newId('apiKey'), role, agent_id: null, ...more });
const edit = async (content: string, { caller = as('operator'), operation_id = newId('operation') as string } = {}): Promise<View> =>
  await kernel.edit.run({ v: 1, caller, approval_id: held.approval_id ?? '', operation_id, args: { path: 'a.txt', content }, comment: 'less of it' });

it('an edit refuses the held call by naming the new one, which is decided anew', async () => {
  const made = await edit('harmless');
  expect(made).toMatchObject({ state: 'admitted', provenance: { parent_operation_id: held.operation_id }, agent_id: tenant.agentId });
  const old = await tenant.row(held.operation_id);
  expect(old).toMatchObject({ state: 'refused', tx_outcome: 'rolled_back', fault_code: 'approval.superseded' });
  expect(old.fault_message).toContain(made.operation_id);
  expect((await tenant.records()).find(({ kind }) => kind === 'approval')).toMatchObject({ change: { verb: 'supersede', subject: held.approval_id } });
});

it('what is still risky is held again, and who edited it doesn\'t approve it', async () => {
  const editor = as('operator');
  const made = await edit('still risky', { caller: editor });
  expect(made.state).toBe('held');
  const decide = (caller: Caller) => kernel.decide.run({ v: 1, caller, approval_id: made.approval_id ?? '', decision: 'approve', comment: null });
  await expect(decide(editor)).rejects.toMatchObject({ code: 'approval.own_call' });
  expect(await decide(as('operator'))).toMatchObject({ state: 'admitted' });
});

it('an edit sent twice is one edit; another one afterwards is a conflict, as is a decision', async () => {
  const again = { operation_id: newId('operation'), caller: as('operator') };
  const { operation_id } = again;
  const first = await edit('harmless', again);
  expect(await edit('harmless', again)).toMatchObject({ operation_id, decision_record_id: first.decision_record_id });
  await expect(edit('harmless')).rejects.toMatchObject({ code: 'conflict' });
  await expect(kernel.decide.run({ v: 1, caller: as('admin'), approval_id: held.approval_id ?? '', decision: 'approve', comment: null })).rejects.toMatchObject({ code: 'conflict' });
});

it('takes an approver, and nobody edits their own call', async () => {
  await expect(edit('harmless', { caller: as('auditor') })).rejects.toMatchObject({ code: 'auth.role' });
  await expect(edit('harmless', { caller: as('admin', { api_key_id: tenant.keyId }) })).rejects.toMatchObject({ code: 'approval.own_call' });
  expect((await tenant.row(held.operation_id)).state).toBe('held');
});

it('what the session asks for is asked for the edited call too', async () => {
  kernel.policy.says = () => AUTOPILOT;
  held = await kernel.admit.run(tenant.writeCall(await tenant.token(), { max_autonomy: 'soft_gate' }), null);
  expect(await edit('harmless')).toMatchObject({ state: 'held', autonomy_mode: 'soft_gate' });
});
