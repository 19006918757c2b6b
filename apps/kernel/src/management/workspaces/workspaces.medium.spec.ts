// SPDX-License-Identifier: Apache-2.0
import type { Caller, Change } from '@writ/contract';
import type { Changes } from '../../evidence/changes/index.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { deltaFor, reportOf, textsAt, type TestExecution } from '../../specs/test-executor.ts';
import { requestBy, callerOf, pagesOf, refusalOf, type TestManagement } from '../../specs/test-management.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { hashOf, type TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';
import { Sizes } from '../../foundation/workspace/sizes.ts';
import { Trees } from '../../foundation/workspace/trees.ts';
import { ChangeWorkspace } from './change-workspace.ts';
import { HeadMoves } from './head-moves.ts';

let kernel: TestKernel;
let manage: TestManagement;
let execution: TestExecution;
openKernelSpec((on) => {
  ({ kernel, manage, run: execution } = on);
});

const NOT_FOUND = { code: 'not_found', message: 'there is no such thing here' };

/** Changes that write texts to paths, with contents stored as the orchestrator stores them; null deletes. */
const uploadOf = (tenant: TestTenant, files: Readonly<Record<string, string | null>>): Promise<Change[]> =>
  Promise.all(
    Object.entries(files).map(async ([path, text]): Promise<Change> => {
      if (text === null) return { path, before: null, after: null };
      const { sha256, size } = await kernel.blobs.put(tenant.tenantId, Buffer.from(text));
      return { path, before: null, after: { kind: 'file', mode: '644', sha256, size } };
    }),
  );
const change = async (
  tenant: TestTenant,
  files: Readonly<Record<string, string | null>>,
  caller: Caller = callerOf(tenant.tenantId),
  by = manage.changeWorkspace,
) => by.run({ ...requestBy(caller), workspace_id: tenant.workspaceId, changes: await uploadOf(tenant, files) });

describe('a workspace', () => {
  it('is created empty, with the first state of its history and a record', async () => {
    const tenant = await kernel.newTenant();
    const admin = callerOf(tenant.tenantId);
    const made = await manage.createWorkspace.run({ ...requestBy(admin), name: 'repo' });
    expect(await manage.workspaces.read({ ...requestBy(admin), workspace_id: made.workspace_id })).toEqual(made);
    const { items } = await manage.workspaces.snapshots({
      ...requestBy(admin),
      workspace_id: made.workspace_id,
      page: { cursor: null, limit: 10 },
    });
    expect(items).toEqual([
      {
        seq: 0,
        snapshot_id: made.head_snapshot_id,
        parent_snapshot_id: null,
        delta_id: null,
        kind: 'created',
        operation_id: null,
        tool_id: null,
        made_by: admin.api_key_id,
        created_at: made.created_at,
      },
    ]);
    expect(await tenant.records()).toMatchObject([
      {
        kind: 'workspace',
        actor: admin.api_key_id,
        workspace_id: made.workspace_id,
        new_snapshot_id: made.head_snapshot_id,
        change: { verb: 'workspace_created', subject: made.workspace_id },
      },
    ]);
    expect(await kernel.blobs.has(tenant.tenantId, [made.head_snapshot_id.slice(5)])).toEqual(
      new Set([made.head_snapshot_id.slice(5)]),
    );
  });

  it('is changed atomically, with a new state, its delta and a record that names them', async () => {
    const tenant = await kernel.newTenant();
    await tenant.write({ 'a.txt': 'old', 'gone.txt': 'x' });
    const operator = callerOf(tenant.tenantId, 'operator');
    const before = tenant.head;
    const view = await change(tenant, { 'a.txt': 'new', 'src/b.txt': 'b', 'gone.txt': null }, operator);
    expect(await textsAt(kernel, tenant, ['a.txt', 'src/b.txt', 'gone.txt'])).toEqual({
      'a.txt': 'new',
      'src/b.txt': 'b',
      'gone.txt': null,
    });
    const [record] = await tenant.records();
    expect(record).toMatchObject({
      kind: 'workspace',
      actor: operator.api_key_id,
      state_snapshot_id: before,
      new_snapshot_id: view.head_snapshot_id,
      commit_delta_id: expect.stringMatching(/^delta_/),
      change: { verb: 'workspace_changed', subject: tenant.workspaceId, digest: record?.commit_delta_id?.slice(6) },
    });
    // The delta is stored for readers of the record.
    expect(await kernel.blobs.has(tenant.tenantId, [record?.change?.digest ?? ''])).toEqual(
      new Set([record?.change?.digest]),
    );
    const {
      items: [newest],
    } = await manage.workspaces.snapshots({
      ...requestBy(operator),
      workspace_id: tenant.workspaceId,
      page: { cursor: null, limit: 1 },
    });
    expect(newest).toEqual({
      seq: 2,
      snapshot_id: view.head_snapshot_id,
      parent_snapshot_id: before,
      delta_id: record?.commit_delta_id,
      kind: 'changed',
      operation_id: null,
      tool_id: null,
      made_by: operator.api_key_id,
      created_at: view.updated_at,
    });
  });

  it('without a difference stays as it is, without a record', async () => {
    const tenant = await kernel.newTenant();
    const once = await change(tenant, { 'a.txt': 'a' });
    expect(await change(tenant, { 'a.txt': 'a' })).toEqual(once);
    expect(await tenant.countOf('outbox')).toBe(1);
  });

  it('has all of 32 concurrent changes through two replicas', async () => {
    const tenant = await kernel.newTenant();
    const replicas = [manage.newChangeWorkspace(), manage.newChangeWorkspace()];
    const names = Array.from({ length: 32 }, (_, at) => `f${at}.txt`);
    await Promise.all(names.map((name, at) => change(tenant, { [name]: name }, undefined, replicas[at % 2])));
    expect(await textsAt(kernel, tenant, names)).toEqual(Object.fromEntries(names.map((name) => [name, name])));
    const history = await pagesOf(5, (page) =>
      manage.workspaces.snapshots({ ...requestBy(callerOf(tenant.tenantId)), workspace_id: tenant.workspaceId, page }),
    );
    const states = history.flat();
    expect(states).toHaveLength(32);
    // The parent of each state is the state before it, so no change was lost.
    states.forEach((state, at) => {
      if (at > 0) expect(states[at - 1]?.parent_snapshot_id).toBe(state.snapshot_id);
    });
    expect(await tenant.countOf('outbox')).toBe(32);
  }, 120_000);

  it('loses no change of a person or a call that commit concurrently', async () => {
    const tenant = await kernel.newTenant();
    await tenant.write({ 'a.txt': 'a' });
    const { attempt } = await execution.perform(tenant, tenant.writeCall(await tenant.token()));
    const delta = await deltaFor(kernel, attempt, { 'a.txt': 'call' });
    const [reply] = await Promise.all([
      execution.commit.run(reportOf(attempt, delta)),
      ...[0, 1, 2, 3].map((at) => change(tenant, { [`p${at}.txt`]: 'person' })),
    ]);
    expect(reply).toMatchObject({ state: 'committed' });
    expect(await textsAt(kernel, tenant, ['a.txt', 'p0.txt', 'p3.txt'])).toEqual({
      'a.txt': 'call',
      'p0.txt': 'person',
      'p3.txt': 'person',
    });
  });

  it('that keeps changing stays as it is, and the change is refused as overloaded', async () => {
    const tenant = await kernel.newTenant();
    const lost = { make: () => Promise.resolve(null) } as unknown as Changes;
    const losing = new ChangeWorkspace(
      new HeadMoves(
        manage.tenancy,
        lost,
        kernel.blobs,
        new Trees(kernel.blobs),
        new Sizes(kernel.tenants, new Trees(kernel.blobs)),
      ),
      kernel.blobs,
    );
    expect((await refusalOf(change(tenant, { 'a.txt': 'a' }, undefined, losing))).code).toBe('overloaded');
  });

  it('rejects a content that was not stored for the tenant', async () => {
    const [tenant, other] = [await kernel.newTenant(), await kernel.newTenant()];
    const [theirs] = await uploadOf(other, { 'a.txt': `secret of ${other.tenantId}` });
    const never: Change = {
      path: 'b.txt',
      before: null,
      after: { kind: 'file', mode: '644', sha256: hashOf('never stored'), size: 12 },
    };
    for (const changes of [[theirs as Change], [never]]) {
      const asking = manage.changeWorkspace.run({
        ...requestBy(callerOf(tenant.tenantId)),
        workspace_id: tenant.workspaceId,
        changes,
      });
      expect(await refusalOf(asking)).toMatchObject({ code: 'request.malformed', pointer: '/changes' });
    }
    expect(await tenant.countOf('outbox')).toBe(0);
  });

  it('rejects a link whose target is not text', async () => {
    const tenant = await kernel.newTenant();
    const [stored] = await uploadOf(tenant, { link: 'two\nlines' });
    const { sha256, size } = stored?.after ?? { sha256: null, size: 0 };
    const changes: Change[] = [{ path: 'link', before: null, after: { kind: 'symlink', mode: null, sha256, size } }];
    const asking = manage.changeWorkspace.run({
      ...requestBy(callerOf(tenant.tenantId)),
      workspace_id: tenant.workspaceId,
      changes,
    });
    expect(await refusalOf(asking)).toMatchObject({ code: 'request.malformed', pointer: '/changes' });
  });

  it('rejects a change that is too large', async () => {
    const tenant = await kernel.newTenant();
    const huge: Change = {
      path: 'b',
      before: null,
      after: { kind: 'file', mode: '644', sha256: hashOf('b'), size: 2 ** 40 },
    };
    const asking = manage.changeWorkspace.run({
      ...requestBy(callerOf(tenant.tenantId)),
      workspace_id: tenant.workspaceId,
      changes: [huge],
    });
    expect((await refusalOf(asking)).code).toBe('limit.exceeded');
  });
});

describe('access to a workspace', () => {
  it.each(['agent', 'auditor'] as const)('is denied for creation and changes by the role %s', async (role) => {
    const tenant = await kernel.newTenant();
    const caller = callerOf(tenant.tenantId, role, tenant.agentId);
    expect((await refusalOf(manage.createWorkspace.run({ ...requestBy(caller), name: 'x' }))).code).toBe('auth.role');
    expect((await refusalOf(change(tenant, { 'a.txt': 'a' }, caller))).code).toBe('auth.role');
    expect(await tenant.countOf('outbox')).toBe(0);
  });

  it("is denied for states by an agent's key, since agents read by calls, within their token", async () => {
    const tenant = await kernel.newTenant();
    const asked = requestBy(callerOf(tenant.tenantId, 'agent', tenant.agentId));
    expect(
      (await refusalOf(manage.workspaces.snapshot({ ...asked, workspace_id: tenant.workspaceId, snapshot_id: null })))
        .code,
    ).toBe('auth.role');
    expect(await manage.workspaces.read({ ...asked, workspace_id: tenant.workspaceId })).toMatchObject({
      head_snapshot_id: tenant.head,
    });
  });

  it("gets the same answer for another tenant's workspace and an unknown one, on every verb", async () => {
    const [mine, theirs] = [await kernel.newTenant(), await kernel.newTenant()];
    await theirs.write({ 'a.txt': 'a' });
    const asked = requestBy(callerOf(mine.tenantId));
    const changes = await uploadOf(mine, { 'a.txt': 'mine' });
    for (const workspace_id of [theirs.workspaceId, newId('workspace'), 'x\0']) {
      const answers = await Promise.all(
        [
          manage.workspaces.read({ ...asked, workspace_id }),
          manage.workspaces.snapshots({ ...asked, workspace_id, page: { cursor: null, limit: 1 } }),
          manage.workspaces.snapshot({ ...asked, workspace_id, snapshot_id: theirs.head }),
          manage.changeWorkspace.run({ ...asked, workspace_id, changes }),
        ].map(refusalOf),
      );
      expect(answers).toEqual(Array(4).fill(NOT_FOUND));
    }
    expect(
      (await manage.workspaces.list({ ...asked, page: { cursor: null, limit: 200 } })).items.map(
        (item) => item.workspace_id,
      ),
    ).toEqual([mine.workspaceId]);
  });

  it("is given only to states of the workspace's own history", async () => {
    const tenant = await kernel.newTenant();
    const asked = requestBy(callerOf(tenant.tenantId, 'auditor'));
    const first = (await change(tenant, { 'a.txt': '1' })).head_snapshot_id;
    const second = (await change(tenant, { 'a.txt': '2' })).head_snapshot_id;
    const other = await manage.createWorkspace.run({ ...requestBy(callerOf(tenant.tenantId)), name: 'other' });
    const vouch = (workspace_id: string, snapshot_id: string | null) =>
      manage.workspaces.snapshot({ ...asked, workspace_id, snapshot_id });
    expect(await vouch(tenant.workspaceId, null)).toEqual({ snapshot_id: second });
    expect(await vouch(tenant.workspaceId, first)).toEqual({ snapshot_id: first });
    for (const id of [`snap_${'0'.repeat(64)}`, 'snap_x', '\0'])
      expect(await refusalOf(vouch(tenant.workspaceId, id))).toEqual(NOT_FOUND);
    expect(await refusalOf(vouch(other.workspace_id, first))).toEqual(NOT_FOUND);
  });

  it('includes a list that can be read to its end', async () => {
    const tenant = await kernel.newTenant();
    const asked = requestBy(callerOf(tenant.tenantId));
    const made = [tenant.workspaceId];
    for (let at = 0; at < 6; at += 1)
      made.push((await manage.createWorkspace.run({ ...asked, name: `w${at}` })).workspace_id);
    const pages = await pagesOf(3, (page) => manage.workspaces.list({ ...asked, page }));
    expect(pages.flat().map((workspace) => workspace.workspace_id)).toEqual(made.toReversed());
  });
});
