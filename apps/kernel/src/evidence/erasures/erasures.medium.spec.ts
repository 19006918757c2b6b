// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import { EMPTY, openErasureSpec, type ErasureScene } from '../../specs/erasure-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requestBy, pagesOf, type TestManagement } from '../../specs/test-management.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { BATCH_ROWS } from './erase-batches.ts';
import { erasureDigest } from './erasure-record.ts';

let scene: ErasureScene;
let kernel: TestKernel;
let manage: TestManagement;
let tenant: TestTenant;
openErasureSpec((opened) => {
  scene = opened;
  ({ kernel, manage, tenant } = opened);
});

describe('an erasure', () => {
  it('of a session erases its calls and no others', async () => {
    const [one, two] = [await scene.ended({ session_id: 'ses-1' }), await scene.ended({ session_id: 'ses-2' })];
    expect(await scene.plan({ session_id: 'ses-1' })).toMatchObject({ operations: 1 });
    expect(await scene.erase({ session_id: 'ses-1' })).toMatchObject({ state: 'done', operations: 1 });
    expect(await scene.payloadOf(one.operation_id)).toEqual(EMPTY);
    expect((await scene.payloadOf(two.operation_id))['args']).not.toBeNull();
    expect(await scene.erase({ session_id: 'ses-1' })).toMatchObject({ operations: 0, record_id: null });
    expect(await scene.records()).toHaveLength(1);
  });

  it('of a person erases the calls that named them, and the name; of an agent, those that named no person', async () => {
    const [one, other, nobody] = [
      await scene.ended({ data_subject: 'crm/42' }),
      await scene.ended({ data_subject: 'crm/43' }),
      await scene.ended(),
    ];
    kernel.policy.answer = requires('soft_gate');
    const held = scene.command({ data_subject: 'crm/42' });
    const { approval_id } = await kernel.admit.run(held, null);
    kernel.policy.answer = () => AUTOPILOT;
    await expect(scene.erase({ subject: 'crm/42' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(held.operation_id),
    });
    await kernel.decide.run({
      ...requestBy(scene.as('operator')),
      approval_id: approval_id ?? '',
      decision: 'deny',
      comment: null,
    });
    expect(await scene.plan({ subject: 'crm/42' })).toMatchObject({ operations: 2 });
    const erasure = await scene.erase({ subject: 'crm/42' });
    expect(erasure).toMatchObject({ selector: 'subject', subject: 'crm/42', operations: 2, state: 'done' });
    expect(await scene.payloadOf(one.operation_id)).toEqual(EMPTY);
    expect(await tenant.row(one.operation_id)).toMatchObject({ data_subject: null });
    for (const { operation_id } of [other, nobody])
      expect((await scene.payloadOf(operation_id))['args']).not.toBeNull();
    expect(await scene.erase({ subject: tenant.agentId })).toMatchObject({ operations: 1 });
    expect(await scene.payloadOf(nobody.operation_id)).toEqual(EMPTY);
    expect((await scene.payloadOf(other.operation_id))['args']).not.toBeNull();
    expect(JSON.stringify(await tenant.records())).not.toContain('crm/4');
  });

  it('of a person erases what an approver made of a call about them', async () => {
    kernel.policy.answer = requires('soft_gate');
    const { approval_id } = await kernel.admit.run(scene.command({ data_subject: 'crm/42' }), null);
    const successor = newId('operation');
    await kernel.edit.run({
      ...requestBy(scene.as('operator')),
      approval_id: approval_id ?? '',
      operation_id: successor,
      args: { command: 'echo less' },
      comment: null,
    });
    expect(await tenant.row(successor)).toMatchObject({ data_subject: 'crm/42' });
  });

  it("of another tenant's calls and sessions finds nothing", async () => {
    const call = await scene.ended({ session_id: 'ses-1' });
    const theirs = scene.as('admin', await kernel.newTenant());
    await expect(scene.erase({ operation_id: call.operation_id }, theirs)).rejects.toMatchObject({ code: 'not_found' });
    await expect(scene.plan({ operation_id: call.operation_id }, theirs)).rejects.toMatchObject({ code: 'not_found' });
    expect(await scene.erase({ session_id: 'ses-1' }, theirs)).toMatchObject({ operations: 0 });
    expect(await scene.erase({ before: Date.now() - 1 }, theirs)).toMatchObject({ operations: 0 });
    const own = await scene.erase({ operation_id: call.operation_id });
    await expect(manage.erasures.read({ ...requestBy(theirs), erasure_id: own.erasure_id })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('is requested by administrators alone; operators and auditors may read it', async () => {
    const call = await scene.ended();
    for (const role of ['operator', 'agent', 'auditor'] as const) {
      await expect(scene.erase({ operation_id: call.operation_id }, scene.as(role))).rejects.toMatchObject({
        code: 'auth.role',
      });
      await expect(scene.plan({ operation_id: call.operation_id }, scene.as(role))).rejects.toMatchObject({
        code: 'auth.role',
      });
      await expect(
        manage.retention.set({ ...requestBy(scene.as(role)), payload_days: 1, output_days: null }),
      ).rejects.toMatchObject({ code: 'auth.role' });
    }
    const { erasure_id } = await scene.erase({ operation_id: call.operation_id });
    expect(await manage.erasures.read({ ...requestBy(scene.as('auditor')), erasure_id })).toMatchObject({ erasure_id });
    await expect(manage.erasures.read({ ...requestBy(scene.as('agent')), erasure_id })).rejects.toMatchObject({
      code: 'auth.role',
    });
  });

  it.each([
    [{}],
    [{ operation_id: 'x', before: 1 }],
    [{ session_id: 'ses-1', subject: 'crm/42' }],
    [{ before: Number.MAX_SAFE_INTEGER }],
  ])('of %j is refused', async (selectors) => {
    await expect(scene.erase(selectors)).rejects.toMatchObject({ code: 'request.malformed' });
  });

  it('longer than a batch continues by itself, on any replica, with a record for each batch, and erases no later calls', async () => {
    const first = await scene.ended({ session_id: 'ses-1' });
    // Copies of a call that has ended: their arguments don't matter here.
    const copies = BATCH_ROWS * 2 + 5;
    await tenant.copyOperations(
      `jsonb_build_object('operation_id', 'op_' || lpad(n::text, 26, '0'), 'state', 'refused', 'idempotency_key', NULL)`,
      `kernel.operation o, generate_series(1, ${String(copies)}) n WHERE o.operation_id = $1`,
      [first.operation_id],
    );
    await kernel.admin.query(
      `INSERT INTO kernel.payload (operation_id, tenant_id, args) SELECT operation_id, tenant_id, 'x' FROM kernel.operation WHERE tenant_id = $1 AND operation_id <> $2`,
      [tenant.tenantId, first.operation_id],
    );
    const begun = await scene.erase({ session_id: 'ses-1' });
    expect(begun).toMatchObject({ state: 'running', operations: BATCH_ROWS, records: 1 });
    expect(await scene.erase({ session_id: 'ses-1' })).toMatchObject({ erasure_id: begun.erasure_id });
    const later = await scene.ended({ session_id: 'ses-1' });
    await Promise.all([manage.eraseBatches.run(), manage.eraseBatches.run(), manage.eraseBatches.run()]);
    await manage.eraseBatches.run();
    expect(await manage.erasures.read({ ...requestBy(scene.as()), erasure_id: begun.erasure_id })).toMatchObject({
      state: 'done',
      operations: copies + 1,
      records: 3,
      finished_at: expect.any(Number),
    });
    const left = await kernel.admin.query<{ operation_id: string }>(
      'SELECT operation_id FROM kernel.payload WHERE tenant_id = $1 AND args IS NOT NULL',
      [tenant.tenantId],
    );
    expect(left.rows).toEqual([{ operation_id: later.operation_id }]);
    // The digest of each record is over the calls that name it.
    const row = await scene.erasureRow(begun.erasure_id);
    for (const { record_id, change } of await scene.records()) {
      const { rows } = await kernel.admin.query<{ id: string }>(
        `SELECT operation_id AS id FROM kernel.operation WHERE erased->>'record_id' = $1`,
        [record_id],
      );
      expect(change?.digest).toBe(erasureDigest({ operation_ids: rows.map(({ id }) => id), erasure: row }));
    }
  });

  it('is listed, the newest first', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1)
      ids.unshift((await scene.erase({ operation_id: (await scene.ended()).operation_id })).erasure_id);
    const pages = await pagesOf(2, (page) => manage.erasures.list({ ...requestBy(scene.as('auditor')), page }));
    expect(pages.flat().map(({ erasure_id }) => erasure_id)).toEqual(ids);
  });
});
