// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { parseVerifier, verifyEnvelope } from '@writ/signing';
import { RecordSeal, RecordSealer } from '../records/index.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { requestBy, callerOf, type TestManagement } from '../../specs/test-management.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { newId } from '@writ/nest-kit';
import { Changes } from './changes.ts';

let kernel: TestKernel;
let manage: TestManagement;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
});

class BrokenSeal extends RecordSeal {
  override readonly keyid = 'none';
  override seal(): never {
    throw new Fault('record.too_large');
  }
}

describe('a change', () => {
  it("that can't be recorded doesn't happen", async () => {
    const tenant = await kernel.newTenant();
    const changes = new Changes(manage.tenancy, new RecordSealer(new BrokenSeal()), kernel.outbox);
    const agent_id = newId('agent');
    const making = changes.make(tenant.tenantId, async (rows) => {
      await rows.agent.createMany({ data: [{ agent_id, tenant_id: tenant.tenantId, name: 'x' }] });
      return {
        value: null,
        records: [
          { kind: 'change', actor: 'platform', change: { verb: 'agent_created', subject: agent_id, digest: null } },
        ],
      };
    });
    await expect(making).rejects.toMatchObject({ code: 'record.too_large' });
    expect(await manage.tenancy.within(tenant.tenantId, (rows) => rows.agent.count())).toBe(1);
  });

  it('that fails leaves no record, and hands no record over', async () => {
    const tenant = await kernel.newTenant();
    const handed = kernel.outbox.records.length;
    const making = manage.changes.make(tenant.tenantId, () => Promise.reject(new Fault('conflict')));
    await expect(making).rejects.toMatchObject({ code: 'conflict' });
    expect(await tenant.countOf('outbox')).toBe(0);
    expect(kernel.outbox.records).toHaveLength(handed);
  });
});

describe('a change of a state that the orchestrator keeps', () => {
  it("is recorded in the tenant's log, signed by the record key", async () => {
    const tenant = await kernel.newTenant();
    const admin = callerOf(tenant.tenantId);
    const subject = newId('apiKey');
    const { recorded } = await manage.recordChange.run({ ...requestBy(admin), verb: 'api_key_revoked', subject });
    expect(await tenant.records()).toMatchObject([
      {
        record_id: recorded,
        kind: 'change',
        actor: admin.api_key_id,
        change: { verb: 'api_key_revoked', subject, digest: null },
      },
    ]);
    const {
      rows: [row],
    } = await kernel.admin.query<{ payload: Buffer; keyid: string; sig: Buffer }>(
      'SELECT payload, keyid, sig FROM kernel.outbox WHERE record_id = $1',
      [recorded],
    );
    const envelope = {
      payloadType: 'application/vnd.in-toto+json',
      payload: row?.payload.toString('base64') ?? '',
      signatures: [{ keyid: row?.keyid ?? '', sig: row?.sig.toString('base64') ?? '' }],
    };
    const key = parseVerifier(kernel.signer.publicJwk);
    expect(() => verifyEnvelope(envelope, new Map([[key.keyid, key]]), envelope.payloadType)).not.toThrow();
  });

  it('names the platform as the actor where the platform key makes it', async () => {
    const tenant = await kernel.newTenant();
    const change = { verb: 'identity_provider_put', subject: 'corp', by_platform: true } as const;
    await manage.recordChange.run({ ...requestBy(callerOf(tenant.tenantId)), ...change });
    expect(await tenant.records()).toMatchObject([{ actor: 'platform', change: { subject: 'corp' } }]);
  });

  it.each(['operator', 'agent', 'auditor'] as const)('is not recorded for the role %s', async (role) => {
    const tenant = await kernel.newTenant();
    const asking = manage.recordChange.run({
      ...requestBy(callerOf(tenant.tenantId, role, tenant.agentId)),
      verb: 'api_key_created',
      subject: 'x',
    });
    await expect(asking).rejects.toMatchObject({ code: 'auth.role' });
    expect(await tenant.countOf('outbox')).toBe(0);
  });

  it("is not recorded for a tenant that isn't there", async () => {
    await expect(
      manage.recordChange.run({ ...requestBy(callerOf(newId('tenant'))), verb: 'api_key_created', subject: 'x' }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});
