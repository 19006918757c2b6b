// SPDX-License-Identifier: Apache-2.0
//
// The tasks of a session: what a call that works on them receives, and which earlier calls count.
import type { ProposedCall, SessionTasks } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { reportOf, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import { grantResource } from '../../specs/test-resources.ts';
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
  kernel.policy.answer = () => AUTOPILOT;
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
/** Runs a change to its end; the executor's result shows the task, and doesn't count. */
const done = async (call: ProposedCall, over: Parameters<typeof reportOf>[2] = {}): Promise<string> => {
  const { attempt } = await run.perform(tenant, call);
  await run.commit.run(reportOf(attempt, null, { result: TASK(call.operation_id), ...over }));
  return call.operation_id;
};
const seen = async (more: Partial<ProposedCall> = {}): Promise<SessionTasks | undefined> =>
  (await run.perform(tenant, of('task.list', {}, more))).redemption.tasks;

it("are the result of the session's committed calls", async () => {
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
  expect(await tenant.row(first)).toMatchObject({
    state: 'committed',
    commit_delta_id: expect.stringMatching(/^delta_/) as unknown,
    new_snapshot_id: null,
  });
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

it("are as they were decided: an executor's result changes none", async () => {
  const id = await done(of('task.create', { title: 'mine' }), {
    result: { task: { ...TASK(newId('operation')).task, title: 'forged' } },
  });
  expect((await seen())?.items).toEqual([{ task_id: id, title: 'mine', note: '', status: 'open' }]);
});

it('come from no call that was a dry run, failed, or has not ended', async () => {
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

it('are erased with their calls', async () => {
  const id = await done(of('task.create', { title: 'private' }));
  await done(of('task.edit', { task_id: id, status: 'done' }));
  await kernel.admin.query('UPDATE kernel.payload SET args = NULL WHERE operation_id = $1', [id]);
  expect(await seen()).toEqual({ items: [], changes: 1 });
});

describe('with `any`', () => {
  const elsewhere = { session_id: 'ses-2' };
  const grantAll = () => grantResource(tenant, 'task', { agentId: tenant.agentId });

  it('an agent that is not granted the tasks of the tenant reaches none of another session', async () => {
    const id = await done(of('task.create', { title: 'mine' }));
    for (const call of [
      of('task.list', { any: true }, elsewhere),
      of('task.edit', { task_id: id, status: 'done', any: true }, elsewhere),
    ])
      expect((await kernel.admit.run(call, null)).result?.error).toMatchObject({ code: 'policy.denied' });
  });

  it('an edit from another session is part of the task, for its own session too', async () => {
    await grantAll();
    const id = await done(of('task.create', { title: 'mine' }));
    await done(of('task.edit', { task_id: id, status: 'done', any: true }, elsewhere));
    expect(await seen()).toMatchObject({ items: [{ task_id: id, status: 'done' }], changes: 2 });
    expect(await seen(elsewhere)).toMatchObject({ items: [] });
    const { redemption } = await run.perform(tenant, of('task.list', { any: true }, elsewhere));
    expect(redemption.tasks).toMatchObject({ items: [{ task_id: id, status: 'done' }] });
  });

  it('a call that its executor reports as done changes no task of another session or tenant without the grant', async () => {
    const other = await kernel.newTenant();
    const theirs = newId('operation');
    await other.query('INSERT INTO kernel.task_change (tenant_id, operation_id, task_id) VALUES ($1, $2, $2)', [
      other.tenantId,
      theirs,
    ]);
    const id = await done(of('task.create', { title: 'mine' }));
    const forged = await done(of('task.edit', { task_id: id, status: 'done' }, elsewhere));
    await grantAll();
    const foreign = await done(of('task.edit', { task_id: theirs, status: 'done', any: true }, elsewhere));
    for (const call of [forged, foreign])
      expect(await tenant.row(call)).toMatchObject({ state: 'rolled_back', fault_code: 'task.unknown' });
    expect(await seen()).toMatchObject({ items: [{ task_id: id, status: 'open' }], changes: 1 });
  });
});
