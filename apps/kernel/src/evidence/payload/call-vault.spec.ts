// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { vi } from 'vitest';
import type { CallKey, Holder, KeyedCall } from './call-vault.ts';
import { TenantVault, WrappedKeyStore } from './tenant-vault.ts';
import { newTenantKeys, type WrappedKeys } from './wrapped-keys.ts';

const master = randomBytes(32);
const tenants = new Map<string, WrappedKeys>([
  ['ten_a', newTenantKeys(master, 'ten_a')],
  ['ten_b', newTenantKeys(master, 'ten_b')],
]);
const clear = Buffer.from('{"path":"a"}');
const ANNA: Holder = 'subject:anna';

/** The rows of keys, and of calls, as the database has them. */
class Rows extends WrappedKeyStore {
  readonly keys = new Map<string, Buffer>();
  readonly calls = new Map<string, string | null>();
  reads = 0;
  override find(tenantId: string): Promise<WrappedKeys | null> {
    return Promise.resolve(tenants.get(tenantId) ?? null);
  }
  override findKey(tenantId: string, keyId: string): Promise<Buffer | null> {
    this.reads += 1;
    return Promise.resolve(this.keys.get(`${tenantId}/${keyId}`) ?? null);
  }
  override keyOf(_: string, operationId: string): Promise<string | null | undefined> {
    this.reads += 1;
    return Promise.resolve(this.calls.get(operationId));
  }
}

let rows: Rows;
beforeEach(() => {
  rows = new Rows();
});
/** A replica: it has only the rows. */
const replica = (): TenantVault => new TenantVault({ current: master, before: null, next: null }, rows);
const call = (key_id: string | null, operation_id = 'op_1', tenant_id = 'ten_a'): KeyedCall => ({
  tenant_id,
  operation_id,
  payload_key: key_id,
});
async function admit(vault: TenantVault, holder: Holder = ANNA, tenantId = 'ten_a'): Promise<CallKey> {
  const key = await vault.calls.keyFor(tenantId, holder);
  if (key.wrapped !== null) rows.keys.set(`${tenantId}/${key.key_id}`, key.wrapped);
  vault.calls.markStored(tenantId, holder, key);
  return key;
}

describe('the content of a call', () => {
  it('opens at every replica, under a key that was generated once', async () => {
    const [one, other] = [replica(), replica()];
    const { key_id } = await admit(one);
    expect(await admit(one)).toEqual({ key_id, wrapped: null });
    expect((await admit(other)).key_id).not.toBe(key_id);
    const sealed = await one.calls.seal(call(key_id), 'args', clear);
    for (const vault of [one, other]) expect(await vault.calls.open('ten_a', 'op_1', 'args', sealed)).toEqual(clear);
    expect(
      await other.calls.open('ten_a', 'op_1', 'result', await other.calls.seal(call(key_id), 'result', clear)),
    ).toEqual(clear);
    expect(rows.reads).toBe(1);
  });

  it('has its wrapped key with the admission until that is known to be stored', async () => {
    const vault = replica();
    const [first, second] = [await vault.calls.keyFor('ten_a', ANNA), await vault.calls.keyFor('ten_a', ANNA)];
    expect(second).toEqual(first);
    expect(second.wrapped).not.toBeNull();
    vault.calls.markRetired('ten_a', ANNA, first);
    const anew = await vault.calls.keyFor('ten_a', ANNA);
    expect(anew.key_id).not.toBe(first.key_id);
    // A stale notice about a deleted key doesn't affect the new one.
    vault.calls.markStored('ten_a', ANNA, first);
    vault.calls.markRetired('ten_a', ANNA, first);
    expect(await vault.calls.keyFor('ten_a', ANNA)).toEqual(anew);
  });

  it('is sealed for an admission even if the key has left memory and the table: the admission detects that', async () => {
    const vault = replica();
    const { key_id } = await admit(vault);
    rows.keys.clear();
    const now = performance.now();
    const later = vi.spyOn(performance, 'now').mockReturnValue(now + 11 * 60_000);
    try {
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
      await expect(vault.calls.seal(call(key_id), 'args', clear)).rejects.toThrow('is gone');
      expect((await vault.calls.keyFor('ten_a', ANNA)).key_id).toBe(key_id);
      expect((await vault.calls.seal(call(key_id), 'args', clear)).length).toBeGreaterThan(clear.length);
    } finally {
      later.mockRestore();
    }
  });

  it('is of one holder and one tenant: each has its own key', async () => {
    const vault = replica();
    const keys = [await admit(vault), await admit(vault, 'session:anna'), await admit(vault, ANNA, 'ten_b')];
    expect(new Set(keys.map(({ key_id }) => key_id)).size).toBe(3);
    await expect(vault.calls.keyFor('ten_c', ANNA)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('does not open as another call, field or tenant, nor with any byte changed', async () => {
    const vault = replica();
    const { key_id } = await admit(vault);
    const sealed = await vault.calls.seal(call(key_id), 'args', clear);
    const opened = async (...[tenant, id, field, bytes]: Parameters<TenantVault['calls']['open']>) =>
      await vault.calls.open(tenant, id, field, bytes);
    await expect(opened('ten_a', 'op_2', 'args', sealed)).rejects.toThrow();
    await expect(opened('ten_a', 'op_1', 'result', sealed)).rejects.toThrow();
    // The key is not the other tenant's; and carried over there, it doesn't open under that one's.
    expect(await opened('ten_b', 'op_1', 'args', sealed)).toBeNull();
    rows.keys.set(`ten_b/${key_id}`, rows.keys.get(`ten_a/${key_id}`) as Buffer);
    await expect(opened('ten_b', 'op_1', 'args', sealed)).rejects.toThrow();
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(await opened('ten_a', 'op_1', 'args', changed).catch(() => null)).toBeNull();
    }
  });

  it("doesn't open any more once its key was deleted, in any copy", async () => {
    const one = replica();
    const { key_id } = await admit(one);
    const sealed = await one.calls.seal(call(key_id), 'args', clear);
    rows.keys.clear();
    expect(await replica().calls.open('ten_a', 'op_1', 'args', sealed)).toBeNull();
    await expect(replica().calls.openLive('ten_a', 'op_1', 'args', sealed)).rejects.toThrow('is gone');
    await expect(replica().calls.seal(call(key_id), 'result', clear)).rejects.toThrow('is gone');
  });

  it("is under its tenant's key where the call was admitted without one", async () => {
    const sealed = (await replica().cipherFor('ten_a')).seal('op_1', 'args', clear);
    expect(await replica().calls.open('ten_a', 'op_1', 'args', sealed)).toEqual(clear);
    const more = await replica().calls.seal(call(null), 'result', clear);
    expect((await replica().cipherFor('ten_a')).open('op_1', 'result', more)).toEqual(clear);
    expect(rows.reads).toBe(0);
  });

  it("is sealed under the call's own key where only the call's id is at hand", async () => {
    const { key_id } = await admit(replica());
    rows.calls.set('op_1', key_id).set('op_2', null);
    const vault = replica();
    for (let times = 0; times < 2; times++)
      expect(
        await vault.calls.open(
          'ten_a',
          'op_1',
          'announced',
          await vault.calls.sealById('ten_a', 'op_1', 'announced', clear),
        ),
      ).toEqual(clear);
    expect(rows.reads).toBe(2);
    const old = await vault.calls.sealById('ten_a', 'op_2', 'announced', clear);
    expect((await vault.cipherFor('ten_a')).open('op_2', 'announced', old)).toEqual(clear);
    await expect(vault.calls.sealById('ten_a', 'op_3', 'announced', clear)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
