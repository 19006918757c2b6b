// SPDX-License-Identifier: Apache-2.0
import { pgBlobs, pgBlobSweep } from '@writ/blobs-pg';
import type { BlobStore } from '@writ/blobs';
import type { Change, FileState, ReportRequest } from '@writ/contract';
import { canonicalBytes } from '@writ/digest';
import { deltaOf, emptyTree, parseNode, parseSnapshotId } from '@writ/workspace';
import { InlineTaskRunner } from '@writ/worker-pool';
import fc from 'fast-check';
import { kernelTasks } from '../../kernel.worker.ts';
import { stageCall } from '../../execution/effects/index.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { requestBy, callerOf, type TestManagement } from '../../specs/test-management.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { hashOf, type TestTenant } from '../../specs/test-tenant.ts';
import { Skills } from '../skills/index.ts';
import { Sizes } from '../../foundation/workspace/sizes.ts';
import { Trees } from '../../foundation/workspace/trees.ts';
import { OutputSweeper } from '../../execution/sweep/index.ts';
import { ChangeWorkspace, HeadMoves } from '../workspaces/index.ts';
import { Collect, GcRoots } from './index.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

let kernel: TestKernel;
let manage: TestManagement;
let blobs: BlobStore;
let collect: Collect;
let changeWorkspace: ChangeWorkspace;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
  blobs = pgBlobs(kernel.tenants.pool);
  changeWorkspace = new ChangeWorkspace(
    new HeadMoves(manage.tenancy, manage.changes, blobs, new Trees(blobs), new Sizes(kernel.tenants, new Trees(blobs))),
    blobs,
  );
  const names = new GcRoots(manage.tenancy, blobs, kernel.vault, new InlineTaskRunner(kernelTasks));
  collect = new Collect(kernel.workers, names, pgBlobSweep(kernel.tenants.pool), manage.changes, {
    everyMs: DAY_MS,
    graceMs: DAY_MS,
  });
});

/** A tenant whose first state is in the real store, and a waiting call of it. */
async function newTenant(): Promise<{ tenant: TestTenant; operationId: string }> {
  const tenant = await kernel.newTenant();
  const call = tenant.writeCall(await tenant.token());
  await kernel.admit.run(call, null);
  await blobs.putMany(
    tenant.tenantId,
    emptyTree().nodes.map(({ bytes }) => bytes),
  );
  await tenant.query(
    `INSERT INTO kernel.snapshot (workspace_id, seq, tenant_id, snapshot_id, kind) VALUES ($1, 0, $2, $3, 'created')`,
    [tenant.workspaceId, tenant.tenantId, tenant.head],
  );
  return { tenant, operationId: call.operation_id };
}
const put = async ({ tenantId }: TestTenant, text: string): Promise<FileState> => ({
  kind: 'file',
  mode: '644',
  ...(await blobs.put(tenantId, Buffer.from(text))),
});
async function change(tenant: TestTenant, files: Readonly<Record<string, string | null>>): Promise<string> {
  const changes = await Promise.all(
    Object.entries(files).map(async ([path, text]): Promise<Change> => ({
      path,
      before: null,
      after: text === null ? null : await put(tenant, text),
    })),
  );
  return (
    await changeWorkspace.run({ ...requestBy(callerOf(tenant.tenantId)), workspace_id: tenant.workspaceId, changes })
  ).head_snapshot_id;
}
/** Ages all contents of the tenant by three days. */
const age = (tenant: TestTenant) =>
  tenant.query(`UPDATE blobs.blob SET touched_at = now() - interval '3 days' WHERE tenant_id = $1`, [tenant.tenantId]);
const run = async (tenant: TestTenant) => await collect.run(tenant.tenantId, Date.now());
async function isThere({ tenantId }: TestTenant, sha256: string): Promise<boolean> {
  const { rows } = await kernel.admin.query('SELECT 1 FROM blobs.blob WHERE tenant_id = $1 AND sha256 = $2', [
    tenantId,
    Buffer.from(sha256, 'hex'),
  ]);
  return rows.length === 1;
}
/** Stages an effect with a text, as a held call has it. */
async function stage(tenant: TestTenant, operationId: string, text: string): Promise<void> {
  const snapshot = `snap_${emptyTree().root}`;
  const result_ref = await blobs.put(tenant.tenantId, Buffer.from(`result of ${text}`));
  const report = {
    tenant_id: tenant.tenantId,
    operation_id: operationId,
    ended: 'exited',
    exit_code: 0,
    result: null,
    result_ref,
    result_hash: result_ref.sha256,
    requests: [],
    requests_ref: null,
    usage: {},
  } as unknown as ReportRequest;
  const delta = deltaOf(snapshot, [{ path: 'staged.txt', before: null, after: await put(tenant, text) }]);
  const sealed = await stageCall(
    blobs,
    kernel.vault,
    { tenant_id: tenant.tenantId, operation_id: operationId, payload_key: null },
    { report, snapshot, digest: hashOf(text), bytes: canonicalBytes(delta), contents: new Map() },
  );
  await tenant.query('UPDATE kernel.payload SET staged = $2 WHERE operation_id = $1', [operationId, sealed]);
}
const unstage = (tenant: TestTenant, operationId: string) =>
  tenant.query('UPDATE kernel.payload SET staged = NULL WHERE operation_id = $1', [operationId]);
/** Reads every content of every state of the history, and every delta. */
async function readHistory(tenant: TestTenant): Promise<void> {
  const { items } = await manage.workspaces.snapshots({
    ...requestBy(callerOf(tenant.tenantId)),
    workspace_id: tenant.workspaceId,
    page: { cursor: null, limit: 200 },
  });
  const read = async (sha256: string, isDirectory: boolean): Promise<void> => {
    const bytes = await blobs.get(tenant.tenantId, sha256);
    if (isDirectory) for (const entry of parseNode(bytes)) await read(entry.sha256, entry.kind === 'dir');
  };
  for (const { snapshot_id, delta_id } of items) {
    await read(parseSnapshotId(snapshot_id), true);
    if (delta_id !== null) await blobs.get(tenant.tenantId, delta_id.slice(6));
  }
}

describe('a collection', () => {
  it('deletes old unreachable contents, and records them before', async () => {
    const { tenant } = await newTenant();
    await change(tenant, { 'a.txt': 'first', 'deep/b.txt': 'b' });
    await change(tenant, { 'a.txt': 'second', deep: null });
    const rubbish = await put(tenant, 'rubbish');
    expect(await run(tenant)).toEqual({ contents: 0, bytes: 0, parts: 0, documents: 0 });
    await age(tenant);
    const before = await tenant.countOf('outbox');
    expect(await run(tenant)).toEqual({ contents: 1, bytes: 7, parts: 0, documents: 0 });
    expect((await tenant.records()).slice(before)).toMatchObject([
      { kind: 'change', actor: 'kernel', change: { verb: 'contents_collected', subject: tenant.tenantId } },
    ]);
    expect(await isThere(tenant, rubbish.sha256!)).toBe(false);
    await readHistory(tenant);
    expect(await run(tenant)).toEqual({ contents: 0, bytes: 0, parts: 0, documents: 0 });
    expect(await tenant.countOf('outbox')).toBe(before + 1);
  });

  it('keeps the contents of every version of a skill until it is removed', async () => {
    const { tenant } = await newTenant();
    const skills = new Skills(manage.tenancy, manage.changes, blobs);
    const caller = callerOf(tenant.tenantId);
    const texts = ['one', 'two'].map((text) => `---\nname: release\ndescription: ${text}\n---\n`);
    for (const text of texts)
      await skills.put({
        ...requestBy(caller),
        files: [{ path: 'SKILL.md', ref: await blobs.put(tenant.tenantId, Buffer.from(text)) }],
      });
    const left = async (): Promise<boolean[]> => await Promise.all(texts.map((text) => isThere(tenant, hashOf(text))));
    await age(tenant);
    await run(tenant);
    expect(await left()).toEqual([true, true]);
    await skills.remove({ ...requestBy(caller), name: 'release' });
    await age(tenant);
    await run(tenant);
    expect(await left()).toEqual([false, false]);
  });

  it('keeps staged effects, arguments and results until nothing references them', async () => {
    const { tenant, operationId } = await newTenant();
    await stage(tenant, operationId, 'staged');
    const [args, result] = [await put(tenant, 'long arguments'), await put(tenant, 'long result')];
    const refOf = ({ sha256, size }: FileState): string => JSON.stringify({ sha256, size });
    await tenant.query('UPDATE kernel.payload SET args_ref = $2 WHERE operation_id = $1', [operationId, refOf(args)]);
    await tenant.query('UPDATE kernel.operation SET result_ref = $2 WHERE operation_id = $1', [
      operationId,
      refOf(result),
    ]);
    await age(tenant);
    expect(await run(tenant)).toMatchObject({ contents: 0 });
    await unstage(tenant, operationId);
    // The content of the effect, its delta and its result.
    expect(await run(tenant)).toMatchObject({ contents: 3 });
    for (const state of [args, result]) expect(await isThere(tenant, state.sha256!)).toBe(true);
  });

  it('keeps a full output until it expires', async () => {
    const { tenant, operationId } = await newTenant();
    const refOf = async (text: string): Promise<string> =>
      JSON.stringify({ ...(await blobs.put(tenant.tenantId, Buffer.from(text))), cut: false });
    await tenant.query(
      'INSERT INTO kernel.kept_output (operation_id, tenant_id, attempt, stdout_ref, stderr_ref, expires_at) VALUES ($1, $2, 1, $3, $4, kernel.now_ms())',
      [operationId, tenant.tenantId, await refOf('said'), await refOf('warned')],
    );
    await age(tenant);
    expect(await run(tenant)).toMatchObject({ contents: 0 });
    while ((await tenant.countOf('kept_output')) > 0) await new OutputSweeper(kernel.workers).sweep();
    expect(await run(tenant)).toMatchObject({ contents: 2, bytes: 10 });
  });

  it('reads a directory also where a file has the same bytes', async () => {
    const { tenant } = await newTenant();
    await change(tenant, { 'd/inner.txt': 'inner' });
    const head = parseSnapshotId(await change(tenant, { 'z.txt': 'z' }));
    const [directory] = parseNode(await blobs.get(tenant.tenantId, head)).filter(({ kind }) => kind === 'dir');
    const bytes = Buffer.from(await blobs.get(tenant.tenantId, directory!.sha256)).toString('utf8');
    await change(tenant, { d: null });
    await change(tenant, { 'a-file': bytes, 'z.txt': 'zz' });
    // The newest state is read first, so its file comes before any directory with these bytes.
    await tenant.query('DELETE FROM kernel.snapshot WHERE workspace_id = $1', [tenant.workspaceId]);
    await change(tenant, { 'zd/inner.txt': 'inner' });
    await age(tenant);
    await run(tenant);
    await readHistory(tenant);
    expect(await isThere(tenant, hashOf('inner'))).toBe(true);
  });

  it('deletes nothing where something is unreadable', async () => {
    const { tenant } = await newTenant();
    const head = await change(tenant, { 'd/a.txt': 'a' });
    const rubbish = await put(tenant, 'rubbish');
    await tenant.query('DELETE FROM blobs.blob WHERE tenant_id = $1 AND sha256 = $2', [
      tenant.tenantId,
      Buffer.from(parseSnapshotId(head), 'hex'),
    ]);
    await age(tenant);
    await expect(run(tenant)).rejects.toMatchObject({ code: 'blob.missing' });
    expect(await isThere(tenant, rubbish.sha256!)).toBe(true);
  });

  it('deletes nothing of another tenant, and runs once per tenant in a period', async () => {
    const [one, two] = [(await newTenant()).tenant, (await newTenant()).tenant];
    const theirs = await put(two, 'theirs');
    await age(two);
    await run(one);
    expect(await isThere(two, theirs.sha256!)).toBe(true);
    await kernel.admin.query('UPDATE kernel.tenant SET collected_at = kernel.now_ms()');
    expect(await collect.next()).toBeNull();
    await kernel.admin.query('UPDATE kernel.tenant SET collected_at = 0 WHERE tenant_id = $1', [two.tenantId]);
    const turns = await Promise.all([collect.next(), collect.next(), collect.next()]);
    expect(turns.filter((turn) => turn !== null)).toMatchObject([{ contents: 1 }]);
  });

  it('never deletes reachable contents, and in the end deletes all others, for random histories', async () => {
    const text = fc.integer({ min: 0, max: 9 }).map((n) => `text ${n}`);
    const step = fc.oneof(
      fc.record({
        do: fc.constant('change' as const),
        path: fc.constantFrom('a', 'b/c', 'b/d/e', 'f'),
        text: fc.option(text),
      }),
      fc.record({ do: fc.constant('put' as const), text }),
      fc.record({ do: fc.constant('stage' as const), text }),
      fc.constant({ do: 'unstage' as const }),
      fc.constant({ do: 'age' as const }),
      fc.constant({ do: 'collect' as const }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
        const { tenant, operationId } = await newTenant();
        const named = new Set<string>();
        const files = new Set<string>();
        let staged: string | null = null;
        for (const each of [...steps, { do: 'age' as const }, { do: 'collect' as const }]) {
          if (each.do === 'change' && (each.text !== null || files.has(each.path))) {
            await change(tenant, { [each.path]: each.text });
            if (each.text === null) files.delete(each.path);
            else {
              files.add(each.path);
              named.add(hashOf(each.text));
            }
          }
          if (each.do === 'put') await put(tenant, each.text);
          if (each.do === 'stage') await stage(tenant, operationId, (staged = each.text));
          if (each.do === 'unstage') {
            await unstage(tenant, operationId);
            staged = null;
          }
          if (each.do === 'age') await age(tenant);
          if (each.do === 'collect') {
            await run(tenant);
            await readHistory(tenant);
            for (const hash of [...named, ...(staged === null ? [] : [hashOf(staged), hashOf(`result of ${staged}`)])])
              expect(await isThere(tenant, hash)).toBe(true);
          }
        }
        const wanted = (n: number): boolean => named.has(hashOf(`text ${n}`)) || staged === `text ${n}`;
        for (let n = 0; n < 10; n += 1) if (!wanted(n)) expect(await isThere(tenant, hashOf(`text ${n}`))).toBe(false);
      }),
      { numRuns: 12 },
    );
  }, 180_000);
});

/**
 * Columns that reference contents and that `GcRoots` reads. The columns below reference none, or the same ones as
 * another column.
 */
const READ = [
  'kept_output.stderr_ref',
  'kept_output.stdout_ref',
  'operation.commit_delta_id',
  'operation.result_ref',
  'payload.args_ref',
  'payload.staged',
  'skill.contents',
  'snapshot.delta_id',
  'snapshot.snapshot_id',
  'workspace.head_snapshot_id',
];
/** The length of an output and its attempt; `kept_output` references it. */
const NO_REFERENCE = ['operation.whole_output'];
/** States of the history: every one of them was a head. */
const OF_A_HISTORY = [
  'operation.new_snapshot_id',
  'operation.state_snapshot_id',
  'preview.state_snapshot_id',
  'snapshot.parent_snapshot_id',
];

it('every column of the kernel that could reference a content is listed in this spec', async () => {
  const { rows } = await kernel.admin.query<{ name: string }>(`
    SELECT c.relname || '.' || a.attname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = 'kernel'::regnamespace AND c.relkind = 'r' AND a.attname ~ '(_ref|snapshot_id|delta_id|staged|sha256|blob|content.*|output)$' ORDER BY 1`);
  expect(rows.map(({ name }) => name).sort()).toEqual([...READ, ...NO_REFERENCE, ...OF_A_HISTORY].sort());
});
