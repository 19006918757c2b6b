// SPDX-License-Identifier: Apache-2.0
import type { Caller, Change, KernelRequest, WorkspaceView } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { deltaFor, reportOf, textsAt, type TestExecution } from '../../specs/test-executor.ts';
import { requestBy, callerOf, refusalOf, type TestManagement } from '../../specs/test-management.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let manage: TestManagement;
let execution: TestExecution;
openKernelSpec((on) => {
  ({ kernel, manage, run: execution } = on);
});

const FILE = { kind: 'file', mode: '644' } as const;
/** Writes texts to paths; null deletes. Resolves with the new head. */
async function change(tenant: TestTenant, files: Readonly<Record<string, string | null>>): Promise<string> {
  const changes = await Promise.all(
    Object.entries(files).map(async ([path, text]): Promise<Change> => ({
      path,
      before: null,
      after: text === null ? null : { ...FILE, ...(await kernel.blobs.put(tenant.tenantId, Buffer.from(text))) },
    })),
  );
  return (
    await manage.changeWorkspace.run({
      ...requestBy(callerOf(tenant.tenantId)),
      workspace_id: tenant.workspaceId,
      changes,
    })
  ).head_snapshot_id;
}
type RestoreOverrides = Partial<Omit<KernelRequest<'workspace.restore'>, 'caller'>>;
const restore = (
  tenant: TestTenant,
  snapshot_id: string,
  wish: RestoreOverrides = {},
  caller: Caller = callerOf(tenant.tenantId),
): Promise<WorkspaceView> =>
  manage.restoreWorkspace.run({
    ...requestBy(caller),
    workspace_id: tenant.workspaceId,
    snapshot_id,
    path: '',
    if_head: null,
    ...wish,
  });
const historyOf = async (tenant: TestTenant) =>
  (
    await manage.workspaces.snapshots({
      ...requestBy(callerOf(tenant.tenantId)),
      workspace_id: tenant.workspaceId,
      page: { cursor: null, limit: 50 },
    })
  ).items;
const snapshotAt = (tenant: TestTenant, at: number) =>
  manage.workspaces.snapshot({
    ...requestBy(callerOf(tenant.tenantId)),
    workspace_id: tenant.workspaceId,
    snapshot_id: null,
    at,
  });

describe('a restored workspace', () => {
  it('has the earlier content as a new state with a delta and a record, and another restore undoes it', async () => {
    const tenant = await kernel.newTenant();
    const first = await change(tenant, { 'a.txt': '1', 'src/b.txt': 'b' });
    const second = await change(tenant, { 'a.txt': '2', 'src/b.txt': null, 'new.txt': 'n' });
    const operator = callerOf(tenant.tenantId, 'operator');
    expect((await restore(tenant, first, {}, operator)).head_snapshot_id).toBe(first);
    expect(await textsAt(kernel, tenant, ['a.txt', 'src/b.txt', 'new.txt'])).toEqual({
      'a.txt': '1',
      'src/b.txt': 'b',
      'new.txt': null,
    });
    const record = (await tenant.records()).at(-1);
    expect(record).toMatchObject({
      kind: 'workspace',
      actor: operator.api_key_id,
      state_snapshot_id: second,
      new_snapshot_id: first,
      change: { verb: 'workspace_restored', digest: record?.commit_delta_id?.slice(6) },
    });
    const [newest] = await historyOf(tenant);
    expect(newest).toMatchObject({
      kind: 'restored',
      made_by: operator.api_key_id,
      parent_snapshot_id: second,
      snapshot_id: first,
      delta_id: record?.commit_delta_id,
    });
    expect((await restore(tenant, second)).head_snapshot_id).toBe(second);
  });

  it('at a path has the earlier content there and below, and everything else is unchanged', async () => {
    const tenant = await kernel.newTenant();
    const first = await change(tenant, { 'a.txt': '1', 'deep/er/b.txt': 'b', 'deep/er/c.txt': 'c' });
    await change(tenant, { 'a.txt': '2', deep: null });
    await restore(tenant, first, { path: 'deep/er/b.txt' });
    expect(await textsAt(kernel, tenant, ['a.txt', 'deep/er/b.txt', 'deep/er/c.txt'])).toEqual({
      'a.txt': '2',
      'deep/er/b.txt': 'b',
      'deep/er/c.txt': null,
    });
    await change(tenant, { 'deep/er/late.txt': 'l' });
    await restore(tenant, first, { path: '/workspace/deep' });
    expect(await textsAt(kernel, tenant, ['a.txt', 'deep/er/c.txt', 'deep/er/late.txt'])).toEqual({
      'a.txt': '2',
      'deep/er/c.txt': 'c',
      'deep/er/late.txt': null,
    });
  });

  it('without a difference stays as it is, without a record', async () => {
    const tenant = await kernel.newTenant();
    const head = await change(tenant, { 'a.txt': '1' });
    const records = await tenant.countOf('outbox');
    expect((await restore(tenant, head)).head_snapshot_id).toBe(head);
    expect(await tenant.countOf('outbox')).toBe(records);
  });

  it('is refused for an unexpected head, an unknown path or state, or a file in place of a directory', async () => {
    const [tenant, other] = [await kernel.newTenant(), await kernel.newTenant()];
    const foreign = await change(other, { 'x.txt': 'x' });
    const first = await change(tenant, { 'd/a.txt': '1' });
    const head = await change(tenant, { d: null });
    await change(tenant, { d: 'a file now' });
    const records = await tenant.countOf('outbox');
    const refusals = [
      restore(tenant, first, { if_head: head }),
      restore(tenant, first, { path: 'nowhere' }),
      restore(tenant, first, { path: 'd/a.txt' }),
      restore(tenant, foreign),
      restore(tenant, 'snap_\0'),
      restore(tenant, first, { path: '../x' }),
      restore(tenant, first, {}, callerOf(tenant.tenantId, 'auditor')),
      restore(tenant, first, { workspace_id: other.workspaceId }),
    ];
    expect((await Promise.all(refusals.map(refusalOf))).map(({ code }) => code)).toEqual([
      'conflict',
      'file.not_found',
      'workspace.conflict',
      'not_found',
      'not_found',
      'path.escape',
      'auth.role',
      'not_found',
    ]);
    expect(await tenant.countOf('outbox')).toBe(records);
  });

  it('keeps concurrent commits, or is completely restored: never a mixture', async () => {
    const tenant = await kernel.newTenant();
    const first = await change(tenant, { 'a.txt': 'a', 'b.txt': 'b' });
    await change(tenant, { 'b.txt': 'changed' });
    const { attempt } = await execution.perform(tenant, tenant.writeCall(await tenant.token()));
    const delta = await deltaFor(kernel, attempt, { 'a.txt': 'call' });
    const [reply] = await Promise.all([
      execution.commit.run(reportOf(attempt, delta)),
      restore(tenant, first, { path: 'b.txt' }),
    ]);
    expect(reply).toMatchObject({ state: 'committed' });
    expect(await textsAt(kernel, tenant, ['a.txt', 'b.txt'])).toEqual({ 'a.txt': 'call', 'b.txt': 'b' });
  });
});

describe('a history', () => {
  it("has the kind and author of each state, and the tool and agent of a call's", async () => {
    const tenant = await kernel.newTenant();
    const person = await change(tenant, { 'a.txt': 'a' });
    const { attempt } = await execution.perform(tenant, tenant.writeCall(await tenant.token()));
    await execution.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'call' })));
    const [byCall, byPerson] = await historyOf(tenant);
    expect(byCall).toMatchObject({
      kind: 'committed',
      tool_id: 'fs.write',
      made_by: tenant.agentId,
      operation_id: attempt.operation_id,
      parent_snapshot_id: person,
    });
    expect(byPerson).toMatchObject({
      kind: 'changed',
      tool_id: null,
      operation_id: null,
      made_by: expect.stringMatching(/^key_/),
    });
  });

  it('has the state of every time, and none before the workspace was created', async () => {
    const tenant = await kernel.newTenant();
    const made = await manage.createWorkspace.run({ ...requestBy(callerOf(tenant.tenantId)), name: 'times' });
    const own = Object.assign(Object.create(tenant) as TestTenant, { workspaceId: made.workspace_id });
    for (const text of ['1', '2', '3', '4', '5']) await change(own, { 'a.txt': text });
    // Sets distinct times, independent of the clock.
    await kernel.admin.query('UPDATE kernel.snapshot SET created_at = 1000 * (seq + 1) WHERE workspace_id = $1', [
      made.workspace_id,
    ]);
    const states = (await historyOf(own)).toReversed();
    expect(states.map(({ kind }) => kind)).toEqual(['created', ...Array<string>(5).fill('changed')]);
    for (const { seq, snapshot_id } of states) {
      expect(await snapshotAt(own, 1000 * (seq + 1))).toEqual({ snapshot_id });
      expect(await snapshotAt(own, 1000 * (seq + 1) + 999)).toEqual({ snapshot_id });
    }
    expect(await snapshotAt(own, 10 ** 13)).toEqual({ snapshot_id: states.at(-1)?.snapshot_id });
    expect((await refusalOf(snapshotAt(own, 999))).code).toBe('not_found');
  });
});
