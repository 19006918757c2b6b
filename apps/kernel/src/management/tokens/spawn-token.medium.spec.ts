// SPDX-License-Identifier: Apache-2.0
//
// The token of a sub-agent: who may have one, what it grants, and that each call allows one.
import type { ProposedCall } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { reportOf, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requestBy, callerOf, refusalOf, type TestManagement } from '../../specs/test-management.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';

let kernel: TestKernel;
let run: TestExecution;
let manage: TestManagement;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel, run, manage } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  token = await tenant.token();
  kernel.policy.answer = () => AUTOPILOT;
});

const OF_RUN = { source: 'run', run_id: newId('run') };
const spawn = (args: Record<string, unknown> = {}, more: Partial<ProposedCall> = {}): ProposedCall =>
  tenant.call(token, {
    tool_id: 'agent.spawn',
    args: { task: 'look', ...args },
    idempotency_key: newId('request'),
    provenance: OF_RUN,
    ...more,
  });
const done = async (call: ProposedCall, over: Parameters<typeof reportOf>[2] = {}): Promise<string> => {
  const { attempt } = await run.perform(tenant, call);
  await run.commit.run(reportOf(attempt, null, { result: { allowed: true }, ...over }));
  return call.operation_id;
};
const admin = () => callerOf(tenant.tenantId);
const take = (operation_id: string, caller = admin()) => manage.spawn.run({ ...requestBy(caller), operation_id });
const refused = async (call: ProposedCall): Promise<string | undefined> =>
  (await kernel.admit.run(call, null)).result?.error?.code;

it("the token of a sub-agent is narrowed as the call's arguments request, and its record names the call", async () => {
  const operationId = await done(
    spawn({ tools: ['fs.read'], fs: [{ path: './src', read: true, write: false }], budgets: { calls: 3 } }),
  );
  const made = await take(operationId);
  expect(made).toMatchObject({
    parent_id: token,
    agent_id: tenant.agentId,
    workspace_id: tenant.workspaceId,
    spawned_by: operationId,
    grant: { tools: ['fs.read'], fs: [{ path: 'src', read: true, write: false }], budgets: { calls: 3 } },
  });
  expect(await tenant.budgetOf(made.capability_token_id)).toMatchObject({ calls: { bound: 3 } });
  expect((await tenant.records()).at(-1)).toMatchObject({
    kind: 'token',
    operation_id: operationId,
    change: { verb: 'token_attenuated', subject: made.capability_token_id },
  });
});

it('the token of a sub-agent is made once, for any number of concurrent requests', async () => {
  const operationId = await done(spawn());
  const ids = (await Promise.all(Array.from({ length: 8 }, () => take(operationId)))).map(
    ({ capability_token_id }) => capability_token_id,
  );
  expect(new Set(ids).size).toBe(1);
  expect((await tenant.records()).filter(({ kind }) => kind === 'token')).toHaveLength(1);
});

it('no other call gives a token: refused, failed, dry, erased, running, or of other tools or tenants', async () => {
  const failed = await done(spawn(), {
    ended: 'failed',
    error: { code: 'limit.exceeded', message: 'no', hint: null },
    result: null,
  });
  const dry = spawn({}, { dry_run: true });
  expect((await kernel.admit.run(dry, null)).state).toBe('no_op');
  const held = spawn();
  await run.perform(tenant, held);
  const other = await done(
    tenant.call(token, { tool_id: 'task.create', args: { title: 't' }, idempotency_key: newId('request') }),
    { result: { task: { task_id: newId('operation'), title: 't', note: '', status: 'open' } } },
  );
  const erased = await done(spawn());
  await tenant.query('UPDATE kernel.payload SET args = NULL WHERE operation_id = $1', [erased]);
  // A call that committed nothing and has a fault. No call of this tool ends so today.
  const faulted = await done(spawn());
  await tenant.query(
    `UPDATE kernel.operation SET state = 'no_op', fault_code = 'limit.exceeded' WHERE operation_id = $1`,
    [faulted],
  );
  for (const id of [failed, faulted, dry.operation_id, held.operation_id, other, erased, newId('operation'), 'x'])
    expect((await refusalOf(take(id))).code).toBe('not_found');
  const good = await done(spawn());
  const stranger = await kernel.newTenant();
  // Both before the token exists and after.
  for (let n = 0; n < 2; n += 1) {
    expect((await refusalOf(take(good, callerOf(stranger.tenantId)))).code).toBe('not_found');
    expect((await refusalOf(take(good, callerOf(tenant.tenantId, 'agent', newId('agent'))))).code).toBe('not_found');
    expect((await refusalOf(take(good, callerOf(tenant.tenantId, 'operator')))).code).toBe('auth.role');
    expect(await take(good, callerOf(tenant.tenantId, 'agent', tenant.agentId))).toMatchObject({ spawned_by: good });
  }
});

it('the token of a sub-agent is not made under a revoked token, and is revoked with it', async () => {
  const [first, second] = [await done(spawn()), await done(spawn())];
  const made = await take(first);
  await manage.revoke.run({ ...requestBy(admin()), capability_token_id: token });
  expect((await refusalOf(take(second))).code).toBe('token.revoked');
  expect(
    await manage.tokens.read({ ...requestBy(admin()), capability_token_id: made.capability_token_id }),
  ).toMatchObject({ revoked: true });
});

it('a turn may have a sub-agent as a run may', async () => {
  const operationId = await done(spawn({}, { provenance: { source: 'turn', turn: 't1', session_id: 'one' } }));
  expect(await take(operationId)).toMatchObject({ parent_id: token, spawned_by: operationId });
});

it('a spawn is refused before it runs: outside of a run or turn, wider than its caller, or too deep', async () => {
  for (const provenance of [{}, { source: 'run' }, { run_id: newId('run') }, { ...OF_RUN, source: 'turn' }])
    expect(await refused(spawn({}, { provenance }))).toBe('tool.not_available');
  const narrow = await tenant.token({ tools: ['agent.spawn', 'fs.read'] });
  expect(await refused(spawn({ tools: ['fs.*'] }, { capability_token_id: narrow }))).toBe('token.not_narrower');
  expect(await refused(spawn({ fs: [{ path: '../out', read: true, write: false }] }))).toBe('path.escape');
  let below = token;
  for (let depth = 0; depth < 3; depth += 1)
    below = (await take(await done(spawn({}, { capability_token_id: below })))).capability_token_id;
  expect(await refused(spawn({}, { capability_token_id: below }))).toBe('token.depth');
});
