// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { inTenant } from '@writ/database';
import { newId } from '@writ/nest-kit';
import { testStore, type TestStore } from '../../specs/test-store.ts';
import { PgIdentities } from '../identities/pg-identities.ts';
import { newKey } from '../keys/api-keys.contract.ts';
import { PgDeviceAuthorizations } from './pg-device-authorizations.ts';
import { holdInForce, insertSignIn, PgSignIns } from './pg-sign-ins.ts';
import type { NewSignIn } from './sign-ins.ts';
import { registration, signInsContract, type SignInStores } from './sign-ins.contract.ts';

let store: TestStore;
let stores: SignInStores;
beforeAll(async () => {
  store = await testStore();
  const identities = new PgIdentities(store.pool);
  stores = {
    signIns: new PgSignIns(store.pool),
    devices: new PgDeviceAuthorizations(store.pool),
    identities,
    credentialOf: async (tenant, { provider_id }) => {
      const key = newKey({ hash: randomBytes(32), created_by: provider_id });
      await identities.createCredential(tenant, key, { provider_id, subject_hash: randomBytes(32) });
      return key.api_key_id;
    },
  };
}, 120_000);
afterAll(() => store.drop());

describe('in Postgres', () => signInsContract(() => stores));

it('what is over is removed, whoever signs in again, and sessions of a forgotten person at once', async () => {
  const { signIns, devices, identities, credentialOf } = stores;
  const tenant = newId('tenant');
  const provider = await identities.put(tenant, registration(), 20);
  const person = await identities.personOf(tenant, randomBytes(32), newId('person'));
  const credential_id = await credentialOf(tenant, provider);
  const begin = (person_id: typeof person, maxMs: number) =>
    signIns.create(
      tenant,
      {
        ...{ sign_in_id: newId('signIn'), kind: 'browser', client: null, approved_by: null, credential_id, person_id },
        ...{ provider_id: provider.provider_id, subject_hash: randomBytes(32), scopes: [], groups: [], sealed: '' },
        secret_hash: randomBytes(32),
        authenticated_ms: null,
      },
      maxMs,
    );
  const ask = (lifetimeMs: number) =>
    devices.create(
      tenant,
      { device_hash: randomBytes(32), user_code_hash: randomBytes(32), client: 'cli', address: '' },
      { lifetimeMs, intervalMs: 0 },
    );
  const count = async (table: string): Promise<unknown> =>
    (
      await inTenant(store.pool, tenant, (client) =>
        client.query(`SELECT count(*)::int AS n FROM orchestrator.${table}`),
      )
    ).rows[0];
  for (const maxMs of [0, 600_000]) await begin(newId('person'), maxMs);
  for (const lifetimeMs of [0, 600_000]) await ask(lifetimeMs);
  expect([await count('sign_in_session'), await count('device_authorization')]).toEqual([{ n: 2 }, { n: 2 }]);
  expect(await signIns.prune()).toBeGreaterThanOrEqual(2);
  expect(await signIns.prune()).toBe(0);
  expect([await count('sign_in_session'), await count('device_authorization')]).toEqual([{ n: 1 }, { n: 1 }]);
  await begin(person, 600_000);
  await identities.forgetPerson(tenant, person);
  expect(await count('sign_in_session')).toEqual({ n: 1 });
});

it('an end of a session waits for the device that it approves, and ends it too; so does forgetting its person', async () => {
  const { signIns, identities, credentialOf } = stores;
  for (const how of ['end', 'forget'] as const) {
    const tenant = newId('tenant');
    const provider = await identities.put(tenant, registration(), 20);
    const person_id = await identities.personOf(tenant, randomBytes(32), newId('person'));
    const credential_id = await credentialOf(tenant, provider);
    const session = (more: Partial<NewSignIn> = {}): NewSignIn => ({
      ...{ sign_in_id: newId('signIn'), kind: 'browser', client: null, approved_by: null, credential_id, person_id },
      ...{ provider_id: provider.provider_id, subject_hash: randomBytes(32), scopes: [], groups: [], sealed: '' },
      ...{ secret_hash: randomBytes(32), authenticated_ms: null, ...more },
    });
    const approver = session();
    await signIns.create(tenant, approver, 600_000);
    const device = session({ kind: 'device', client: 'cli', approved_by: approver.sign_in_id });
    const ended = await inTenant(store.pool, tenant, async (client) => {
      expect(await holdInForce(client, approver.sign_in_id, 600_000)).toBe(true);
      const { sign_in_id } = approver;
      const ending =
        how === 'forget'
          ? identities.forgetPerson(tenant, person_id)
          : signIns.endWithApproved(tenant, sign_in_id, { by: 'reuse', recorded: new Set([device.sign_in_id]) });
      await untilWaiting();
      await insertSignIn(client, tenant, device, { signed_in_at: Date.now(), expires_at: Date.now() + 600_000 });
      return { ending };
    });
    await ended.ending;
    expect(await signIns.find(tenant, device.sign_in_id, 600_000)).toBeNull();
  }
});

/** Resolves once a statement waits for a lock on a row. */
async function untilWaiting(): Promise<void> {
  await vi.waitFor(async () => {
    const { rows } = await store.pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%sign_in_session%'`,
    );
    expect(rows[0]?.n).toBeGreaterThan(0);
  }, 10_000);
}

it('forgetting a person removes the devices that the person approved', async () => {
  const { signIns, devices, identities, credentialOf } = stores;
  const tenant = newId('tenant');
  const provider = await identities.put(tenant, registration(), 20);
  const person_id = await identities.personOf(tenant, randomBytes(32), newId('person'));
  const sign_in_id = newId('signIn');
  const whose = { credential_id: await credentialOf(tenant, provider), person_id, provider_id: provider.provider_id };
  const of = {
    kind: 'browser',
    client: null,
    approved_by: null,
    scopes: [],
    groups: [],
    sealed: '',
    authenticated_ms: null,
  } as const;
  const hashes = { subject_hash: randomBytes(32), secret_hash: randomBytes(32) };
  await signIns.create(tenant, { sign_in_id, ...of, ...whose, ...hashes }, 600_000);
  const codes = { device_hash: randomBytes(32), user_code_hash: randomBytes(32) };
  await devices.create(tenant, { ...codes, client: 'cli', address: '' }, { lifetimeMs: 600_000, intervalMs: 0 });
  await devices.decide(tenant, codes.user_code_hash, { approved_by: sign_in_id, person_id, sealed: 'Ann' });
  expect(await devices.poll(tenant, codes.device_hash, 'cli')).toEqual({ answer: 'approved', approval: 'Ann' });
  await identities.forgetPerson(tenant, person_id);
  expect(await devices.poll(tenant, codes.device_hash, 'cli')).toEqual({ answer: 'unknown' });
});

it('groups of a session end with the claim that they are from, and a later sign-in has those of the new one', async () => {
  const { signIns, identities, credentialOf } = stores;
  const tenant = newId('tenant');
  const groups = [{ group: 'Writ Admins', role: 'admin' }] as const;
  const base = registration();
  const provider = await identities.put(tenant, { ...base, groups_claim: 'groups', groups }, 20);
  const credential_id = await credentialOf(tenant, provider);
  const begin = async () => {
    const sign_in_id = newId('signIn');
    const session = {
      ...{
        sign_in_id,
        kind: 'browser' as const,
        client: null,
        approved_by: null,
        credential_id,
        person_id: newId('person'),
      },
      ...{ provider_id: provider.provider_id, subject_hash: randomBytes(32), scopes: ['s'], groups: ['Writ Admins'] },
      ...{ sealed: '', secret_hash: randomBytes(32), authenticated_ms: null },
    } as const;
    await signIns.create(tenant, session, 600_000);
    return async () => {
      const { scopes, groups: counted } = (await signIns.find(tenant, sign_in_id, 600_000)) ?? {};
      return { scopes, groups: counted };
    };
  };
  const [all, none] = [
    { scopes: ['s'], groups: ['Writ Admins'] },
    { scopes: ['s'], groups: [] },
  ];
  const first = await begin();
  await identities.put(tenant, { ...base, groups_claim: 'groups', groups }, 20);
  expect(await first()).toEqual(all);
  await identities.put(tenant, { ...base, groups_claim: 'roles', groups }, 20);
  expect(await first()).toEqual(none);
  // One that was under way meanwhile may be from the claim before.
  const beside = await begin();
  expect(await beside()).toEqual(none);
  await store.admin.query(
    'UPDATE orchestrator.identity_provider SET groups_since = groups_since - 60000 WHERE provider_id = $1',
    [provider.provider_id],
  );
  await store.admin.query(
    "UPDATE orchestrator.sign_in_session SET signed_in_at = signed_in_at - 70000 WHERE tenant_id = $1 AND scopes = '{s}'",
    [tenant],
  );
  expect(await first()).toEqual(none);
  expect(await (await begin())()).toEqual(all);
});
