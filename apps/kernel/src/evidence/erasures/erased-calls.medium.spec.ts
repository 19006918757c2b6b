// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import { ReadOutput } from '../../management/operation-queries/index.ts';
import { EMPTY, MARKER, openErasureSpec, type ErasureScene } from '../../specs/erasure-spec.ts';
import { credentialsOf, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requestBy, type TestManagement } from '../../specs/test-management.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { erasureDigest } from './erasure-record.ts';

let scene: ErasureScene;
let kernel: TestKernel;
let run: TestExecution;
let manage: TestManagement;
let tenant: TestTenant;
let token: string;
openErasureSpec((opened) => {
  scene = opened;
  ({ kernel, run, manage, tenant, token } = opened);
});

describe('an erased call', () => {
  it('has no content any more, and its view shows when it was erased and by which record', async () => {
    const call = await scene.ended();
    const before = await tenant.row(call.operation_id);
    const caller = scene.as();
    const erasure = await scene.erase({ operation_id: call.operation_id }, caller);
    expect(erasure).toMatchObject({
      selector: 'operation',
      operation_id: call.operation_id,
      state: 'done',
      operations: 1,
      unfinished: 0,
      records: 1,
      requested_by: caller.api_key_id,
      reason_code: 'gdpr-art-17',
    });
    expect(await scene.payloadOf(call.operation_id)).toEqual(EMPTY);
    const { erased, result } = await scene.read(call.operation_id);
    expect(erased).toEqual({ at: expect.any(Number), erasure_id: erasure.erasure_id, record_id: erasure.record_id });
    expect(result).toMatchObject({ result: null, result_hash: before.result_hash, tx_outcome: 'no_op' });
    expect(await tenant.row(call.operation_id)).toMatchObject({
      args_hash: before.args_hash,
      action_digest: before.action_digest,
      outcome_record_id: before.outcome_record_id,
      updated_at: before.updated_at,
    });
  });

  it('has a record with ids and a digest, written in the transaction that erases', async () => {
    const call = await scene.ended();
    const caller = scene.as();
    const { erasure_id, record_id } = await scene.erase({ operation_id: call.operation_id }, caller);
    const row = await scene.erasureRow(erasure_id);
    expect(await scene.records()).toMatchObject([
      {
        record_id,
        operation_id: call.operation_id,
        actor: caller.api_key_id,
        phase: null,
        change: {
          verb: 'content_erased',
          subject: erasure_id,
          digest: erasureDigest({ operation_ids: [call.operation_id], erasure: row }),
        },
      },
    ]);
    expect(kernel.outbox.records.at(-1)?.record_id).toBe(record_id);
    expect(JSON.stringify(await scene.records())).not.toContain(MARKER);
  });

  it("keeps its content where the record can't be written", async () => {
    const call = await scene.ended();
    await kernel.admin.query(
      `ALTER TABLE kernel.outbox ADD CONSTRAINT none_of_it CHECK (tenant_id <> '${tenant.tenantId}') NOT VALID`,
    );
    try {
      await expect(scene.erase({ operation_id: call.operation_id })).rejects.toThrow();
    } finally {
      await kernel.admin.query('ALTER TABLE kernel.outbox DROP CONSTRAINT none_of_it');
    }
    expect((await scene.payloadOf(call.operation_id))['args']).not.toBeNull();
    expect((await scene.read(call.operation_id)).erased).toBeUndefined();
    expect(await manage.erasures.list({ ...requestBy(scene.as()), page: { cursor: null, limit: 10 } })).toEqual({
      items: [],
      next_cursor: null,
    });
  });

  it("leaves a tombstone: its idempotency key can't be used again", async () => {
    const call = await scene.ended();
    expect(await kernel.admit.run({ ...call, operation_id: newId('operation') }, null)).toMatchObject({
      operation_id: call.operation_id,
      replayed: true,
    });
    await scene.erase({ operation_id: call.operation_id });
    for (const args of [call.args, { command: 'ls' }]) {
      expect(await kernel.admit.run({ ...call, args, operation_id: newId('operation') }, null)).toMatchObject({
        state: 'refused',
        result: { error: { code: 'idempotency.expired' } },
      });
    }
    await expect(kernel.admit.run(call, null)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('keeps no text about it either: no comment of its approvers, and no reason for its refusal', async () => {
    kernel.policy.answer = requires('soft_gate');
    const held = scene.command();
    const { approval_id } = await kernel.admit.run(held, null);
    await kernel.decide.run({
      ...requestBy(scene.as('operator')),
      approval_id: approval_id ?? '',
      decision: 'deny',
      comment: `not ${MARKER}`,
    });
    kernel.policy.answer = () => AUTOPILOT;
    const refused = tenant.writeCall(token, {
      args: { path: `../${MARKER}`, content: 'x' },
      precondition_refs: [{ kind: 'path', ref: MARKER, version: '0'.repeat(64) }],
    });
    expect((await kernel.admit.run(refused, null)).state).toBe('refused');
    await tenant.query(
      `UPDATE kernel.operation SET fault_message = $2, fault_hint = $2, reasons = jsonb_build_array(jsonb_build_object('code', 'path.escape', 'message', $2::text)) WHERE operation_id = $1`,
      [refused.operation_id, MARKER],
    );
    expect(await scene.everything()).toContain(MARKER);
    for (const { operation_id } of [held, refused]) await scene.erase({ operation_id });
    expect(await scene.everything()).not.toContain(MARKER);
    expect(await scene.read(refused.operation_id)).toMatchObject({
      reasons: [{ code: 'path.escape', message: 'erased' }],
      result: { error: { message: expect.any(String), hint: null } },
    });
    expect(
      await kernel.approvals.read({ ...requestBy(scene.as('operator')), approval_id: approval_id ?? '' }),
    ).toMatchObject({ args: null, comment: null, state: 'denied' });
  });

  it('has no reference to a content and none to a full output', async () => {
    const put = async (text: string) => await kernel.blobs.put(tenant.tenantId, Buffer.from(text));
    const call = await scene.ended();
    const ref = { ...(await put('said')), cut: false };
    await tenant.query(
      'INSERT INTO kernel.kept_output (operation_id, tenant_id, attempt, stdout_ref, stderr_ref, expires_at) VALUES ($1, $2, 1, $3, $3, kernel.now_ms() + 100000)',
      [call.operation_id, tenant.tenantId, JSON.stringify(ref)],
    );
    await tenant.query('UPDATE kernel.operation SET result_ref = $2, whole_output = $3 WHERE operation_id = $1', [
      call.operation_id,
      JSON.stringify(ref),
      JSON.stringify({
        attempt: 1,
        expires_at: Date.now() + 100_000,
        stdout: { bytes: 4, cut: false },
        stderr: { bytes: 4, cut: false },
      }),
    ]);
    await tenant.query('UPDATE kernel.payload SET args_ref = $2 WHERE operation_id = $1', [
      call.operation_id,
      JSON.stringify(ref),
    ]);
    await scene.erase({ operation_id: call.operation_id });
    expect(await scene.everything()).not.toContain(ref.sha256);
    await expect(
      new ReadOutput(kernel.tenants, kernel.vault.calls).run({
        ...requestBy(scene.as()),
        operation_id: call.operation_id,
        stream: 'stdout',
      }),
    ).rejects.toMatchObject({ code: 'output.not_kept' });
  });

  it('is erased once, however often and by however many callers that is requested', async () => {
    const { operation_id } = await scene.ended();
    const all = await Promise.all(Array.from({ length: 6 }, () => scene.erase({ operation_id })));
    const [again] = [await scene.erase({ operation_id })];
    expect(await scene.records()).toHaveLength(1);
    expect(all.reduce((sum, { operations }) => sum + operations, 0)).toBeGreaterThanOrEqual(1);
    expect(again).toMatchObject({ erasure_id: (await scene.read(operation_id)).erased?.erasure_id, operations: 1 });
  });
});

describe('a call that has not ended', () => {
  it('is not erased: held, admitted, running or in doubt', async () => {
    kernel.policy.answer = requires('soft_gate');
    const held = scene.command({ session_id: 'ses-1' });
    await kernel.admit.run(held, null);
    kernel.policy.answer = () => AUTOPILOT;
    await expect(scene.erase({ operation_id: held.operation_id })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('`held`'),
    });
    await expect(scene.erase({ session_id: 'ses-1' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(held.operation_id),
    });
    const { attempt } = await run.perform(tenant, tenant.writeCall(token));
    await expect(scene.erase({ operation_id: attempt.operation_id })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('`performing`'),
    });
    await run.renew.effectStarted(credentialsOf(attempt));
    await tenant.query('UPDATE kernel.operation SET lease_until = 1 WHERE operation_id = $1', [attempt.operation_id]);
    await run.sweeper.sweep();
    await expect(scene.erase({ operation_id: attempt.operation_id })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('resolve it'),
    });
    await kernel.resolve.run({
      v: 1,
      caller: scene.as('operator'),
      operation_id: attempt.operation_id,
      outcome: 'committed',
      note: MARKER,
    });
    await scene.erase({ operation_id: attempt.operation_id });
    expect(await scene.everything()).not.toContain(MARKER.repeat(2));
    expect((await scene.read(attempt.operation_id)).resolution).toMatchObject({ outcome: 'committed', note: 'erased' });
    expect(await scene.records()).toHaveLength(1);
  });

  it('is skipped and counted by an erasure of everything before a moment', async () => {
    kernel.policy.answer = requires('soft_gate');
    const held = scene.command();
    await kernel.admit.run(held, null);
    kernel.policy.answer = () => AUTOPILOT;
    const done = await scene.ended();
    const before = Date.now() - 1;
    for (const { operation_id } of [held, done]) await scene.makeOlder(operation_id, 1);
    expect(await scene.plan({ before })).toEqual({ dry_run: true, operations: 1, unfinished: 1, more: false });
    expect(await scene.reportGone(await scene.erase({ before }))).toMatchObject({
      state: 'done',
      operations: 1,
      unfinished: 1,
      before,
    });
    expect((await scene.payloadOf(held.operation_id))['args']).not.toBeNull();
  });
});
