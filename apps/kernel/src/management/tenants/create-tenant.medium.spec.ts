// SPDX-License-Identifier: Apache-2.0
import type { AuditRecord, TenantCreate } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestManagement } from '../../specs/test-management.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { newId } from '@writ/nest-kit';

let kernel: TestKernel;
let manage: TestManagement;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
});

const request = (name = 'acme'): TenantCreate => ({
  v: 1,
  tenant_id: newId('tenant'),
  name,
  admin_key_id: newId('apiKey'),
});

async function recordsOf(tenantId: string): Promise<AuditRecord[]> {
  const { rows } = await kernel.admin.query<{ payload: Buffer }>(
    'SELECT payload FROM kernel.outbox WHERE tenant_id = $1 ORDER BY record_id',
    [tenantId],
  );
  return rows.map(({ payload }) => (JSON.parse(payload.toString()) as { predicate: AuditRecord }).predicate);
}

describe('a new tenant', () => {
  it('has keys that only the master key opens, and the first records of its own log', async () => {
    const asked = request();
    expect(await manage.createTenant.run(asked)).toEqual({ tenant_id: asked.tenant_id });
    const box = await kernel.vault.cipherFor(asked.tenant_id);
    expect(box.open('op_1', 'args', box.seal('op_1', 'args', Buffer.from('x'))).toString()).toBe('x');
    const records = await recordsOf(asked.tenant_id);
    expect(records).toMatchObject([
      {
        kind: 'change',
        actor: 'platform',
        log_id: `log_${asked.tenant_id.slice(4)}`,
        change: { verb: 'tenant_created', subject: asked.tenant_id, digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
      {
        kind: 'change',
        actor: 'platform',
        change: { verb: 'api_key_created', subject: asked.admin_key_id, digest: null },
      },
    ]);
    expect(kernel.outbox.records.slice(-2).map((record) => record.record_id)).toEqual(
      records.map((record) => record.record_id),
    );
  });

  it('is created once for any number of concurrent requests', async () => {
    const asked = request();
    const answers = await Promise.all(Array.from({ length: 8 }, () => manage.createTenant.run(asked)));
    expect(answers).toEqual(Array(8).fill({ tenant_id: asked.tenant_id }));
    const box = await kernel.vault.cipherFor(asked.tenant_id);
    await manage.createTenant.run(asked);
    expect(await recordsOf(asked.tenant_id)).toHaveLength(2);
    // The first keys still open what they sealed.
    expect(
      (await kernel.vault.cipherFor(asked.tenant_id))
        .open('op_1', 'salt', box.seal('op_1', 'salt', Buffer.from('s')))
        .toString(),
    ).toBe('s');
  });

  it('is not renamed by a request with another name', async () => {
    const asked = request();
    await manage.createTenant.run(asked);
    await expect(manage.createTenant.run({ ...asked, name: 'other' })).rejects.toMatchObject({ code: 'conflict' });
  });
});
