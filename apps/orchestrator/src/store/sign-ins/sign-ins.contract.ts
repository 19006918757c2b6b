// SPDX-License-Identifier: Apache-2.0
// What every store of sign-in sessions and devices must do.
import { randomBytes } from 'node:crypto';
import type { TenantId } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { Identities, NewProvider, ProviderRow } from '../identities/identities.ts';
import type { DeviceAuthorizations } from './device-authorizations.ts';
import type { NewSignIn, SignIns } from './sign-ins.ts';

export interface SignInStores {
  readonly signIns: SignIns;
  readonly devices: DeviceAuthorizations;
  readonly identities: Identities;
  /** a credential of the provider, for sessions */
  readonly credentialOf: (tenant: TenantId, provider: ProviderRow) => Promise<NewSignIn['credential_id']>;
}

/** Longer than a test takes. */
const LONG_MS = 600_000;
const DAY = { lifetimeMs: LONG_MS, intervalMs: LONG_MS };

export const registration = (more: Partial<NewProvider> = {}): NewProvider => ({
  provider_id: newId('identityProvider'),
  name: 'corp',
  issuer: `https://${newId('request')}.example`,
  audience: 'https://writ.example.org',
  tenant_claim: null,
  tenant_value: null,
  scopes: [{ scope: 'writ:admin', role: 'admin' }],
  groups_claim: null,
  groups: [],
  person_claim: null,
  agent_id: null,
  agent_claim: null,
  sign_in: { client_id: 'writ' },
  hash_key_id: '0123456789abcdef',
  created_by: newId('apiKey'),
  confirmed: true,
  ...more,
});

/** Runs the suite. @param open the stores, which are open while the suite runs */
export function signInsContract(open: () => SignInStores): void {
  let stores: SignInStores;
  let tenant: TenantId;
  let provider: ProviderRow;
  let credential_id: NewSignIn['credential_id'];

  beforeEach(async () => {
    stores = open();
    tenant = newId('tenant');
    provider = await stores.identities.put(tenant, registration(), 20);
    credential_id = await stores.credentialOf(tenant, provider);
  });

  const session = (more: Partial<NewSignIn> = {}): NewSignIn => ({
    ...{ sign_in_id: newId('signIn'), kind: 'browser', client: null, approved_by: null, credential_id },
    ...{ provider_id: provider.provider_id, subject_hash: randomBytes(32), person_id: newId('person') },
    ...{ scopes: ['writ:admin'], groups: ['Writ Admins'], sealed: 'sealed', secret_hash: randomBytes(32) },
    authenticated_ms: 60_000,
    ...more,
  });
  async function begin(more: Partial<NewSignIn> = {}, maxMs = LONG_MS): Promise<NewSignIn> {
    const made = session(more);
    await stores.signIns.create(tenant, made, maxMs);
    return made;
  }
  const times = () => ({ signed_in_at: Date.now(), expires_at: Date.now() + LONG_MS, idleMs: LONG_MS });
  const approvalBy = ({ sign_in_id, person_id }: NewSignIn) => ({ approved_by: sign_in_id, person_id, sealed: 'who' });
  const find = (id: string, of = tenant, idleMs = LONG_MS) => stores.signIns.find(of, id, idleMs);
  const end = (id: string, more: Partial<Parameters<SignIns['end']>[2]> = {}, of = tenant) =>
    stores.signIns.end(of, id, { by: 'key_x', of: 'tenant', ...more });

  it('a session is found in its tenant alone, until it ends, is over, or was idle for too long', async () => {
    const one = await begin();
    const { authenticated_ms: _since, ...same } = one;
    const found = await find(one.sign_in_id);
    expect(found).toMatchObject({ ...same, next_hash: null, before_hash: null });
    expect(found?.authenticated_ms).toBeGreaterThanOrEqual(60_000);
    expect(found?.authenticated_ms).toBeLessThan(60_000 + LONG_MS);
    expect((await find((await begin({ authenticated_ms: null })).sign_in_id))?.authenticated_ms).toBeNull();
    expect(await find(one.sign_in_id, newId('tenant'))).toBeNull();
    expect(await find(newId('signIn'))).toBeNull();
    expect(await find(one.sign_in_id, tenant, 0)).toBeNull();
    expect(await end(one.sign_in_id, {}, newId('tenant'))).toBeNull();
    expect(await find(one.sign_in_id)).not.toBeNull();
    expect(await end(one.sign_in_id)).toMatchObject({ ended_at: expect.any(Number), ended_by: 'key_x' });
    expect(await find(one.sign_in_id)).toBeNull();
    expect(await find((await begin({}, 0)).sign_in_id)).toBeNull();
  });

  it('a session ends with its provider, with the sign-in of the provider, and with a denial of its subject', async () => {
    const { identities } = stores;
    const denied = await begin();
    const denial = { kind: 'subject', value_hash: denied.subject_hash, denied_by: 'key_x' } as const;
    await identities.deny(tenant, provider.provider_id, denial);
    expect(await find(denied.sign_in_id)).toBeNull();
    const other = await begin();
    const { issuer } = provider;
    await identities.put(tenant, registration({ issuer, sign_in: null }), 20);
    expect(await find(other.sign_in_id)).toBeNull();
    await identities.put(tenant, registration({ issuer }), 20);
    expect(await find(other.sign_in_id)).not.toBeNull();
    await identities.remove(tenant, provider.provider_id);
    expect(await find(other.sign_in_id)).toBeNull();
  });

  it('the secret of a session is replaced once its successor is used, and the one before is good for a while', async () => {
    const { signIns } = stores;
    const { sign_in_id, secret_hash } = await begin();
    const [next, other] = [randomBytes(32), randomBytes(32)];
    await signIns.offer(tenant, sign_in_id, randomBytes(32), other);
    expect(await find(sign_in_id)).toMatchObject({ secret_hash, next_hash: null });
    await signIns.offer(newId('tenant'), sign_in_id, secret_hash, other);
    await signIns.offer(tenant, sign_in_id, secret_hash, next);
    await signIns.offer(tenant, sign_in_id, secret_hash, other);
    expect(await find(sign_in_id)).toMatchObject({ secret_hash, next_hash: next });
    await signIns.rotate(tenant, sign_in_id, other, LONG_MS);
    await signIns.rotate(newId('tenant'), sign_in_id, next, LONG_MS);
    expect(await find(sign_in_id)).toMatchObject({ secret_hash, next_hash: next });
    await signIns.rotate(tenant, sign_in_id, next, LONG_MS);
    const rotated = await find(sign_in_id);
    expect(rotated).toMatchObject({ secret_hash: next, next_hash: null, before_hash: secret_hash });
    expect(rotated?.before_ms).toBeGreaterThan(LONG_MS / 2);
    await signIns.offer(tenant, sign_in_id, next, other);
    await signIns.rotate(tenant, sign_in_id, other, 0);
    expect((await find(sign_in_id))?.before_ms).toBeLessThanOrEqual(0);
  });

  it('what a session approved ends with it where each is recorded, and nothing else does', async () => {
    const { signIns } = stores;
    const one = await begin();
    const device = await begin({ kind: 'device', client: 'cli', approved_by: one.sign_in_id });
    const other = await begin();
    const endAll = (ids: readonly string[], of = tenant) =>
      signIns.endWithApproved(of, one.sign_in_id, { by: 'reuse', recorded: new Set(ids) });
    expect(await endAll([])).toEqual([device.sign_in_id]);
    expect(await endAll([], newId('tenant'))).toEqual([]);
    for (const { sign_in_id } of [one, device]) expect(await find(sign_in_id)).not.toBeNull();
    await end(one.sign_in_id);
    expect(await find(device.sign_in_id)).not.toBeNull();
    expect(await endAll([device.sign_in_id])).toEqual([]);
    expect(await signIns.read(tenant, device.sign_in_id, 'tenant')).toMatchObject({ ended_by: 'reuse' });
    expect(await find(device.sign_in_id)).toBeNull();
    expect(await find(other.sign_in_id)).not.toBeNull();
  });

  it('sessions are listed and ended by subject or by tenant, page by page, newest first', async () => {
    const { signIns } = stores;
    const subject_hash = randomBytes(32);
    const made = [await begin({ subject_hash }), await begin(), await begin({ subject_hash })];
    const ids = made.map(({ sign_in_id }) => sign_in_id).reverse();
    const idsOf = (page: Awaited<ReturnType<SignIns['list']>>) => page.items.map(({ sign_in_id }) => sign_in_id);
    const first = await signIns.list(tenant, 'tenant', { cursor: null, limit: 2 });
    const second = await signIns.list(tenant, 'tenant', { cursor: first.next_cursor, limit: 2 });
    expect([...idsOf(first), ...idsOf(second)].sort()).toEqual([...ids].sort());
    expect(second.next_cursor).toBeNull();
    const own = await signIns.list(tenant, { subject_hash }, { cursor: null, limit: 10 });
    expect(idsOf(own).sort()).toEqual([made[0]!.sign_in_id, made[2]!.sign_in_id].sort());
    expect(own.items[0]).toMatchObject({ provider: 'corp', kind: 'browser', client: null, ended_at: null });
    expect((await signIns.list(newId('tenant'), 'tenant', { cursor: null, limit: 10 })).items).toEqual([]);
    const [mine, theirs] = [made[0]!.sign_in_id, made[1]!.sign_in_id];
    expect(await end(theirs, { of: { subject_hash } })).toBeNull();
    expect(await signIns.read(tenant, theirs, { subject_hash })).toBeNull();
    expect(await find(theirs)).not.toBeNull();
    expect(await end(mine, { of: { subject_hash } })).toMatchObject({ sign_in_id: mine });
  });

  it('a device is approved once, by its code and in its tenant, and its session begins once', async () => {
    const { devices } = stores;
    const [device_hash, user_code_hash] = [randomBytes(32), randomBytes(32)];
    const device = { device_hash, user_code_hash, client: 'cli', address: '192.0.2.1' };
    expect(await devices.create(tenant, device, DAY)).toBe(true);
    expect(await devices.create(tenant, { ...device, device_hash: randomBytes(32) }, DAY)).toBe(false);
    expect(await devices.asking(tenant, user_code_hash)).toMatchObject({ client: 'cli', address: '192.0.2.1' });
    expect(await devices.asking(newId('tenant'), user_code_hash)).toBeNull();
    expect(await devices.poll(tenant, device_hash, 'another')).toEqual({ answer: 'unknown' });
    expect(await devices.poll(newId('tenant'), device_hash, 'cli')).toEqual({ answer: 'unknown' });
    expect(await devices.poll(tenant, device_hash, 'cli')).toEqual({ answer: 'pending' });
    expect(await devices.poll(tenant, device_hash, 'cli')).toEqual({ answer: 'slow_down' });
    const approver = await begin();
    const who = approvalBy(approver);
    const made = session({ kind: 'device', client: 'cli', approved_by: approver.sign_in_id });
    expect(await devices.redeem(tenant, device_hash, made, times())).toBe(false);
    expect(await devices.decide(newId('tenant'), user_code_hash, who)).toBe(false);
    expect(await devices.decide(tenant, user_code_hash, who)).toBe(true);
    expect(await devices.decide(tenant, user_code_hash, null)).toBe(false);
    expect(await devices.asking(tenant, user_code_hash)).toBeNull();
    const redeemed = await Promise.all(
      [made, { ...made, sign_in_id: newId('signIn'), secret_hash: randomBytes(32) }].map((one) =>
        devices.redeem(tenant, device_hash, one, times()),
      ),
    );
    expect(redeemed.sort()).toEqual([false, true]);
    expect((await stores.signIns.list(tenant, 'tenant', { cursor: null, limit: 10 })).items).toHaveLength(2);
    expect(await devices.poll(tenant, device_hash, 'cli')).toEqual({ answer: 'unknown' });
  });

  it('a device gets no session once the session that approved it has ended, and its approval is used up', async () => {
    const { devices, signIns } = stores;
    const approver = await begin();
    const asking = async () => {
      const device = { device_hash: randomBytes(32), user_code_hash: randomBytes(32), client: 'cli', address: '' };
      await devices.create(tenant, device, { ...DAY, intervalMs: 0 });
      return device;
    };
    const [approved, late] = [await asking(), await asking()];
    expect(await devices.decide(tenant, approved.user_code_hash, approvalBy(approver))).toBe(true);
    const device = () => session({ kind: 'device', client: 'cli', approved_by: approver.sign_in_id });
    await end(approver.sign_in_id);
    expect(await devices.redeem(tenant, approved.device_hash, device(), times())).toBe(false);
    expect(await devices.poll(tenant, approved.device_hash, 'cli')).toEqual({ answer: 'unknown' });
    expect(await devices.decide(tenant, late.user_code_hash, approvalBy(approver))).toBe(false);
    expect(await devices.poll(tenant, late.device_hash, 'cli')).toEqual({ answer: 'pending' });
    expect((await signIns.list(tenant, 'tenant', { cursor: null, limit: 10 })).items).toHaveLength(1);
  });

  it.each(['idle', 'denied', 'unregistered'])(
    'a device gets no session once the session that approved it is %s',
    async (why) => {
      const { devices, identities } = stores;
      const approver = await begin();
      const codes = { device_hash: randomBytes(32), user_code_hash: randomBytes(32) };
      await devices.create(tenant, { ...codes, client: 'cli', address: '' }, DAY);
      expect(await devices.decide(tenant, codes.user_code_hash, approvalBy(approver))).toBe(true);
      const denial = { kind: 'subject', value_hash: approver.subject_hash, denied_by: 'key_x' } as const;
      if (why === 'denied') await identities.deny(tenant, provider.provider_id, denial);
      if (why === 'unregistered') await identities.remove(tenant, provider.provider_id);
      const made = session({ kind: 'device', client: 'cli', approved_by: approver.sign_in_id });
      const idleMs = why === 'idle' ? 0 : LONG_MS;
      expect(await devices.redeem(tenant, codes.device_hash, made, { ...times(), idleMs })).toBe(false);
    },
  );

  it('a device that was denied, and one that is over, begin nothing', async () => {
    const { devices } = stores;
    const device = () => ({
      ...{ device_hash: randomBytes(32), user_code_hash: randomBytes(32) },
      ...{ client: 'cli', address: '192.0.2.1' },
    });
    const [denied, over] = [device(), device()];
    await devices.create(tenant, denied, DAY);
    expect(await devices.decide(tenant, denied.user_code_hash, null)).toBe(true);
    expect(await devices.poll(tenant, denied.device_hash, 'cli')).toEqual({ answer: 'denied' });
    await devices.create(tenant, over, { lifetimeMs: 0, intervalMs: 0 });
    expect(await devices.decide(tenant, over.user_code_hash, approvalBy(await begin()))).toBe(false);
    expect(await devices.poll(tenant, over.device_hash, 'cli')).toEqual({ answer: 'expired' });
  });
}
