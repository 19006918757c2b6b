// SPDX-License-Identifier: Apache-2.0
//
// The tasks of a session: what comes with a call that works on them, and what of earlier calls counts.
import type { ProposedCall, SessionTasks } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { reportOf, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';

let kernel: TestKernel;
let run: TestExecution;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel, run } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  token = await tenant.token();
  kernel.policy.says = () => AUTOPILOT;
});

const of = (tool_id: string, args: Record<string, unknown>, more: Partial<ProposedCall> = {}): ProposedCall =>
  tenant.call(token, {
    tool_id,
    args,
    session_id: 'ses-1',
    idempotency_key: tool_id === 'task.list' ? null : newId('request'),
    ...more,
  });
const TASK = (task_id: string) => ({ task: { task_id, title: 't', note: '', status: 'open' } });
/** Runs a change to its end; the executor's answer is what it shows, and nothing that counts. */
const done = async (call: ProposedCall, over: Parameters<typeof reportOf>[2] = {}): Promise<string> => {
  const { attempt } = await run.perform(tenant, call);
  await run.commit.run(reportOf(attempt, null, { result: TASK(call.operation_id), ...over }));
  return call.operation_id;
};
const seen = async (more: Partial<ProposedCall> = {}): Promise<SessionTasks | undefined> =>
  (await run.perform(tenant, of('task.list', {}, more))).redemption.tasks;

it('are what the committed calls of the session say', async () => {
  const first = await done(of('task.create', { title: 'first', note: 'n' }));
  const second = await done(of('task.create', { title: 'second' }));
  await done(of('task.edit', { task_id: first, status: 'done' }));
  await done(of('task.create', { title: 'elsewhere' }, { session_id: 'ses-2' }));
  expect(await seen()).toEqual({
    items: [
      { task_id: first, title: 'first', note: 'n', status: 'done' },
      { task_id: second, title: 'second', note: '', status: 'open' },
    ],
    changes: 3,
  });
  expect(await tenant.row(first)).toMatchObject({ state: 'no_op', tx_outcome: 'no_op', commit_delta_id: null });
  expect((await run.perform(tenant, tenant.call(token))).redemption.tasks).toBeUndefined();
});

it('of another agent are not shown, in whatever session', async () => {
  const other = newId('agent');
  await tenant.query('INSERT INTO kernel.agent (agent_id, tenant_id, name) VALUES ($1, $2, $3)', [
    other,
    tenant.tenantId,
    'other',
  ]);
  await done(of('task.create', { title: 'mine' }));
  expect(await seen({ agent_id: other, capability_token_id: await tenant.token({}, { agent_id: other }) })).toEqual({
    items: [],
    changes: 0,
  });
});

it('without a session are those of the token', async () => {
  const own = await done(of('task.create', { title: 'own' }, { session_id: null }));
  expect((await seen({ session_id: null }))?.items.map(({ task_id }) => task_id)).toEqual([own]);
  expect((await seen())?.items).toEqual([]);
});

it('are no other than was decided: what an executor answers changes none', async () => {
  const id = await done(of('task.create', { title: 'mine' }), {
    result: { task: { ...TASK(newId('operation')).task, title: 'forged' } },
  });
  expect((await seen())?.items).toEqual([{ task_id: id, title: 'mine', note: '', status: 'open' }]);
});

it('come of no call that ran for show, failed, or has not ended', async () => {
  expect((await kernel.admit.run(of('task.create', { title: 'shown' }, { dry_run: true }), null)).state).toBe('no_op');
  const failed = await done(of('task.create', { title: 'too many' }), {
    ended: 'failed',
    error: { code: 'limit.exceeded', message: 'as many as it may', hint: null },
    result: null,
  });
  expect(await tenant.row(failed)).toMatchObject({ state: 'rolled_back', fault_code: 'limit.exceeded' });
  await run.perform(tenant, of('task.create', { title: 'under way' }));
  expect(await seen()).toEqual({ items: [], changes: 0 });
});

it('go with what is erased', async () => {
  const id = await done(of('task.create', { title: 'private' }));
  await done(of('task.edit', { task_id: id, status: 'done' }));
  await kernel.admin.query('UPDATE kernel.payload SET args = NULL WHERE operation_id = $1', [id]);
  expect(await seen()).toEqual({ items: [], changes: 1 });
});
