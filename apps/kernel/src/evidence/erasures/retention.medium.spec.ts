// SPDX-License-Identifier: Apache-2.0
import { EMPTY, openErasureSpec, type ErasureScene } from '../../specs/erasure-spec.ts';
import { credentialsOf, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requestBy, type TestManagement } from '../../specs/test-management.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let scene: ErasureScene;
let kernel: TestKernel;
let run: TestExecution;
let manage: TestManagement;
let tenant: TestTenant;
openErasureSpec((opened) => {
  scene = opened;
  ({ kernel, run, manage, tenant } = opened);
});

describe('retention', () => {
  const set = (payload_days: number | null, output_days: number | null = null) =>
    manage.retention.set({ ...requestBy(scene.as()), payload_days, output_days });
  const look = async (): Promise<void> => {
    await tenant.query('UPDATE kernel.tenant SET retained_at = 0 WHERE tenant_id = $1', [tenant.tenantId]);
    await manage.newRetain(3_600_000).run();
    await manage.eraseBatches.run();
    for (const order of await scene.orders()) await scene.reportGone(order);
  };

  it('is unlimited unless it is set; setting it is recorded', async () => {
    expect(await manage.retention.read({ ...requestBy(scene.as('auditor')) })).toEqual({
      payload_days: null,
      output_days: null,
      payload_mode: 'full',
      requests_mode: 'full',
      changed_at: null,
    });
    expect(await set(30, 7)).toMatchObject({ payload_days: 30, output_days: 7, changed_at: expect.any(Number) });
    expect(await set(30, 7)).toMatchObject({ payload_days: 30 });
    expect((await tenant.records()).filter(({ change }) => change?.verb === 'retention_changed')).toHaveLength(1);
  });

  it('erases contents that exceed the age and nothing else, with a record of the kernel', async () => {
    const [old, young] = [await scene.ended(), await scene.ended()];
    await scene.makeOlder(old.operation_id, 31);
    await look();
    expect((await scene.payloadOf(old.operation_id))['args']).not.toBeNull();
    await set(30);
    await look();
    expect(await scene.payloadOf(old.operation_id)).toEqual(EMPTY);
    expect((await scene.payloadOf(young.operation_id))['args']).not.toBeNull();
    expect(await scene.records()).toMatchObject([{ actor: 'kernel', change: { verb: 'content_erased' } }]);
    const { items } = await manage.erasures.list({ ...requestBy(scene.as()), page: { cursor: null, limit: 10 } });
    expect(items).toMatchObject([{ reason_code: 'retention', requested_by: 'kernel', state: 'done', operations: 1 }]);
    await look();
    expect(await scene.records()).toHaveLength(1);
  });

  it('erases later a call that had not ended when its time was over', async () => {
    kernel.policy.answer = requires('soft_gate');
    const held = scene.command();
    const { approval_id } = await kernel.admit.run(held, null);
    kernel.policy.answer = () => AUTOPILOT;
    const done = await scene.ended();
    await scene.makeOlder(held.operation_id, 5);
    await scene.makeOlder(done.operation_id, 4);
    await set(2);
    await look();
    expect(await scene.payloadOf(done.operation_id)).toEqual(EMPTY);
    await kernel.decide.run({
      ...requestBy(scene.as('operator')),
      approval_id: approval_id ?? '',
      decision: 'deny',
      comment: null,
    });
    await look();
    expect(await scene.payloadOf(held.operation_id)).toEqual(EMPTY);
    const { rows } = await kernel.admin.query<{ left: number }>(
      'SELECT kernel.now_ms() - erased_until AS left FROM kernel.tenant WHERE tenant_id = $1',
      [tenant.tenantId],
    );
    expect(rows[0]!.left).toBeLessThan(3 * 86_400_000);
  });

  it('examines a tenant once per interval, on one replica', async () => {
    await set(1);
    await tenant.query('UPDATE kernel.tenant SET retained_at = kernel.now_ms()');
    const old = await scene.ended();
    await scene.makeOlder(old.operation_id, 3);
    expect(await manage.newRetain(3_600_000).run()).toBe(0);
    await tenant.query('UPDATE kernel.tenant SET retained_at = 0 WHERE tenant_id = $1', [tenant.tenantId]);
    const begun = await Promise.all([
      manage.newRetain(3_600_000).run(),
      manage.newRetain(3_600_000).run(),
      manage.newRetain(3_600_000).run(),
    ]);
    expect(begun.reduce((sum, n) => sum + n, 0)).toBe(1);
  });

  it('of outputs shortens how long a full output is kept, and never lengthens it', async () => {
    const refs = {
      stdout: { ...(await kernel.blobs.put(tenant.tenantId, Buffer.from('said'))), cut: false },
      stderr: { ...(await kernel.blobs.put(tenant.tenantId, Buffer.from('told'))), cut: false },
    };
    const kept = async (): Promise<number> => {
      const { attempt } = await run.perform(tenant, scene.command());
      const { tenant_id, operation_id, executor_id, nonce } = credentialsOf(attempt);
      const { rows } = await kernel.admin.query<{ ms: number }>(
        `SELECT kernel.keep_output($1, $2, $3, $4, $5, $6, $7, 864000000), (SELECT 1) AS ms`,
        [
          tenant_id,
          operation_id,
          attempt.attempt,
          executor_id,
          nonce,
          JSON.stringify(refs.stdout),
          JSON.stringify(refs.stderr),
        ],
      );
      expect(rows).toHaveLength(1);
      return (
        await kernel.admin.query<{ days: number }>(
          'SELECT round((expires_at - created_at) / 86400000.0)::integer AS days FROM kernel.kept_output WHERE operation_id = $1',
          [operation_id],
        )
      ).rows[0]!.days;
    };
    expect(await kept()).toBe(10);
    await set(null, 3);
    expect(await kept()).toBe(3);
    await set(null, 300);
    expect(await kept()).toBe(10);
  });
});
