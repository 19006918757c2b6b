// SPDX-License-Identifier: Apache-2.0
//
// Contents that executors store of calls: which ones a report may name, and who can open them afterwards.
import type { BlobRef, Caller, ReportRequest } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { openContent, sealContent, sealedRef } from '@writ/sealing';
import { ReadRequests, ReadResult } from '../../management/operation-queries/index.ts';
import { openStaged, type StagedCall } from '../effects/index.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import {
  deltaFor,
  putSealed,
  reportOf,
  sealOf,
  WRITTEN,
  type Attempt,
  type TestExecution,
} from '../../specs/test-executor.ts';
import { requestBy, callerOf } from '../../specs/test-management.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { shownEffectDigest } from '../../specs/shown-effect.ts';
import { newId } from '@writ/nest-kit';

const BYTES = canonicalBytes(WRITTEN);
const SHORT = { result: null, result_hash: sha256Hex(BYTES) };
const LINE = {
  at_ms: 1,
  method: 'GET',
  target: 'https://a.example/',
  purpose: '',
  outcome: 'refused' as const,
  reason: null,
  address: null,
  status: null,
  sent_bytes: 0,
  received_bytes: 0,
};

let kernel: TestKernel;
let run: TestExecution;
let tenant: TestTenant;
let token: string;
let attempt: Attempt;
openKernelSpec((on) => {
  ({ kernel, run } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  token = await tenant.token();
  kernel.policy.answer = () => AUTOPILOT;
  ({ attempt } = await run.perform(tenant, tenant.writeCall(token)));
});

const put = async (stored: Uint8Array): Promise<BlobRef> => sealedRef(await kernel.blobs.put(tenant.tenantId, stored));
const report = async (more: Partial<ReportRequest>) =>
  await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'x' }), more));
const reportResult = async (result_ref: BlobRef) => await report({ ...SHORT, result_ref });
const readResult = (
  caller: Caller = callerOf(tenant.tenantId),
  vault = kernel.vault,
  operation_id = attempt.operation_id,
) => new ReadResult(kernel.tenants, vault.calls).run({ ...requestBy(caller), operation_id });
const openedResult = async (of: { ref: BlobRef | null; opens: { key: string; attempt: number } | null }) =>
  openContent(
    {
      key: Buffer.from(of.opens!.key, 'base64'),
      tenantId: tenant.tenantId,
      operationId: attempt.operation_id,
      attempt: of.opens!.attempt,
    },
    'result',
    await kernel.blobs.get(tenant.tenantId, of.ref!.sha256),
  );
const withoutKey = () => kernel.admin.query('DELETE FROM kernel.payload_key WHERE tenant_id = $1', [tenant.tenantId]);
/** Everything that the database stores of the tenant's calls, and the tenant's records. */
const kept = async () =>
  JSON.stringify([
    (
      await kernel.admin.query(
        'SELECT to_jsonb(o) AS o, to_jsonb(y) AS y FROM kernel.operation o JOIN kernel.payload y USING (operation_id) WHERE o.tenant_id = $1',
        [tenant.tenantId],
      )
    ).rows,
    await tenant.records(),
  ]);
/** One byte of it changed, after the part that shows that it is sealed. */
function changedByte(sealed: Buffer): Buffer {
  sealed.writeUInt8(sealed.readUInt8(30) ^ 1, 30);
  return sealed;
}

describe('a long result', () => {
  it('is accepted where it is sealed as that of its attempt, and opens for everyone who may see the call', async () => {
    const ref = await putSealed(kernel, attempt, 'result', BYTES);
    expect(await reportResult(ref)).toMatchObject({ state: 'committed' });
    const { result } = await kernel.views.of(await tenant.row(attempt.operation_id));
    expect(result).toMatchObject({ result: null, result_ref: ref, result_hash: sha256Hex(BYTES) });
    expect(Object.keys(result!.result_ref!)).toEqual(['sha256', 'size']);
    expect(await openedResult(await readResult())).toEqual(Buffer.from(BYTES));
    expect(await readResult(callerOf(tenant.tenantId, 'agent', tenant.agentId))).toMatchObject({ ref });
    expect(await kept()).not.toContain(attempt.contentKey);
  });

  it.each<[string, () => Promise<BlobRef>]>([
    ['stored in clear', async () => await kernel.blobs.put(tenant.tenantId, BYTES)],
    ['stored in clear, and reported as shorter by the size of a seal', async () => await put(BYTES)],
    [
      'sealed for another call',
      async () => await put(sealContent({ ...sealOf(attempt), operationId: newId('operation') }, 'result', BYTES)),
    ],
    [
      'sealed for another attempt',
      async () => await put(sealContent({ ...sealOf(attempt), attempt: 2 }, 'result', BYTES)),
    ],
    ['sealed as a list of requests', async () => await put(sealContent(sealOf(attempt), 'requests', BYTES))],
    [
      'sealed under a key of another call',
      async () =>
        await put(
          sealContent(
            { ...sealOf(attempt), key: sealOf((await run.perform(tenant, tenant.writeCall(token))).attempt).key },
            'result',
            BYTES,
          ),
        ),
    ],
    ['changed by a byte', async () => await put(changedByte(sealContent(sealOf(attempt), 'result', BYTES)))],
    [
      'sealed for a preview of the same number',
      async () => {
        const { key } = (await kernel.vault.calls.contentSeal(
          await tenant.row(attempt.operation_id),
          attempt.attempt,
          'preview',
        ))!;
        return await put(sealContent({ ...sealOf(attempt), key }, 'result', BYTES));
      },
    ],
  ])('that is %s is no effect', async (_, stores) => {
    expect(await reportResult(await stores())).toMatchObject({ state: 'rolled_back' });
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ fault_code: 'effect.invalid', result_ref: null });
  });

  it('is shown to its tenant alone, and of agents only to the one whose call it was', async () => {
    await reportResult(await putSealed(kernel, attempt, 'result', BYTES));
    const theirs = await kernel.newTenant();
    for (const caller of [callerOf(theirs.tenantId), callerOf(tenant.tenantId, 'agent', newId('agent'))])
      await expect(readResult(caller)).rejects.toMatchObject({ code: 'not_found' });
  });

  it("doesn't open any more once the key of its call was erased, even if its row came back", async () => {
    await reportResult(await putSealed(kernel, attempt, 'result', BYTES));
    await withoutKey();
    expect(await readResult(undefined, kernel.newVault())).toEqual({ v: 1, ref: null, opens: null });
  });

  it("from before contents were sealed is named without a key; a short one isn't named", async () => {
    const ref = await kernel.blobs.put(tenant.tenantId, BYTES);
    await report({});
    expect(await readResult()).toEqual({ v: 1, ref: null, opens: null });
    await tenant.query('UPDATE kernel.operation SET result_ref = $2 WHERE operation_id = $1', [
      attempt.operation_id,
      JSON.stringify(ref),
    ]);
    expect(await readResult()).toEqual({ v: 1, ref, opens: null });
  });

  it('of a call that was admitted before calls had keys is under a key of its tenant', async () => {
    const row = { ...(await tenant.row(attempt.operation_id)), payload_key: null };
    const seals = await Promise.all(
      [kernel.vault, kernel.newVault()].map((vault) => vault.calls.contentSeal(row, 1, 'run')),
    );
    expect(seals[0]?.key.equals(seals[1]!.key)).toBe(true);
    expect(seals[0]?.key.equals(sealOf(attempt).key as Buffer)).toBe(false);
  });
});

describe('a long list of requests', () => {
  const list = canonicalBytes([LINE, LINE]);
  const listed = async () =>
    await new ReadRequests(kernel.tenants, kernel.vault).run({
      ...requestBy(callerOf(tenant.tenantId)),
      operation_id: attempt.operation_id,
      page: { cursor: null, limit: 10 },
    });

  it('is read where it is sealed, and its hash is that of its text', async () => {
    expect(await report({ requests_ref: await putSealed(kernel, attempt, 'requests', list) })).toMatchObject({
      state: 'committed',
    });
    expect(await listed()).toMatchObject({ total: 2, hash: sha256Hex(list) });
  });

  it.each<[string, () => Promise<BlobRef>]>([
    ['stored in clear', async () => await kernel.blobs.put(tenant.tenantId, list)],
    ['sealed as a result', async () => await put(sealContent(sealOf(attempt), 'result', list))],
  ])('that is %s is no effect', async (_, stores) => {
    expect(await report({ requests_ref: await stores() })).toMatchObject({ state: 'rolled_back' });
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ fault_code: 'effect.invalid' });
  });
});

describe('the long result of a preview', () => {
  const operator = () => callerOf(tenant.tenantId, 'operator');
  const show = async ({ approval_id }: { approval_id: string | null }) =>
    (await kernel.approvals.read({ ...requestBy(operator()), approval_id: approval_id ?? '' })).preview;
  const approve = async ({ approval_id }: { approval_id: string | null }) =>
    await kernel.decide.run({
      ...requestBy(operator()),
      approval_id: approval_id ?? '',
      decision: 'approve',
      comment: null,
      effect_digest: await shownEffectDigest(kernel, tenant.tenantId, approval_id),
    });
  async function held(more: (of: Attempt) => Promise<Partial<ReportRequest>>) {
    kernel.policy.answer = requires('soft_gate');
    const view = await kernel.admit.run(tenant.writeCall(token), null);
    await run.preview(tenant, view, { 'a.txt': 'shown' }, async (of) => {
      attempt = of;
      return await more(of);
    });
    return view;
  }
  const sealed = async (of: Attempt) => ({
    ...SHORT,
    result_ref: await putSealed(kernel, of, 'result', BYTES),
    requests_ref: await putSealed(kernel, of, 'requests', canonicalBytes([])),
  });

  it("is shown to the person who decides, and is the call's result once its effect is approved", async () => {
    const view = await held(sealed);
    expect(await show(view)).toMatchObject({ state: 'ready', output: WRITTEN });
    expect(await approve(view)).toMatchObject({
      state: 'committed',
      attempt: 0,
      result: { result: null, result_hash: sha256Hex(BYTES) },
    });
    expect(await openedResult(await readResult())).toEqual(Buffer.from(BYTES));
  });

  it('that is stored in clear is no effect to approve', async () => {
    expect(
      await show(await held(async () => ({ ...SHORT, result_ref: await kernel.blobs.put(tenant.tenantId, BYTES) }))),
    ).toMatchObject({ state: 'failed' });
  });

  it('that was staged before contents were sealed is shown, checked and committed in clear', async () => {
    const view = await held(sealed);
    const { tenant_id, operation_id, payload_key } = await tenant.row(view.operation_id);
    const {
      rows: [row],
    } = await kernel.admin.query<{ staged: string }>(
      `SELECT encode(staged, 'base64') AS staged FROM kernel.payload WHERE operation_id = $1`,
      [operation_id],
    );
    const { sealed: _by, ...staged } = await openStaged(kernel.vault, tenant_id, operation_id, row?.staged ?? '');
    const before: StagedCall = {
      ...staged,
      result_ref: await kernel.blobs.put(tenant_id as never, BYTES),
      requests_ref: await kernel.blobs.put(tenant_id as never, canonicalBytes([])),
    };
    await tenant.query('UPDATE kernel.payload SET staged = $2 WHERE operation_id = $1', [
      operation_id,
      await kernel.vault.calls.seal(
        { tenant_id, operation_id, payload_key },
        'staged',
        Buffer.from(JSON.stringify(before)),
      ),
    ]);
    expect(await show(view)).toMatchObject({ output: WRITTEN });
    expect(await approve(view)).toMatchObject({ state: 'committed' });
    expect(await readResult(undefined, undefined, operation_id)).toEqual({ v: 1, ref: before.result_ref, opens: null });
  });
});

describe('the content key of a redemption', () => {
  it('is a key of its attempt alone: no other attempt, call or mode has it', async () => {
    const row = await tenant.row(attempt.operation_id);
    const other = (await run.perform(tenant, tenant.writeCall(token))).attempt;
    const keyOf = async (...[n, mode]: [number, 'run' | 'preview']) =>
      (await kernel.vault.calls.contentSeal(row, n, mode))?.key.toString('base64');
    const keys = [attempt.contentKey, other.contentKey, await keyOf(2, 'run'), await keyOf(1, 'preview')];
    expect(keys[0]).toBe(await keyOf(1, 'run'));
    expect(new Set(keys).size).toBe(4);
  });
});
