// SPDX-License-Identifier: Apache-2.0
import type { Change, KernelRequest } from '@writ/contract';
import { parseSnapshotId, sizeOf } from '@writ/workspace';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { requestBy, callerOf, type TestManagement } from '../../specs/test-management.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import { deltaFor, reportOf, textsAt, type Attempt, type TestExecution } from '../../specs/test-executor.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

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

type Quota = KernelRequest<'workspace.limits.set'>['change'];
const FILE = { kind: 'file', mode: '644' } as const;
const admin = () => requestBy(callerOf(tenant.tenantId));
const bound = (change: Quota, workspace_id = tenant.workspaceId) =>
  manage.limitWorkspace.set({ ...admin(), workspace_id, change });
const limits = (workspace_id = tenant.workspaceId) => manage.limitWorkspace.read({ ...admin(), workspace_id });
const boundTenant = (change: Quota) => manage.limits.set({ v: 1, caller: null, tenant_id: tenant.tenantId, change });
const perform = async (more = {}): Promise<Attempt> =>
  (await run.perform(tenant, tenant.writeCall(token, more))).attempt;
const write = async (files: Readonly<Record<string, string | null>>, more = {}) => {
  const attempt = await perform(more);
  await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, files)));
  return await tenant.row(attempt.operation_id);
};
const filesOf = async (files: Readonly<Record<string, string | null>>): Promise<Change[]> =>
  await Promise.all(
    Object.entries(files).map(async ([path, text]): Promise<Change> => ({
      path,
      before: null,
      after: text === null ? null : { ...FILE, ...(await kernel.blobs.put(tenant.tenantId, Buffer.from(text))) },
    })),
  );
const upload = async (files: Readonly<Record<string, string | null>>) =>
  await manage.changeWorkspace.run({ ...admin(), workspace_id: tenant.workspaceId, changes: await filesOf(files) });
/** The contents of the workspace, counted anew. */
const counted = async (workspaceId = tenant.workspaceId) => {
  const { rows } = await kernel.admin.query<{ head_snapshot_id: string }>(
    'SELECT head_snapshot_id FROM kernel.workspace WHERE workspace_id = $1',
    [workspaceId],
  );
  return await sizeOf(
    (sha256) => kernel.blobs.get(tenant.tenantId, sha256),
    parseSnapshotId(rows[0]?.head_snapshot_id ?? ''),
  );
};
/** The counts in the row beside the head. */
const kept = async () =>
  (
    await kernel.admin.query<{ files: number | null; bytes: number | null }>(
      'SELECT files, bytes FROM kernel.workspace WHERE workspace_id = $1',
      [tenant.workspaceId],
    )
  ).rows[0];

describe('the size of a workspace', () => {
  it('is stored beside the head by everything that moves it: calls, people, imports, restores, and commits on a newer head', async () => {
    const { new_snapshot_id } = await write({ 'a.txt': 'hello' });
    expect(await kept()).toEqual({ files: 1, bytes: 5 });
    await upload({ 'deep/er/b.txt': 'bb', 'a.txt': 'longer text' });
    expect(await kept()).toEqual({ files: 4, bytes: 13 });
    const late = await perform();
    await write({ 'a.txt': null });
    await run.commit.run(reportOf(late, await deltaFor(kernel, late, { 'late.txt': 'late' })));
    expect(await kept()).toEqual({ files: 4, bytes: 6 });
    const changes_ref = await kernel.blobs.put(
      tenant.tenantId,
      Buffer.from(JSON.stringify(await filesOf({ 'only.txt': '123' }))),
    );
    await manage.importWorkspace.run({
      ...admin(),
      workspace_id: tenant.workspaceId,
      changes_ref,
      path: '',
      replace: true,
    });
    expect(await kept()).toEqual({ files: 1, bytes: 3 });
    await manage.restoreWorkspace.run({
      ...admin(),
      workspace_id: tenant.workspaceId,
      snapshot_id: new_snapshot_id ?? '',
      path: '',
      if_head: null,
    });
    expect(await kept()).toEqual({ files: 1, bytes: 5 });
    expect(await counted()).toEqual({ files: 1, bytes: 5 });
  });

  it('that is not counted, because of an older version, is counted on a read, a new quota, or a commit under one', async () => {
    await tenant.write({ 'a.txt': 'hello', 'src/b.txt': 'b' });
    expect(await kept()).toEqual({ files: null, bytes: null });
    await write({ 'c.txt': 'c' });
    expect(
      await manage.limits.set({ v: 1, caller: null, tenant_id: tenant.tenantId, change: { weight: 2 } }),
    ).toMatchObject({ weight: 2, files: null, bytes: null });
    expect(await kept()).toEqual({ files: null, bytes: null });
    expect(await limits()).toMatchObject({ files: 4, bytes: 7, files_max: null, bytes_max: null });
    await write({ 'd.txt': 'd' });
    expect(await kept()).toEqual({ files: 5, bytes: 8 });
    await tenant.query(
      'UPDATE kernel.workspace SET files = NULL, bytes = NULL, files_max = 6 WHERE workspace_id = $1',
      [tenant.workspaceId],
    );
    expect(await write({ 'e.txt': 'e' })).toMatchObject({ state: 'committed' });
    await tenant.query('UPDATE kernel.workspace SET files = NULL, bytes = NULL WHERE workspace_id = $1', [
      tenant.workspaceId,
    ]);
    await expect(upload({ 'f.txt': 'f' })).rejects.toMatchObject({ code: 'workspace.quota' });
    expect(await kept()).toEqual({ files: 6, bytes: 9 });
  });

  it("can't be changed under a quota by a version that does not count", async () => {
    await bound({ files_max: 100 });
    await expect(tenant.write({ 'a.txt': 'hello' })).rejects.toMatchObject({ code: 'WR004' });
  });
});

describe('a change that would exceed a quota', () => {
  it('is rolled back whole if it is a call, with a hint about what and how much, and has a record', async () => {
    await write({ 'a.txt': 'hello' });
    await bound({ bytes_max: 10 });
    const row = await write({ 'src.txt': 'twelve bytes', 'small.txt': '1' });
    expect(row).toMatchObject({
      state: 'rolled_back',
      tx_outcome: 'rolled_back',
      fault_code: 'workspace.quota',
      commit_delta_id: null,
      reserved: {},
    });
    expect(row.fault_message).toBe(
      `the workspace \`${tenant.workspaceId}\` would hold 18 bytes, more than its \`bytes_max\` of 10`,
    );
    expect(row.fault_hint).toBe('`src.txt` adds most; take files away first, or ask for a larger quota');
    expect((await tenant.records()).at(-1)).toMatchObject({
      phase: 'outcome',
      fault_code: 'workspace.quota',
      tx_outcome: 'rolled_back',
    });
    expect(await textsAt(kernel, tenant, ['a.txt', 'src.txt', 'small.txt'])).toEqual({
      'a.txt': 'hello',
      'src.txt': null,
      'small.txt': null,
    });
    expect(await write({ 'a.txt': 'ten bytes!' })).toMatchObject({ state: 'committed' });
  });

  it("is refused without a record if it is a person's upload, import or restore", async () => {
    const full = await upload({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' });
    await upload({ 'b.txt': null, 'c.txt': null });
    await bound({ files_max: 2 });
    const records = await tenant.countOf('outbox');
    const changes_ref = await kernel.blobs.put(
      tenant.tenantId,
      Buffer.from(JSON.stringify(await filesOf({ 'd/e.txt': '1' }))),
    );
    const workspace_id = tenant.workspaceId;
    for (const moved of [
      () => upload({ 'b.txt': 'b', 'c.txt': 'c' }),
      () => manage.importWorkspace.run({ ...admin(), workspace_id, changes_ref, path: '', replace: false }),
      () =>
        manage.restoreWorkspace.run({
          ...admin(),
          workspace_id,
          snapshot_id: full.head_snapshot_id,
          path: '',
          if_head: null,
        }),
    ])
      await expect(moved()).rejects.toMatchObject({
        code: 'workspace.quota',
        detail: expect.stringMatching(/would hold 3 files, more than its `files_max` of 2: `.+` adds most/),
      });
    expect(await tenant.countOf('outbox')).toBe(records);
    expect(await counted()).toEqual({ files: 1, bytes: 1 });
  });

  it('commits where it frees space, even beyond a quota that was lowered', async () => {
    await write({ 'a.txt': 'hello', 'b.txt': 'hello' });
    await bound({ bytes_max: 3, files_max: 1 });
    expect(await write({ 'b.txt': 'hell' })).toMatchObject({ state: 'committed' });
    expect(await write({ 'b.txt': 'hello' })).toMatchObject({ fault_code: 'workspace.quota' });
    expect(await write({ 'b.txt': null })).toMatchObject({ state: 'committed' });
  });

  it('of 16 at once on one workspace commits only as long as there is room, over two replicas', async () => {
    await bound({ files_max: 5 });
    const attempts = await Promise.all(Array.from({ length: 16 }, () => perform()));
    const replicas = [run.newCommit(), run.newCommit()];
    const replies = await Promise.all(
      attempts.map(async (attempt, index) =>
        replicas[index % 2]?.run(reportOf(attempt, await deltaFor(kernel, attempt, { [`n${index}.txt`]: 'x' }))),
      ),
    );
    expect(replies.filter((reply) => reply?.state === 'committed')).toHaveLength(5);
    expect(replies.filter((reply) => reply?.state === 'rolled_back')).toHaveLength(11);
    expect([await kept(), await counted()]).toEqual([
      { files: 5, bytes: 5 },
      { files: 5, bytes: 5 },
    ]);
  }, 120_000);

  it('of 16 at once on 16 workspaces of a tenant commits only as long as there is room in the tenant', async () => {
    const spaces = await Promise.all(Array.from({ length: 16 }, () => tenant.secondWorkspace()));
    await boundTenant({ bytes_max: 50 });
    const attempts = await Promise.all(spaces.map((workspace_id) => perform({ workspace_id })));
    const replies = await Promise.all(
      attempts.map(
        async (attempt) =>
          await run.newCommit().run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'ten bytes!' }))),
      ),
    );
    expect(replies.filter((reply) => reply.state === 'committed')).toHaveLength(5);
    const sizes = await Promise.all(spaces.map((space) => counted(space)));
    expect(sizes.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(50);
    expect(await manage.limits.read({ v: 1, caller: null, tenant_id: tenant.tenantId })).toMatchObject({
      files: 5,
      bytes: 50,
      bytes_max: 50,
    });
    const row = await tenant.row(
      attempts[replies.findIndex(({ state }) => state === 'rolled_back')]?.operation_id ?? '',
    );
    expect(row.fault_message).toBe('the tenant would hold 60 bytes, more than its `bytes_max` of 50');
  }, 120_000);
});

describe('a quota', () => {
  it('is set one bound at a time, recorded with the digest of both, and removed by null; setting the same changes nothing', async () => {
    const one = await bound({ files_max: 3 });
    expect(one).toEqual({ workspace_id: tenant.workspaceId, files_max: 3, bytes_max: null, files: 0, bytes: 0 });
    await bound({ files_max: 3 });
    expect(await bound({ bytes_max: 9, files_max: null })).toMatchObject({ files_max: null, bytes_max: 9 });
    const change = {
      verb: 'workspace_limits_changed',
      subject: tenant.workspaceId,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    };
    expect(await tenant.records()).toMatchObject([
      { kind: 'workspace', workspace_id: tenant.workspaceId, change },
      { kind: 'workspace', change },
    ]);
  });

  it("of a workspace is set by administrators alone, and another tenant's workspace isn't found", async () => {
    const asked = { workspace_id: tenant.workspaceId, change: { files_max: 1 } };
    await expect(
      manage.limitWorkspace.set({ ...requestBy(callerOf(tenant.tenantId, 'operator')), ...asked }),
    ).rejects.toMatchObject({ code: 'auth.role' });
    const other = await kernel.newTenant();
    await expect(manage.limitWorkspace.set({ ...requestBy(callerOf(other.tenantId)), ...asked })).rejects.toMatchObject(
      { code: 'not_found' },
    );
    await expect(
      manage.limitWorkspace.read({ ...requestBy(callerOf(other.tenantId)), workspace_id: tenant.workspaceId }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});
