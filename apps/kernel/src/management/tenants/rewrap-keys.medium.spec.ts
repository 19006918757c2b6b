// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { masterKeyId } from '@writ/sealing';
import type { Changes } from '../../evidence/changes/index.ts';
import { TenantVault } from '../../evidence/payload/index.ts';
import { openManagement, type TestManagement } from '../../specs/test-management.ts';
import { openTestKernel, type TestKernel } from '../../specs/test-kernel.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { WrappedKeyRows } from '../../evidence/payload/wrapped-key-rows.ts';
import { RewrapKeys } from './rewrap-keys.ts';

let kernel: TestKernel;
let manage: TestManagement;
let tenants: TestTenant[];
beforeEach(async () => {
  kernel = await openTestKernel();
  manage = openManagement(kernel);
  tenants = [await kernel.newTenant(), await kernel.newTenant(), await kernel.newTenant()];
}, 120_000);
afterEach(async () => {
  await kernel.close();
});

const anew = randomBytes(32);
const rotated = () => ({ current: anew, before: kernel.masterKey, next: null });
const rewrap = (master = rotated(), changes = manage.changes): RewrapKeys =>
  new RewrapKeys(kernel.workers, changes, master);
const boxOf = async (
  tenant: TestTenant,
  master = { current: anew, before: null as Buffer | null, next: null as Buffer | null },
) => await new TenantVault(master, new WrappedKeyRows(kernel.tenants)).cipherFor(tenant.tenantId);
const verbsOf = async (tenant: TestTenant): Promise<unknown[]> =>
  (await tenant.records()).map(({ change }) => (change as { verb: string } | null)?.verb);

describe('a new master key', () => {
  it('alone opens all sealed data once every tenant was re-wrapped, each with a record', async () => {
    const sealed = await Promise.all(
      tenants.map(async (tenant) =>
        (await kernel.vault.cipherFor(tenant.tenantId)).seal('op_1', 'args', Buffer.from(tenant.tenantId)),
      ),
    );
    expect(await rewrap().run()).toEqual({ done: 3, unopened: [] });
    for (const [i, tenant] of tenants.entries()) {
      expect((await boxOf(tenant)).open('op_1', 'args', sealed[i] as Buffer).toString()).toBe(tenant.tenantId);
      expect(await verbsOf(tenant)).toEqual(['tenant_keys_rewrapped']);
      await expect(boxOf(tenant, { current: kernel.masterKey, before: null, next: null })).rejects.toThrow(
        'no master key that is known',
      );
    }
    expect(await rewrap().run()).toEqual({ done: 0, unopened: [] });
  });

  it('is continued after a crash, and until then both keys open everything', async () => {
    let left = 1;
    const dying = {
      upkeep: (...args: Parameters<Changes['upkeep']>) =>
        left-- > 0 ? manage.changes.upkeep(...args) : Promise.reject(new Error('killed')),
    } as unknown as Changes;
    await expect(rewrap(rotated(), dying).run()).rejects.toThrow('killed');
    const { rows } = await kernel.admin.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM kernel.tenant WHERE master_key_id = $1',
      [masterKeyId(anew)],
    );
    expect(rows[0]?.n).toBe(1);
    for (const tenant of tenants) await expect(boxOf(tenant, rotated())).resolves.toBeDefined();
    expect(await rewrap().run()).toEqual({ done: 2, unopened: [] });
    for (const tenant of tenants) await expect(boxOf(tenant)).resolves.toBeDefined();
  });

  it('is applied to each tenant once, for any number of concurrent replicas', async () => {
    const passes = await Promise.all(Array.from({ length: 4 }, () => rewrap().run()));
    expect(passes.reduce((sum, { done }) => sum + done, 0)).toBe(3);
    for (const tenant of tenants) expect(await verbsOf(tenant)).toEqual(['tenant_keys_rewrapped']);
  });

  it('does not change tenants that a replica with the next key has wrapped already', async () => {
    await rewrap().run();
    const old = { current: kernel.masterKey, before: null, next: anew };
    expect(await rewrap(old as never).run()).toEqual({ done: 0, unopened: [] });
    for (const tenant of tenants) await expect(boxOf(tenant, old)).resolves.toBeDefined();
  });

  it('changes nothing where no configured key opens, and reports the tenants', async () => {
    expect(await rewrap({ current: anew, before: randomBytes(32), next: null }).run()).toEqual({
      done: 0,
      unopened: tenants.map(({ tenantId }) => tenantId).sort(),
    });
    for (const tenant of tenants) await expect(boxOf(tenant, rotated())).resolves.toBeDefined();
  });
});
