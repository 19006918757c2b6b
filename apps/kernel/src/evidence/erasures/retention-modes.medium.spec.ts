// SPDX-License-Identifier: Apache-2.0
import type { EgressRequest, KernelRequest } from '@writ/contract';
import { keySetOf, verifyLeaf } from '@writ/receipt';
import { ReadRequests } from '../../management/operation-queries/index.ts';
import { EMPTY, MARKER, openErasureSpec, type ErasureScene } from '../../specs/erasure-spec.ts';
import { credentialsOf, reportOf, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requestBy, type TestManagement } from '../../specs/test-management.ts';
import { AUTOPILOT, requires } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

const AFTER_MS = 60_000;

let scene: ErasureScene;
let kernel: TestKernel;
let run: TestExecution;
let manage: TestManagement;
let tenant: TestTenant;
openErasureSpec((opened) => {
  scene = opened;
  ({ kernel, run, manage, tenant } = opened);
});

type Modes = Pick<KernelRequest<'retention.set'>, 'payload_mode' | 'requests_mode'>;
const set = (modes: Modes) =>
  manage.retention.set({ ...requestBy(scene.as()), payload_days: null, output_days: null, ...modes });
const look = async (): Promise<number> => {
  const begun = await manage.newKeepHashes(AFTER_MS).run();
  await manage.eraseBatches.run();
  return begun;
};
/** Lets time pass for what the tenant's calls and erasures have behind them. */
const pass = async (ms = AFTER_MS): Promise<void> => {
  await tenant.query('UPDATE kernel.operation SET updated_at = updated_at - $2 WHERE tenant_id = $1', [
    tenant.tenantId,
    ms + 1,
  ]);
  await tenant.query('UPDATE kernel.erasure SET created_at = created_at - $2 WHERE tenant_id = $1', [
    tenant.tenantId,
    ms + 1,
  ]);
};
const keysLeft = async (): Promise<number> => {
  const { rows } = await kernel.admin.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM kernel.payload_key WHERE tenant_id = $1',
    [tenant.tenantId],
  );
  return rows[0]?.n ?? 0;
};
const signedRecords = async () =>
  (
    await kernel.admin.query<{ payload: Buffer; keyid: string; sig: Buffer }>(
      'SELECT payload, keyid, sig FROM kernel.outbox WHERE tenant_id = $1 ORDER BY record_id',
      [tenant.tenantId],
    )
  ).rows;

describe('payload mode `hashes`', () => {
  it('erases the content of a call a minute after its end, destroys its key, and its signed records still verify', async () => {
    await set({ payload_mode: 'hashes' });
    const call = await scene.ended();
    const [before, row] = [await signedRecords(), await tenant.row(call.operation_id)];
    expect(await look()).toBe(0);
    expect((await scene.payloadOf(call.operation_id))['args']).not.toBeNull();
    expect(await keysLeft()).toBe(1);
    await pass();
    expect(await look()).toBe(1);
    expect(await scene.payloadOf(call.operation_id)).toEqual(EMPTY);
    expect(await keysLeft()).toBe(0);
    expect(await scene.everything()).not.toContain(MARKER);
    expect(await tenant.row(call.operation_id)).toMatchObject({
      args_hash: row.args_hash,
      result_hash: row.result_hash,
      action_digest: row.action_digest,
      outcome_record_id: row.outcome_record_id,
    });
    const { keyid, publicJwk } = kernel.signer;
    const keys = keySetOf({ record_keys: [{ keyid, jwk: publicJwk }], log_keys: [] });
    const after = (await signedRecords()).slice(0, before.length);
    expect(after).toEqual(before);
    const phases = after.map((leaf) => verifyLeaf({ ...leaf, sig: leaf.sig.toString('base64') }, keys).record.phase);
    expect(phases).toEqual([null, 'decision', 'outcome']);
  });

  it('is recorded as an erasure of the kernel, once for all calls that ended', async () => {
    await set({ payload_mode: 'hashes' });
    const [one, two] = [await scene.ended(), await scene.ended()];
    await pass();
    await look();
    expect(await scene.records()).toMatchObject([{ actor: 'kernel', change: { verb: 'content_erased' } }]);
    const { items } = await manage.erasures.list({ ...requestBy(scene.as()), page: { cursor: null, limit: 10 } });
    expect(items).toMatchObject([
      { selector: 'ended', reason_code: 'retention', requested_by: 'kernel', state: 'done', operations: 2 },
    ]);
    for (const { operation_id } of [one, two])
      expect((await scene.read(operation_id)).erased).toMatchObject({ erasure_id: items[0]?.erasure_id });
    expect(await scene.orders()).toEqual([]);
  });

  it('answers the idempotency key of an erased call as that of any erased call, and runs nothing', async () => {
    await set({ payload_mode: 'hashes' });
    const key = { idempotency_key: 'once' };
    const call = await scene.ended(key);
    await pass();
    await look();
    expect(await kernel.admit.run(scene.command(key), null)).toMatchObject({
      state: 'refused',
      result: { error: { code: 'idempotency.expired' } },
    });
    await expect(kernel.admit.run(call, null)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('leaves a call alone while it waits for a person, and erases it after its end', async () => {
    await set({ payload_mode: 'hashes' });
    kernel.policy.answer = requires('soft_gate');
    const held = scene.command();
    const { approval_id } = await kernel.admit.run(held, null);
    kernel.policy.answer = () => AUTOPILOT;
    await pass();
    expect(await look()).toBe(0);
    await kernel.decide.run({
      ...requestBy(scene.as('operator')),
      approval_id: approval_id ?? '',
      decision: 'deny',
      comment: null,
    });
    await pass();
    expect(await look()).toBe(1);
    expect(await scene.payloadOf(held.operation_id)).toEqual(EMPTY);
  });

  it('holds for calls from then on, and going back to `full` brings nothing back and saves no call of before', async () => {
    const earlier = await scene.ended();
    await set({ payload_mode: 'hashes' });
    const within = await scene.ended();
    await set({ payload_mode: 'full' });
    const later = await scene.ended();
    await pass();
    await look();
    const left = await Promise.all(
      [earlier, within, later].map(async ({ operation_id }) => (await scene.payloadOf(operation_id))['args'] !== null),
    );
    expect(left).toEqual([true, false, true]);
  });

  it('can be asked for one call, where the tenant keeps contents, and its content alone goes', async () => {
    const [kept, strict] = [await scene.ended(), await scene.ended({ retention: 'hashes' })];
    await pass();
    await look();
    expect((await scene.payloadOf(kept.operation_id))['args']).not.toBeNull();
    expect(await scene.payloadOf(strict.operation_id)).toEqual(EMPTY);
  });

  it('does not count as a look of a retention period', async () => {
    await set({ payload_mode: 'hashes' });
    await scene.ended();
    await pass();
    await look();
    const { rows } = await kernel.admin.query<{ erased_until: number }>(
      'SELECT erased_until FROM kernel.tenant WHERE tenant_id = $1',
      [tenant.tenantId],
    );
    expect(rows).toEqual([{ erased_until: 0 }]);
  });

  it('begins one erasure a minute, on one of several replicas', async () => {
    await set({ payload_mode: 'hashes' });
    await scene.ended();
    await pass();
    const begun = await Promise.all(Array.from({ length: 4 }, () => manage.newKeepHashes(AFTER_MS).run()));
    expect(begun.reduce((sum, each) => sum + each, 0)).toBe(1);
    await manage.eraseBatches.run();
    await scene.ended();
    await tenant.query('UPDATE kernel.operation SET updated_at = updated_at - 60001 WHERE tenant_id = $1', [
      tenant.tenantId,
    ]);
    expect(await look()).toBe(0);
  });
});

describe('requests mode `none`', () => {
  const request: EgressRequest = {
    at_ms: 1,
    method: 'GET',
    target: 'https://api.example.org/secret-path',
    purpose: 'to ask',
    outcome: 'answered',
    reason: null,
    address: '192.0.2.7:443',
    status: 200,
    sent_bytes: 10,
    received_bytes: 20,
  };

  it.each([
    ['full', 1],
    ['none', 0],
  ] as const)(
    'that is %s leaves %s requests of a call in its content, and their count and hash in its record',
    async (requests_mode, total) => {
      await set({ requests_mode });
      const { attempt } = await run.perform(tenant, scene.command());
      await run.renew.effectStarted(credentialsOf(attempt));
      await run.commit.run(reportOf(attempt, null, { exit_code: 0, requests: [request], result: SHOWN }));
      const read = new ReadRequests(kernel.tenants, kernel.vault);
      const { operation_id } = attempt;
      const page = { cursor: null, limit: 10 };
      expect((await read.run({ ...requestBy(scene.as()), operation_id, page })).total).toBe(total);
      const outcome = (await tenant.records()).find(
        (record) => record.operation_id === operation_id && record.phase === 'outcome',
      );
      expect(outcome).toMatchObject({ egress_count: 1, egress_hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
      expect((await scene.payloadOf(operation_id))['announced']).toEqual([]);
    },
  );
});

const SHOWN = { exit_code: 0, signal: null, output: 'done', truncated_bytes: 0, wall_ms: 1 };
