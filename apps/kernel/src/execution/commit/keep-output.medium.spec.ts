// SPDX-License-Identifier: Apache-2.0
import type { OutputRefs } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import { openContent } from '@writ/sealing';
import { ReadOutput } from '../../management/operation-queries/index.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { newNonce, putSealed, reportOf, sealOf, type Attempt, type TestExecution } from '../../specs/test-executor.ts';
import { requestBy, callerOf } from '../../specs/test-management.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';
import { OutputSweeper } from '../sweep/index.ts';
import { KeepOutput } from './index.ts';

const KEPT_MS = 60_000;
const SHOWN = {
  exit_code: 0,
  signal: null,
  output: 'the beg\n[output cut: 6 more bytes]',
  truncated_bytes: 6,
  wall_ms: 1,
};

let kernel: TestKernel;
let run: TestExecution;
let tenant: TestTenant;
let attempt: Attempt;
let keep: KeepOutput;
let read: ReadOutput;
openKernelSpec((on) => {
  ({ kernel, run } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  ({ attempt } = await run.perform(
    tenant,
    tenant.writeCall(await tenant.token(), { tool_id: 'shell.run', args: { command: 'make' } }),
  ));
  keep = new KeepOutput(kernel.tenants, kernel.blobs, KEPT_MS);
  read = new ReadOutput(kernel.tenants, kernel.vault.calls);
});

async function refsOf(stdout = 'the beginning', stderr = '', cut = false): Promise<OutputRefs> {
  const put = async (kind: 'stdout' | 'stderr', text: string) => ({
    ...(await putSealed(kernel, attempt, kind, Buffer.from(text))),
    content_sha256: sha256Hex(Buffer.from(text)),
    cut,
  });
  return { stdout: await put('stdout', stdout), stderr: await put('stderr', stderr) };
}
const report = (output_refs?: OutputRefs, more = {}) =>
  reportOf(attempt, null, {
    exit_code: 0,
    result: SHOWN,
    ...(output_refs === undefined ? {} : { output_refs }),
    ...more,
  });
const ask = (stream: 'stdout' | 'stderr' = 'stdout', agent?: string, of = tenant) =>
  read.run({
    ...requestBy(
      agent === undefined
        ? callerOf(of.tenantId)
        : ({ ...callerOf(of.tenantId), role: 'agent', agent_id: agent } as ReturnType<typeof callerOf>),
    ),
    operation_id: attempt.operation_id,
    stream,
  });
const rows = async () =>
  (await kernel.admin.query('SELECT 1 FROM kernel.kept_output WHERE operation_id = $1', [attempt.operation_id]))
    .rowCount;
const sweep = () => new OutputSweeper(kernel.workers).sweep();

it('a full output is kept beside the result, and the view of the call has its address and its expiry', async () => {
  const refs = await refsOf();
  await keep.run(report(refs));
  expect(await run.commit.run(report(refs))).toMatchObject({ state: 'no_op' });
  const { result } = await kernel.views.of(await tenant.row(attempt.operation_id));
  expect(result).toMatchObject({
    result: SHOWN,
    whole_output: {
      href: `/v1/operations/${attempt.operation_id}/output`,
      stdout: { bytes: 13, cut: false },
      stderr: { bytes: 0, cut: false },
    },
  });
  const { expires_at } = result!.whole_output!;
  expect(await ask()).toEqual({
    v: 1,
    ref: refs.stdout,
    expires_at,
    opens: { key: attempt.contentKey ?? '', attempt: attempt.attempt },
  });
  expect((await ask('stderr')).ref).toEqual(refs.stderr);
  expect(await sweep()).toBe(0);
});

it('no digest covers a full output, and a report without it is one of an older executor', async () => {
  const digests = [];
  for (const refs of [await refsOf(), undefined]) {
    ({ attempt } = await run.perform(
      tenant,
      tenant.writeCall(await tenant.token(), { tool_id: 'shell.run', args: { command: 'make' } }),
    ));
    await keep.run(report(refs));
    await run.commit.run(report(refs));
    const { result_hash, effect_digest, state } = await tenant.row(attempt.operation_id);
    digests.push({ result_hash, effect_digest, state });
  }
  expect(digests[0]).toEqual(digests[1]);
  expect((await kernel.views.of(await tenant.row(attempt.operation_id))).result).not.toHaveProperty('whole_output');
  await expect(ask()).rejects.toMatchObject({
    code: 'output.not_kept',
    message: expect.stringContaining('shows all of its output'),
  });
});

it('only the executor that holds the attempt can keep an output, while it performs, and the first expiry counts', async () => {
  const refs = await refsOf();
  for (const other of [{ executor_id: newId('executor') }, { nonce: newNonce() }, { attempt: attempt.attempt + 1 }])
    await keep.run(report(refs, other));
  expect(await rows()).toBe(0);
  await keep.run(report(refs));
  await keep.run(report(await refsOf('another')));
  await run.commit.run(report(refs));
  await keep.run(report(await refsOf('too late')));
  expect((await ask()).ref).toEqual(refs.stdout);
});

it('the output of an abandoned attempt is not shown for the next one, which may keep its own', async () => {
  const refs = await refsOf('of the first');
  await keep.run(report(refs));
  await tenant.query(`UPDATE kernel.operation SET attempt = attempt + 1 WHERE operation_id = $1`, [
    attempt.operation_id,
  ]);
  await expect(ask()).rejects.toMatchObject({ code: 'output.not_kept' });
  attempt = { ...attempt, attempt: attempt.attempt + 1 };
  const own = await refsOf('of the second');
  await keep.run(report(own));
  expect((await ask()).ref).toEqual(own.stdout);
});

it("the key in the reply opens a kept output, and nothing does once its call's key was erased", async () => {
  await keep.run(report(await refsOf()));
  const { ref, opens } = await ask();
  const stored = await kernel.blobs.get(tenant.tenantId, ref.sha256);
  expect(openContent({ ...sealOf(attempt), key: Buffer.from(opens!.key, 'base64') }, 'stdout', stored).toString()).toBe(
    'the beginning',
  );
  const kept = await kernel.admin.query<{ stdout_ref: object }>(
    'SELECT stdout_ref FROM kernel.kept_output WHERE operation_id = $1',
    [attempt.operation_id],
  );
  expect(JSON.stringify(kept.rows)).not.toContain(opens!.key);
  await kernel.admin.query('DELETE FROM kernel.payload_key WHERE tenant_id = $1', [tenant.tenantId]);
  await expect(
    new ReadOutput(kernel.tenants, kernel.newVault().calls).run({
      ...requestBy(callerOf(tenant.tenantId)),
      operation_id: attempt.operation_id,
      stream: 'stdout',
    }),
  ).rejects.toMatchObject({ code: 'output.not_kept' });
});

it('an output from before outputs were sealed is read in clear', async () => {
  const refs = await refsOf();
  await keep.run(report(refs));
  const before = { ...(await kernel.blobs.put(tenant.tenantId, Buffer.from('of before'))), cut: false };
  await kernel.admin.query('UPDATE kernel.kept_output SET stdout_ref = $2 WHERE operation_id = $1', [
    attempt.operation_id,
    JSON.stringify(before),
  ]);
  expect(await ask()).toEqual({ v: 1, ref: before, expires_at: expect.any(Number) });
});

it.each([
  [
    'that was not stored',
    (refs: OutputRefs): OutputRefs => ({ ...refs, stdout: { ...refs.stdout, sha256: '0'.repeat(64) } }),
    'was not stored',
  ],
  [
    'of another size than it has',
    (refs: OutputRefs): OutputRefs => ({ ...refs, stderr: { ...refs.stderr, size: 1 } }),
    'of another size',
  ],
  [
    'that was stored in clear',
    async (refs: OutputRefs): Promise<OutputRefs> => ({
      ...refs,
      stdout: { ...(await kernel.blobs.put(tenant.tenantId, Buffer.from('the beginning'))), cut: false },
    }),
    'of another size',
  ],
])('a report of an output %s keeps none, and its call ends as `effect.invalid`', async (_, lie, message) => {
  const refs = await lie(await refsOf());
  await keep.run(report(refs));
  expect(await rows()).toBe(0);
  expect(await run.commit.run(report(refs))).toMatchObject({ state: 'rolled_back' });
  expect(await tenant.row(attempt.operation_id)).toMatchObject({
    fault_code: 'effect.invalid',
    fault_message: expect.stringContaining(message),
  });
});

it('a full output is shown to its tenant alone, and of agents only to the one whose call it was', async () => {
  await keep.run(report(await refsOf()));
  const theirs = await kernel.newTenant();
  await expect(ask('stdout', undefined, theirs)).rejects.toMatchObject({ code: 'not_found' });
  await expect(ask('stdout', newId('agent'))).rejects.toMatchObject({ code: 'not_found' });
  expect((await ask('stdout', tenant.agentId)).ref.size).toBe(13);
});

it('a full output is gone from its expiry on, and its row is swept; the expiry remains visible', async () => {
  keep = new KeepOutput(kernel.tenants, kernel.blobs, 0);
  await keep.run(report(await refsOf()));
  await run.commit.run(report());
  await expect(ask()).rejects.toMatchObject({
    code: 'output.not_kept',
    message: expect.stringMatching(/stored until 20\d\d-.*Z$/),
  });
  expect(await rows()).toBe(1);
  expect(await sweep()).toBeGreaterThanOrEqual(1);
  expect(await rows()).toBe(0);
  await expect(ask()).rejects.toMatchObject({
    code: 'output.not_kept',
    message: expect.stringMatching(/stored until/),
  });
});

describe("a tenant's bound on its kept outputs", () => {
  const boundTo = async (bytes: number | null) =>
    await tenant.query('UPDATE kernel.tenant SET outputs_bytes_max = $1', [bytes]);
  const another = async () =>
    ({
      ...(await run.perform(
        tenant,
        tenant.writeCall(await tenant.token(), { tool_id: 'shell.run', args: { command: 'make' } }),
      )),
    }).attempt;
  const wholeOf = async (of: Attempt) => (await tenant.row(of.operation_id)).whole_output;

  it('keeps what fits and nothing more; the call ends as it would, and its view shows that', async () => {
    await boundTo(13 + 6);
    await keep.run(report(await refsOf()));
    attempt = await another();
    const refs = await refsOf('seven b');
    await keep.run(report(refs));
    expect(await rows()).toBe(0);
    expect(await run.commit.run(report(refs))).toMatchObject({ state: 'no_op' });
    const { result } = await kernel.views.of(await tenant.row(attempt.operation_id));
    expect(result).toMatchObject({
      result: SHOWN,
      whole_output: { stdout: { bytes: 7, cut: false }, expires_at: null },
    });
    await expect(ask()).rejects.toMatchObject({
      code: 'output.not_kept',
      message: expect.stringContaining('`outputs_bytes_max`'),
    });
    attempt = await another();
    await keep.run(report(await refsOf('six by')));
    expect((await ask()).ref.size).toBe(6);
  });

  it("doesn't count expired outputs, nor those of an earlier attempt of the same call", async () => {
    await boundTo(13);
    await keep.run(report(await refsOf()));
    await tenant.query('UPDATE kernel.operation SET attempt = attempt + 1 WHERE operation_id = $1', [
      attempt.operation_id,
    ]);
    attempt = { ...attempt, attempt: attempt.attempt + 1 };
    await keep.run(report(await refsOf('of the second')));
    expect(await wholeOf(attempt)).toMatchObject({ attempt: attempt.attempt, expires_at: expect.any(Number) });
    await kernel.admin.query('UPDATE kernel.kept_output SET expires_at = 1 WHERE operation_id = $1', [
      attempt.operation_id,
    ]);
    attempt = await another();
    await keep.run(report(await refsOf()));
    expect(await wholeOf(attempt)).toMatchObject({ expires_at: expect.any(Number) });
  });

  it('holds for any number of calls that end at once', async () => {
    await boundTo(40);
    const attempts = await Promise.all(Array.from({ length: 8 }, another));
    const refs = await refsOf();
    await Promise.all(
      attempts.map((each) => keep.run(reportOf(each, null, { exit_code: 0, result: SHOWN, output_refs: refs }))),
    );
    const kept = (await Promise.all(attempts.map(wholeOf))).filter(
      (whole) => whole !== null && whole.expires_at !== null,
    );
    expect(kept).toHaveLength(3);
    expect(
      (await kernel.admin.query('SELECT kernel.outputs_held($1, NULL)::integer AS held', [tenant.tenantId])).rows,
    ).toEqual([{ held: 39 }]);
  });
});
