// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import type { TenantId } from '@writ/contract';
import { inTenant } from '@writ/database';
import { newId } from '@writ/nest-kit';
import { testStore, type TestStore } from '../../specs/test-store.ts';
import { newKey } from '../keys/api-keys.contract.ts';
import type { NewProvider, ProviderRow } from './identities.ts';
import { PgBrowserSessions } from './pg-browser-sessions.ts';
import { PgIdentities } from './pg-identities.ts';

const LIFETIME_MS = 60_000;
let store: TestStore;
let identities: PgIdentities;
let sessions: PgBrowserSessions;
let tenant: TenantId;
let provider: ProviderRow;
beforeAll(async () => {
  store = await testStore();
  identities = new PgIdentities(store.pool);
  sessions = new PgBrowserSessions(store.pool);
}, 120_000);
afterAll(() => store.drop());
beforeEach(async () => {
  tenant = newId('tenant');
  provider = await identities.put(tenant, registration(), 20);
});

const registration = (more: Partial<NewProvider> = {}): NewProvider => ({
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
async function begin(lifetimeMs = LIFETIME_MS, subject_hash = randomBytes(32)) {
  const { provider_id } = provider;
  const row = { session_hash: randomBytes(32), provider_id, subject_hash, shown: 'sealed' };
  await sessions.create(tenant, row, lifetimeMs);
  return row;
}

it('a session is found in its tenant alone, until it ends', async () => {
  const row = await begin();
  expect(await sessions.find(tenant, row.session_hash)).toEqual(row);
  expect(await sessions.find(newId('tenant'), row.session_hash)).toBeNull();
  expect(await sessions.find(tenant, randomBytes(32))).toBeNull();
  await sessions.end(newId('tenant'), row.session_hash);
  expect(await sessions.find(tenant, row.session_hash)).toEqual(row);
  await sessions.end(tenant, row.session_hash);
  expect(await sessions.find(tenant, row.session_hash)).toBeNull();
});

it('a session that is over is not found, and the next one removes its row', async () => {
  const over = await begin(0);
  expect(await sessions.find(tenant, over.session_hash)).toBeNull();
  await begin();
  const { rows } = await inTenant(store.pool, tenant, (client) =>
    client.query<{ n: number }>('SELECT count(*)::int AS n FROM orchestrator.browser_session'),
  );
  expect(rows).toEqual([{ n: 1 }]);
});

it('a session ends with its provider, with the sign-in of the provider, and with a denial of its subject', async () => {
  const row = await begin();
  const denial = { kind: 'subject', value_hash: row.subject_hash, denied_by: 'key_x' } as const;
  await identities.deny(tenant, provider.provider_id, denial);
  expect(await sessions.find(tenant, row.session_hash)).toBeNull();

  const other = await begin();
  const { issuer } = provider;
  await identities.put(tenant, registration({ issuer, sign_in: null }), 20);
  expect(await sessions.find(tenant, other.session_hash)).toBeNull();
  await identities.put(tenant, registration({ issuer }), 20);
  expect(await sessions.find(tenant, other.session_hash)).toEqual(other);
  await identities.remove(tenant, provider.provider_id);
  expect(await sessions.find(tenant, other.session_hash)).toBeNull();
});

it('the sessions of a person end when the person is forgotten', async () => {
  const person = await identities.personOf(tenant, randomBytes(32), newId('person'));
  const row = await begin();
  const stays = await begin();
  const { provider_id } = provider;
  const key = newKey({ hash: randomBytes(32), created_by: provider_id, principal: person });
  await identities.createCredential(tenant, key, { provider_id, subject_hash: row.subject_hash });
  await identities.forgetPerson(tenant, person);
  expect(await sessions.find(tenant, row.session_hash)).toBeNull();
  expect(await sessions.find(tenant, stays.session_hash)).toEqual(stays);
});
