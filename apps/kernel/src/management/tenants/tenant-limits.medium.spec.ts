// SPDX-License-Identifier: Apache-2.0
import { TENANT_DEFAULTS, type TenantLimitsChange } from '@writ/contract';
import { contentDigest } from '../../evidence/changes/index.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import type { TestManagement } from '../../specs/test-management.ts';
import { newId } from '@writ/nest-kit';
import { limitsSince } from '../../foundation/tenancy/limits-since.ts';

let kernel: TestKernel;
let manage: TestManagement;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
});

const asked = (tenant_id: string) => ({ v: 1, caller: null, tenant_id }) as const;
const set = (tenant_id: string, change: TenantLimitsChange) => manage.limits.set({ ...asked(tenant_id), change });
const EMPTY = { files: 0, bytes: 0, outputs_bytes: 0 };
const UNSET = {
  requests_per_second: null,
  request_burst: null,
  person_requests_per_second: null,
  person_request_burst: null,
  ...TENANT_DEFAULTS,
  files_max: null,
  bytes_max: null,
  outputs_bytes_max: null,
  ...EMPTY,
  changed_at: null,
};

describe('the limits of a tenant', () => {
  it('are the defaults of the contract until they are set', async () => {
    const { tenantId } = await kernel.newTenant();
    expect(await manage.limits.read(asked(tenantId))).toEqual({ tenant_id: tenantId, ...UNSET });
  });

  it("are set one by one, stay where they aren't named, and are recorded with the digest of all", async () => {
    const tenant = await kernel.newTenant();
    await set(tenant.tenantId, { weight: 7, requests_per_second: 50 });
    const limits = await set(tenant.tenantId, { running_max: 3, requests_per_second: null });
    const { changed_at, files: _files, bytes: _bytes, outputs_bytes: _outputs, ...rest } = limits;
    expect(limits).toEqual({
      tenant_id: tenant.tenantId,
      ...UNSET,
      weight: 7,
      running_max: 3,
      changed_at: expect.any(Number),
    });
    expect(await manage.limits.read(asked(tenant.tenantId))).toEqual(limits);
    expect(changed_at).toBeGreaterThan(0);
    const change = { verb: 'tenant_limits_changed', subject: tenant.tenantId };
    expect(await tenant.records()).toMatchObject([
      { kind: 'change', actor: 'platform', change },
      { kind: 'change', actor: 'platform', change: { ...change, digest: contentDigest(rest) } },
    ]);
  });

  it('that are unchanged cause no record', async () => {
    const tenant = await kernel.newTenant();
    await set(tenant.tenantId, { weight: TENANT_DEFAULTS.weight });
    expect(await tenant.countOf('outbox')).toBe(0);
    expect(await manage.limits.read(asked(tenant.tenantId))).toMatchObject({ changed_at: null });
  });

  it('of an unknown tenant and of an invalid id are not_found', async () => {
    for (const id of [newId('tenant'), 'nonsense']) {
      await expect(manage.limits.read(asked(id))).rejects.toMatchObject({ code: 'not_found' });
      await expect(set(id, { weight: 2 })).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it("are listed by the time of their change, each tenant once, and never where they weren't set", async () => {
    const [one, two, never] = [await kernel.newTenant(), await kernel.newTenant(), await kernel.newTenant()];
    await set(one.tenantId, { waiting_max: 10 });
    const { changed_at } = await set(two.tenantId, { waiting_max: 20 });
    const { items, more, now } = await limitsSince(kernel.workers, { since: 0, after: '' });
    const told = items.map(({ tenant_id }) => tenant_id);
    expect(told).toEqual(told.toSorted());
    expect(told).toEqual(expect.arrayContaining([one.tenantId, two.tenantId]));
    expect(told).not.toContain(never.tenantId);
    expect({ more, isNow: now >= Number(changed_at) }).toEqual({ more: false, isNow: true });
    expect((await limitsSince(kernel.workers, { since: Number(changed_at) + 1, after: '' })).items).toEqual([]);
    expect((await limitsSince(kernel.workers, { since: 0, after: told.at(-1) ?? '' })).items).toEqual([]);
  });
});

describe('a tenant whose queue is full', () => {
  it('gets no further admission, while replays, dry runs and other tenants are served', async () => {
    const [full, other] = [await kernel.newTenant(), await kernel.newTenant()];
    const token = await full.token();
    await set(full.tenantId, { waiting_max: 2 });
    const calls = [full.call(token), full.call(token)];
    for (const call of calls) expect(await kernel.admit.run(call, null)).toMatchObject({ state: 'admitted' });
    const records = await full.countOf('outbox');
    await expect(kernel.admit.run(full.call(token), null)).rejects.toMatchObject({ code: 'queue.full' });
    expect(await full.countOf('outbox')).toBe(records);
    expect(await kernel.admit.run(calls[0]!, null)).toMatchObject({ state: 'admitted' });
    expect(await kernel.admit.run(full.call(token, { dry_run: true }), null)).toMatchObject({ state: 'no_op' });
    expect(await kernel.admit.run(other.call(await other.token()), null)).toMatchObject({ state: 'admitted' });
  });
});
