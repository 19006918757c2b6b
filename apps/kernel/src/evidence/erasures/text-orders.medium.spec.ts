// SPDX-License-Identifier: Apache-2.0
import type { TextsAnnounced } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openErasureSpec, type ErasureScene } from '../../specs/erasure-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requestBy, type TestManagement } from '../../specs/test-management.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { textsDigest } from './erasure-record.ts';

let scene: ErasureScene;
let kernel: TestKernel;
let manage: TestManagement;
let tenant: TestTenant;
openErasureSpec((opened) => {
  scene = opened;
  ({ kernel, manage, tenant } = opened);
});

describe('the erasure of the texts of sessions', () => {
  const reportRound = (
    erasure_id: string,
    round: number,
    ids: Partial<Pick<TextsAnnounced, 'session_ids' | 'run_ids' | 'fork_ids'>>,
  ) =>
    manage.textErasureOrders.recordRound({
      v: 1,
      tenant_id: tenant.tenantId,
      erasure_id: erasure_id as TextsAnnounced['erasure_id'],
      round,
      session_ids: [],
      run_ids: [],
      fork_ids: [],
      ...ids,
    });
  const view = async (erasure_id: string) =>
    await manage.erasures.read({ ...requestBy(scene.as('auditor')), erasure_id });

  it('is ordered with the calls of its sessions, and is done when both are gone', async () => {
    const [one, below] = [newId('session'), newId('session')];
    const calls = [
      await scene.ended({ session_id: one }),
      await scene.ended({ session_id: below }),
      await scene.ended({ session_id: newId('session') }),
    ];
    const texts = { session_ids: [one, below], alone: false };
    expect(await scene.plan({ session_id: one, texts })).toMatchObject({ operations: 2 });
    const { erasure_id, ...begun } = await scene.erase({ session_id: one, texts });
    expect(begun).toMatchObject({ state: 'running', operations: 2, sessions: 0, finished_at: null });
    expect((await scene.payloadOf(calls[2]!.operation_id))['args']).not.toBeNull();
    expect(await scene.orders()).toMatchObject([
      { tenant_id: tenant.tenantId, erasure_id, selector: 'session', session_ids: [one, below] },
    ]);
    await manage.eraseBatches.run();
    await reportRound(erasure_id, 1, { session_ids: [one, below] });
    expect(await scene.orders()).toHaveLength(1);
    expect(await scene.reportGone({ erasure_id })).toMatchObject({
      state: 'done',
      sessions: 2,
      runs: 0,
      records: 2,
      finished_at: expect.any(Number),
    });
    expect(await scene.orders()).toEqual([]);
  });

  it('is on the record, once a round, before the orchestrator may erase anything', async () => {
    const [session_id, caller] = [newId('session'), scene.as()];
    const { erasure_id } = await scene.erase({ session_id, texts: { session_ids: [session_id], alone: true } }, caller);
    expect(await scene.records()).toEqual([]);
    const run_ids = [newId('run'), newId('run')];
    for (let n = 0; n < 3; n += 1) await reportRound(erasure_id, 1, { session_ids: [session_id] });
    await reportRound(erasure_id, 2, { run_ids });
    await expect(reportRound(erasure_id, 4, { run_ids })).rejects.toMatchObject({ code: 'conflict' });
    const erasure = await scene.erasureRow(erasure_id);
    const contentOf = (of: { session_ids: string[]; run_ids: string[] }) => ({
      actor: caller.api_key_id,
      operation_id: null,
      change: { verb: 'texts_erased', subject: erasure_id, digest: textsDigest({ fork_ids: [], ...of, erasure }) },
    });
    expect(await scene.records()).toMatchObject([
      contentOf({ session_ids: [session_id], run_ids: [] }),
      contentOf({ session_ids: [], run_ids: [...run_ids].reverse() }),
    ]);
    expect(await scene.reportGone({ erasure_id })).toMatchObject({
      selector: 'conversation',
      state: 'done',
      sessions: 1,
      runs: 2,
      records: 2,
    });
    await reportRound(erasure_id, 1, { session_ids: [session_id] });
    await expect(reportRound(erasure_id, 3, { run_ids })).rejects.toMatchObject({ code: 'conflict' });
    expect(await scene.records()).toHaveLength(2);
  });

  it('erases no calls where a session is deleted', async () => {
    const session_id = newId('session');
    const call = await scene.ended({ session_id });
    await expect(
      scene.erase({ operation_id: call.operation_id, texts: { session_ids: [], alone: true } }),
    ).rejects.toMatchObject({ code: 'request.malformed' });
    expect(await scene.erase({ session_id, texts: { session_ids: [session_id], alone: true } })).toMatchObject({
      state: 'running',
      operations: 0,
    });
    expect((await scene.payloadOf(call.operation_id))['args']).not.toBeNull();
  });

  it('can be ordered for a call that was erased before texts could be', async () => {
    const call = await scene.ended();
    const [first, texts] = [
      await scene.erase({ operation_id: call.operation_id }),
      { session_ids: [newId('session')], alone: false },
    ];
    expect(await scene.erase({ operation_id: call.operation_id })).toMatchObject({ erasure_id: first.erasure_id });
    const second = await scene.erase({ operation_id: call.operation_id, texts });
    expect(second).toMatchObject({ state: 'running', operations: 0 });
    expect((await scene.orders()).map(({ erasure_id }) => erasure_id)).toEqual([second.erasure_id]);
  });

  it("of one tenant can't be recorded or finished by another", async () => {
    const session_id = newId('session');
    const { erasure_id } = await scene.erase({ session_id, texts: { session_ids: [session_id], alone: true } });
    const order = { v: 1, tenant_id: (await kernel.newTenant()).tenantId, erasure_id } as const;
    await expect(
      manage.textErasureOrders.recordRound({
        ...order,
        round: 1,
        session_ids: [session_id],
        run_ids: [],
        fork_ids: [],
      }),
    ).rejects.toMatchObject({ code: 'conflict' });
    await expect(manage.textErasureOrders.markGone(order)).rejects.toMatchObject({ code: 'not_found' });
    expect(await view(erasure_id)).toMatchObject({ state: 'running', records: 0 });
  });

  it('of texts that exceed their age is ordered once a day, even where no call does', async () => {
    await manage.retention.set({ ...requestBy(scene.as()), payload_days: 2, output_days: null });
    const look = async (): Promise<number> => {
      await tenant.query('UPDATE kernel.tenant SET retained_at = 0 WHERE tenant_id = $1', [tenant.tenantId]);
      await manage.newRetain(3_600_000).run();
      return (await scene.orders()).length;
    };
    expect(await look()).toBe(0);
    await tenant.query('UPDATE kernel.tenant SET created_at = created_at - 3 * 86400000::bigint WHERE tenant_id = $1', [
      tenant.tenantId,
    ]);
    expect(await look()).toBe(1);
    await manage.eraseBatches.run();
    for (const order of await scene.orders())
      expect(await scene.reportGone(order)).toMatchObject({ state: 'done', reason_code: 'retention', records: 0 });
    expect(await look()).toBe(0);
  });
});
