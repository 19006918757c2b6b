// SPDX-License-Identifier: Apache-2.0
import type { Change, FileState, KernelRequest, WorkspaceView } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { textsAt } from '../../specs/test-executor.ts';
import { requestBy, callerOf, refusalOf, type TestManagement } from '../../specs/test-management.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { hashOf, type TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let manage: TestManagement;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
});

type ImportOverrides = Partial<Pick<KernelRequest<'workspace.import'>, 'path' | 'replace' | 'caller'>>;
async function importFiles(
  tenant: TestTenant,
  states: Readonly<Record<string, FileState>>,
  wish: ImportOverrides = {},
): Promise<WorkspaceView> {
  const changes = Object.entries(states).map(([path, after]): Change => ({ path, before: null, after }));
  const changes_ref = await kernel.blobs.put(tenant.tenantId, Buffer.from(JSON.stringify(changes)));
  return await manage.importWorkspace.run({
    ...requestBy(callerOf(tenant.tenantId)),
    workspace_id: tenant.workspaceId,
    changes_ref,
    path: '',
    replace: false,
    ...wish,
  });
}
const file = async (tenant: TestTenant, text: string): Promise<FileState> => ({
  kind: 'file',
  mode: '644',
  ...(await kernel.blobs.put(tenant.tenantId, Buffer.from(text))),
});

describe('an import', () => {
  it("is one recorded change; paths that it doesn't name stay", async () => {
    const tenant = await kernel.newTenant();
    await tenant.write({ 'kept.txt': 'k', 'a.txt': 'old' });
    const view = await importFiles(tenant, {
      'a.txt': await file(tenant, 'new'),
      'deep/b.txt': await file(tenant, 'b'),
    });
    expect(await textsAt(kernel, tenant, ['kept.txt', 'a.txt', 'deep/b.txt'])).toEqual({
      'kept.txt': 'k',
      'a.txt': 'new',
      'deep/b.txt': 'b',
    });
    expect((await tenant.records()).at(-1)).toMatchObject({
      kind: 'workspace',
      new_snapshot_id: view.head_snapshot_id,
      change: { verb: 'workspace_imported' },
    });
  });

  it('that replaces a directory deletes everything else in it, and nothing beside it', async () => {
    const tenant = await kernel.newTenant();
    await tenant.write({ 'beside.txt': 's', 'in/old.txt': 'o', 'in/deep/older.txt': 'o', 'in/file-then.txt': 'f' });
    await importFiles(
      tenant,
      {
        'in/new/a.txt': await file(tenant, 'a'),
        'in/file-then.txt/now.txt': await file(tenant, 'n'),
        'in/file-then.txt': { kind: 'dir', mode: null, sha256: null, size: 0 },
      },
      { path: 'in', replace: true },
    );
    expect(
      await textsAt(kernel, tenant, [
        'beside.txt',
        'in/old.txt',
        'in/deep/older.txt',
        'in/new/a.txt',
        'in/file-then.txt/now.txt',
      ]),
    ).toEqual({
      'beside.txt': 's',
      'in/old.txt': null,
      'in/deep/older.txt': null,
      'in/new/a.txt': 'a',
      'in/file-then.txt/now.txt': 'n',
    });
  });

  it('of missing contents, outside its directory or by another role changes nothing', async () => {
    const tenant = await kernel.newTenant();
    const stored = await file(tenant, 'x');
    const never: FileState = { kind: 'file', mode: '644', sha256: hashOf('never stored'), size: 12 };
    const asking = [
      importFiles(tenant, { 'a.txt': never }),
      importFiles(tenant, { 'a.txt': stored }, { path: 'in' }),
      importFiles(tenant, { 'a.txt': stored, 'a.txt/b': stored }),
      importFiles(tenant, { '../a.txt': stored }),
      importFiles(tenant, { 'a.txt': stored }, { caller: callerOf(tenant.tenantId, 'auditor') }),
    ];
    expect((await Promise.all(asking.map(refusalOf))).map(({ code }) => code)).toEqual([
      'request.malformed',
      'request.malformed',
      'request.malformed',
      'path.escape',
      'auth.role',
    ]);
    expect(await tenant.countOf('outbox')).toBe(0);
  });

  it('of thousands of files in one directory is complete', async () => {
    const tenant = await kernel.newTenant();
    const state = await file(tenant, 'same');
    await importFiles(tenant, Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`flat/f${at}.txt`, state])));
    expect(await textsAt(kernel, tenant, ['flat/f0.txt', 'flat/f4999.txt'])).toEqual({
      'flat/f0.txt': 'same',
      'flat/f4999.txt': 'same',
    });
  });
});
