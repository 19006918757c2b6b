// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { inTenant } from '@writ/database';
import { newId } from '@writ/nest-kit';
import { testStore, type TestStore } from '../../specs/test-store.ts';
import { PgIdentities } from '../identities/pg-identities.ts';
import { newKey } from '../keys/api-keys.contract.ts';
import { PgDeviceAuthorizations } from './pg-device-authorizations.ts';
import { PgSignIns } from './pg-sign-ins.ts';
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

it('what is over is removed with the next session and the next device, and sessions of a forgotten person at once', async () => {
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
        ...{ provider_id: provider.provider_id, subject_hash: randomBytes(32), scopes: [], sealed: '' },
        secret_hash: randomBytes(32),
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
  expect(await count('sign_in_session')).toEqual({ n: 1 });
  for (const lifetimeMs of [0, 600_000]) await ask(lifetimeMs);
  expect(await count('device_authorization')).toEqual({ n: 1 });
  await begin(person, 600_000);
  await identities.forgetPerson(tenant, person);
  expect(await count('sign_in_session')).toEqual({ n: 1 });
});
