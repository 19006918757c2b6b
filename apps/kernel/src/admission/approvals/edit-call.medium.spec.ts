// SPDX-License-Identifier: Apache-2.0
import type { Caller, OperationView as View } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { HeldCalls } from '../../execution/held/index.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { EditCall } from './edit-call.ts';
import { NULL_MONITOR } from '../../specs/null-monitor.ts';

let kernel: TestKernel;
let tenant: TestTenant;
let held: View;
openKernelSpec((on) => {
  ({ kernel } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  kernel.policy.answer = (action) => (action.args['content'] === 'harmless' ? AUTOPILOT : requires('soft_gate')());
  held = await kernel.admit.run(
    tenant.writeCall(await tenant.token(), { args: { path: 'a.txt', content: 'risky' } }),
    null,
  );
});
const as = (role: Caller['role'], more: Partial<Caller> = {}): Caller => ({
  tenant_id: tenant.tenantId,
  api_key_id: newId('apiKey'),
  role,
  agent_id: null,
  ...more,
});
const edit = async (
  content: string,
  { caller = as('operator'), operation_id = newId('operation') as string } = {},
): Promise<View> =>
  await kernel.edit.run({
    v: 1,
    caller,
    approval_id: held.approval_id ?? '',
    operation_id,
    args: { path: 'a.txt', content },
    comment: 'less of it',
  });

it('an edit refuses the held call and names the new one, which is decided separately', async () => {
  const made = await edit('harmless');
  expect(made).toMatchObject({
    state: 'admitted',
    provenance: { parent_operation_id: held.operation_id },
    agent_id: tenant.agentId,
  });
  const old = await tenant.row(held.operation_id);
  expect(old).toMatchObject({ state: 'refused', tx_outcome: 'rolled_back', fault_code: 'approval.superseded' });
  expect(old.fault_message).toContain(made.operation_id);
  expect((await tenant.records()).find(({ kind }) => kind === 'approval')).toMatchObject({
    change: { verb: 'supersede', subject: held.approval_id },
  });
});

it("a call that is still risky is held again, and its editor can't approve it", async () => {
  const editor = as('operator');
  const made = await edit('still risky', { caller: editor });
  expect(made.state).toBe('held');
  const decide = (caller: Caller) =>
    kernel.decide.run({ v: 1, caller, approval_id: made.approval_id ?? '', decision: 'approve', comment: null });
  await expect(decide(editor)).rejects.toMatchObject({ code: 'approval.own_call' });
  expect(await decide(as('operator'))).toMatchObject({ state: 'admitted' });
});

const editor = (): Caller => as('operator');
const callsOf = async (): Promise<number> => await tenant.countOf('operation');

it('an edit sent twice is one edit, also with another operation id', async () => {
  const caller = editor();
  const first = await edit('harmless', { caller });
  const again = await Promise.all(Array.from({ length: 4 }, () => edit('harmless', { caller })));
  expect(new Set(again.map(({ operation_id, decision_record_id }) => `${operation_id} ${decision_record_id}`))).toEqual(
    new Set([`${first.operation_id} ${first.decision_record_id}`]),
  );
  expect(await callsOf()).toBe(2);
});

it('four concurrent edits with different operation ids are one edit', async () => {
  const caller = editor();
  const made = await Promise.all(Array.from({ length: 4 }, () => edit('harmless', { caller })));
  expect(new Set(made.map(({ operation_id }) => operation_id)).size).toBe(1);
  expect(await callsOf()).toBe(2);
});

it('an edit that stopped halfway continues with the call that it named first', async () => {
  const [caller, operation_id] = [editor(), newId('operation')];
  const dying = new EditCall(new HeldCalls(kernel.tenants, kernel.sealer, kernel.announcer, NULL_MONITOR), () =>
    Promise.reject(new Error('the process dies')),
  );
  await expect(
    dying.run({
      v: 1,
      caller,
      approval_id: held.approval_id ?? '',
      operation_id,
      args: { path: 'a.txt', content: 'harmless' },
      comment: null,
    }),
  ).rejects.toThrow('dies');
  expect(await tenant.row(held.operation_id)).toMatchObject({ state: 'refused', fault_code: 'approval.superseded' });
  expect(await callsOf()).toBe(1);
  expect(await edit('harmless', { caller })).toMatchObject({ operation_id, state: 'admitted' });
});

it('a later edit by any person is a conflict, and so is a later decision', async () => {
  const caller = editor();
  await edit('harmless', { caller });
  await expect(edit('still risky', { caller })).rejects.toMatchObject({ code: 'conflict' });
  await expect(edit('harmless')).rejects.toMatchObject({ code: 'conflict' });
  await expect(
    kernel.decide.run({
      v: 1,
      caller: as('admin'),
      approval_id: held.approval_id ?? '',
      decision: 'approve',
      comment: null,
    }),
  ).rejects.toMatchObject({ code: 'conflict' });
  expect(await callsOf()).toBe(2);
});

it('an edit needs an approver, and nobody edits their own call', async () => {
  await expect(edit('harmless', { caller: as('auditor') })).rejects.toMatchObject({ code: 'auth.role' });
  await expect(edit('harmless', { caller: as('admin', { api_key_id: tenant.keyId }) })).rejects.toMatchObject({
    code: 'approval.own_call',
  });
  expect((await tenant.row(held.operation_id)).state).toBe('held');
});

it('the supervision that the session requires applies to the edited call too', async () => {
  kernel.policy.answer = () => AUTOPILOT;
  held = await kernel.admit.run(tenant.writeCall(await tenant.token(), { max_autonomy: 'soft_gate' }), null);
  expect(await edit('harmless')).toMatchObject({ state: 'held', autonomy_mode: 'soft_gate' });
});
