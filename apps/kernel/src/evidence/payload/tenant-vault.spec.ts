// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { TenantVault, WrappedKeyStore } from './tenant-vault.ts';
import { newTenantKeys, unwrapTenantKeys, type WrappedKeys } from './wrapped-keys.ts';

const master = randomBytes(32);
const rows = new Map<string, WrappedKeys>([
  ['ten_a', newTenantKeys(master, 'ten_a')],
  ['ten_b', newTenantKeys(master, 'ten_b')],
]);
class Rows extends WrappedKeyStore {
  override find(tenantId: string): Promise<WrappedKeys | null> {
    return Promise.resolve(rows.get(tenantId) ?? null);
  }
  override findKey(): Promise<null> {
    return Promise.resolve(null);
  }
  override keyOf(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}
const masterKeys = { current: master, before: null, next: null };
const vault = new TenantVault(masterKeys, new Rows());
const clear = Buffer.from('{"path":"a"}');

describe('the payload of a tenant', () => {
  it('opens to what was sealed', async () => {
    const cipher = await vault.cipherFor('ten_a');
    expect(cipher.open('op_1', 'args', cipher.seal('op_1', 'args', clear))).toEqual(clear);
    expect(cipher.seal('op_1', 'args', clear)).not.toEqual(cipher.seal('op_1', 'args', clear));
  });

  it('does not open as another operation, field or tenant, nor with any byte changed', async () => {
    const [a, b] = [await vault.cipherFor('ten_a'), await vault.cipherFor('ten_b')];
    const sealed = a.seal('op_1', 'args', clear);
    expect(() => a.open('op_2', 'args', sealed)).toThrow();
    expect(() => a.open('op_1', 'result', sealed)).toThrow();
    expect(() => b.open('op_1', 'args', sealed)).toThrow();
    expect(() => a.open('op_1', 'args', Buffer.alloc(8))).toThrow('shorter');
    for (let at = 0; at < sealed.length; at++) {
      const bent = Buffer.from(sealed);
      bent.writeUInt8(bent.readUInt8(at) ^ 1, at);
      expect(() => a.open('op_1', 'args', bent)).toThrow();
    }
  });

  it('fingerprints equal arguments alike within a tenant and differently across tenants', async () => {
    const [a, b] = [await vault.cipherFor('ten_a'), await vault.cipherFor('ten_b')];
    expect(a.fingerprint(clear)).toEqual(a.fingerprint(clear));
    expect(a.fingerprint(clear)).not.toEqual(b.fingerprint(clear));
    expect(a.fingerprint(clear)).not.toEqual(a.fingerprint(Buffer.from('{"path":"b"}')));
  });

  it("is not found for a tenant that doesn't exist", async () => {
    await expect(vault.cipherFor('ten_c')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('opens under the previous master key, and under the next one', () => {
    const wrapped = rows.get('ten_a') as WrappedKeys;
    const other = randomBytes(32);
    for (const keys of [
      { current: other, before: master, next: null },
      { current: other, before: null, next: master },
    ])
      expect(unwrapTenantKeys(keys, 'ten_a', wrapped)).toEqual(unwrapTenantKeys(masterKeys, 'ten_a', wrapped));
  });

  it('has keys that open only for their tenant, purpose and master key', () => {
    const wrapped = rows.get('ten_a') as WrappedKeys;
    expect(unwrapTenantKeys(masterKeys, 'ten_a', wrapped).data).toHaveLength(32);
    expect(() => unwrapTenantKeys(masterKeys, 'ten_b', wrapped)).toThrow();
    expect(() => unwrapTenantKeys({ ...masterKeys, current: randomBytes(32) }, 'ten_a', wrapped)).toThrow();
    expect(() =>
      unwrapTenantKeys(masterKeys, 'ten_a', { data_key: wrapped.finger_key, finger_key: wrapped.data_key }),
    ).toThrow();
  });
});
