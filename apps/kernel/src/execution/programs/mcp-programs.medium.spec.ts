// SPDX-License-Identifier: Apache-2.0
// Which processes of MCP servers that are programs may wait for another call.
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { box, executor, LOOK, mcpScene } from '../../specs/mcp-scene.ts';
import { reportOf, type Attempt, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { callerOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import { grantResource } from '../../specs/test-resources.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { McpPrograms } from './mcp-programs.ts';

const PROGRAM = { transport: 'stdio', command: ['mcp-files', '--stdio'] };

let kernel: TestKernel;
let run: TestExecution;
let manage: TestManagement;
let tenant: TestTenant;
let programs: McpPrograms;
let token: string;
let resource_id: string;
openKernelSpec((on) => {
  ({ kernel, run, manage } = on);
  programs = new McpPrograms(kernel.tenants);
});
const { register, reportTools, chosen, accept } = mcpScene(() => ({ kernel, manage, tenant }));
beforeEach(async () => {
  // Claims cross tenants: what other tests left would be claimed here.
  await kernel.admin.query('UPDATE kernel.mcp_server SET due_at = 9e15');
  kernel.policy.answer = () => AUTOPILOT;
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  await grantResource(tenant, 'mcp_server');
  token = await tenant.token({ net: [] });
  ({ resource_id } = await register(PROGRAM));
  const key = (await box.publicKey()).toString('base64');
  const due = await manage.mcpListings.claim({ v: 1, executor_id: executor, public_key: key, transports: ['stdio'] });
  expect(await reportTools(due!, [LOOK])).toBe(true);
  await accept(chosen(LOOK));
});

/** A call that has ended. */
async function ended(): Promise<Attempt> {
  const call = tenant.writeCall(token, { tool_id: 'mcp.github.look', args: { place: 'here' } });
  await kernel.admit.run(call, null);
  const { attempt } = await run.performAdmitted(tenant, call.operation_id, 'broker');
  const result = { content: [], structured: null, is_error: false, truncated: false };
  await run.commit.run(reportOf(attempt, null, { result }));
  return attempt;
}
const live = (last: Attempt, first = last, more: { readonly tenant_id?: string; readonly executor_id?: string } = {}) =>
  programs.live({
    v: 1,
    tenant_id: tenant.tenantId,
    executor_id: last.executor_id,
    programs: [{ first: first.operation_id, last: last.operation_id }],
    ...more,
  });
const admin = () => requestBy(callerOf(tenant.tenantId));
const erase = ({ operation_id }: Attempt) =>
  manage.beginErasure.run({ ...admin(), operation_id, session_id: null, before: null, reason_code: 'gdpr-art-17' });

it('a process waits on after its call, for its own executor and tenant alone', async () => {
  const call = await ended();
  expect(await live(call)).toEqual([call.operation_id]);
  expect(await live(call, call, { executor_id: newId('executor') })).toEqual([]);
  expect(await live(call, call, { tenant_id: (await kernel.newTenant()).tenantId })).toEqual([]);
});

it('a process of a call that is not known does not wait on, and others do', async () => {
  const call = await ended();
  const unknown = newId('operation');
  const pairs = [
    [unknown, call.operation_id],
    [call.operation_id, unknown],
    [call.operation_id, call.operation_id],
  ] as const;
  const asked = { v: 1 as const, tenant_id: tenant.tenantId, executor_id: call.executor_id };
  for (const [at, [first, last]] of pairs.entries())
    expect(await programs.live({ ...asked, programs: [{ first, last }] })).toEqual(at === 2 ? [last] : []);
});

it.each<[string, (call: Attempt) => Promise<unknown>]>([
  ['its token is revoked', () => manage.revoke.run({ ...admin(), capability_token_id: token })],
  [
    'its token expires',
    () =>
      tenant.query(
        `UPDATE kernel.token SET grant_json = jsonb_set(grant_json, '{expires_at}', '1') WHERE capability_token_id = $1`,
        [token],
      ),
  ],
  [
    'the key that proposed its call is revoked',
    async ({ operation_id }) => {
      const { proposed_by } = await tenant.row(operation_id);
      await manage.revokeKey.run({ ...admin(), api_key_id: proposed_by as string });
    },
  ],
  [
    'a freeze covers its calls',
    () =>
      tenant.query(
        `INSERT INTO kernel.freeze (freeze_id, tenant_id, scope, subject, reason, placed_by)
         VALUES ($2, $1, 'tool', 'mcp.github.look', 'stop', 'spec')`,
        [tenant.tenantId, newId('freeze')],
      ),
  ],
  [
    'its agent is no more granted the server',
    () => tenant.query('DELETE FROM kernel.resource_grant WHERE tenant_id = $1', [tenant.tenantId]),
  ],
  ['its server is removed', () => manage.resources.remove({ ...admin(), resource_id })],
  [
    'its server is another program by now',
    () =>
      manage.resources.update({
        ...admin(),
        resource_id,
        expected_version: 1,
        settings: { ...PROGRAM, command: ['mcp-files', '--more'] },
      }),
  ],
  ['somebody erases calls of the tenant', (call) => erase(call)],
])('a process ends once %s', async (_what, change) => {
  const call = await ended();
  expect(await live(call)).toEqual([call.operation_id]);
  await change(call);
  expect(await live(call)).toEqual([]);
});

it('a process that served a call from before an erasure ends, and one that began later waits on', async () => {
  const before = await ended();
  await erase(before);
  const later = await ended();
  expect(await live(later, before)).toEqual([]);
  expect(await live(later)).toEqual([later.operation_id]);
});

it('the erasure of a retention period ends no process', async () => {
  const call = await ended();
  await tenant.query(
    `INSERT INTO kernel.erasure (erasure_id, tenant_id, selector, until, reason_code, requested_by)
     VALUES ($2, $1, 'before', 1, 'retention', 'kernel')`,
    [tenant.tenantId, newId('erasure')],
  );
  expect(await live(call)).toEqual([call.operation_id]);
});

it('a process ends once only hashes stay of a call that it served, also of one between its first and its last', async () => {
  const first = await ended();
  await tenant.query("UPDATE kernel.tenant SET payload_mode = 'hashes' WHERE tenant_id = $1", [tenant.tenantId]);
  const hashed = await ended();
  await tenant.query("UPDATE kernel.tenant SET payload_mode = 'full' WHERE tenant_id = $1", [tenant.tenantId]);
  const last = await ended();
  expect(await live(last, first)).toEqual([last.operation_id]);
  await tenant.query(
    'UPDATE kernel.operation SET updated_at = updated_at - 60001, executor_id = $2 WHERE operation_id = $1',
    [hashed.operation_id, last.executor_id],
  );
  await manage.newKeepHashes(60_000).run();
  await manage.eraseBatches.run();
  expect((await tenant.row(hashed.operation_id)).erased).not.toBeNull();
  expect(await live(last, first)).toEqual([]);
  expect(await live(last)).toEqual([last.operation_id]);
});

it('the deletion of a session, which erases no call, ends no process', async () => {
  const call = await ended();
  await tenant.query(
    `INSERT INTO kernel.erasure (erasure_id, tenant_id, selector, session_id, until, reason_code, requested_by)
     VALUES ($2, $1, 'conversation', 's', 1, 'deleted', 'key')`,
    [tenant.tenantId, newId('erasure')],
  );
  expect(await live(call)).toEqual([call.operation_id]);
});

it('a call of a program reserves and is charged the processor time of all its time', async () => {
  token = await tenant.token({ net: [], budgets: { cpu_ms: 100_000 } });
  const call = tenant.writeCall(token, { tool_id: 'mcp.github.look', args: { place: 'here' } });
  await kernel.admit.run(call, null);
  const { attempt, redemption } = await run.performAdmitted(tenant, call.operation_id, 'broker');
  expect(redemption.limits).toMatchObject({ wall_ms: 60_000, cpu_ms: 60_000 });
  const result = { content: [], structured: null, is_error: false, truncated: false };
  const usage = { wall_ms: 41_000, cpu_ms: 40_000, memory_peak_bytes: 9, disk_write_bytes: 0, output_bytes: 0 };
  await run.commit.run(reportOf(attempt, null, { result, usage: { ...usage, counted_by: 'host' } }));
  const records = await tenant.records();
  const outcome = records.find((each) => each.operation_id === call.operation_id && each.phase === 'outcome');
  expect(outcome).toMatchObject({ budget_delta: { cpu_ms: 40_000 }, usage_counted_by: 'host' });
});
