// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import type { TenantId } from '@writ/contract';
import { inTenant } from '@writ/database';
import { newId } from '@writ/nest-kit';
import { testStore, type TestStore } from '../../specs/test-store.ts';
import { newKey } from '../keys/api-keys.contract.ts';
import type { NewProvider } from './identities.ts';
import { PgIdentities } from './pg-identities.ts';
import { NO_WORKLOADS, type RegisteredWorkload, type WorkloadMapping } from './workloads.ts';

let store: TestStore;
let identities: PgIdentities;
let tenant: TenantId;
beforeAll(async () => {
  store = await testStore();
  identities = new PgIdentities(store.pool);
}, 120_000);
afterAll(() => store.drop());
beforeEach(() => {
  tenant = newId('tenant');
});

const provider = (more: Partial<NewProvider> = {}): NewProvider => ({
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
  sign_in: null,
  hash_key_id: '0123456789abcdef',
  created_by: newId('apiKey'),
  confirmed: true,
  ...more,
});
const put = (one: NewProvider, of = tenant) => identities.put(of, one, 20);

it('a registration is found by its issuer alone, changed in its mapping, and gone once it is removed', async () => {
  const one = provider();
  const { hash_key_id: _hashes, confirmed: _confirmed, ...shown } = one;
  expect(await put(one)).toMatchObject({ ...shown, removed_at: null, created_at: expect.any(Number) });
  const { created_by: _by, confirmed: _sure, sign_in: _signIn, issuer, ...inForce } = one;
  expect(await identities.providersOf(issuer)).toEqual([{ ...inForce, ...NO_WORKLOADS, tenant_id: tenant }]);
  expect(await identities.providersOf(`${issuer}/`)).toEqual([]);
  const sign_in = { client_id: 'writ' };
  const again = {
    ...one,
    provider_id: newId('identityProvider'),
    agent_claim: 'agent',
    hash_key_id: 'another',
    sign_in,
  };
  const changed = await put(again);
  expect(await identities.providersOf(issuer)).toMatchObject([{ hash_key_id: 'another' }]);
  expect(changed).toMatchObject({ provider_id: one.provider_id, agent_claim: 'agent', sign_in });
  const other = { name: 'other', audience: 'https://writ.example.org/other', person_claim: 'email' };
  for (const each of [{ audience: other.audience }, { person_claim: 'email' }, other])
    await expect(put({ ...one, ...each })).rejects.toMatchObject({ code: 'conflict' });
  expect(await identities.list(newId('tenant'))).toEqual([]);
  await identities.remove(newId('tenant'), one.provider_id);
  expect(await identities.providersOf(issuer)).toHaveLength(1);
  await identities.remove(tenant, one.provider_id);
  expect(await identities.providersOf(issuer)).toEqual([]);
  expect(await identities.read(tenant, 'corp')).toMatchObject({ removed_at: expect.any(Number) });
});

it('nothing is registered, and no scope gives another role, unless somebody confirmed it', async () => {
  const one = provider();
  const scopes = [{ scope: 'writ:agent', role: 'admin' }] as const;
  await expect(put({ ...one, confirmed: false })).rejects.toMatchObject({ code: 'conflict' });
  await put(one);
  await expect(put({ ...one, scopes, confirmed: false })).rejects.toMatchObject({ code: 'conflict' });
  expect(await put({ ...one, agent_claim: 'agent', confirmed: false })).toMatchObject({ agent_claim: 'agent' });
});

it('groups give roles once somebody confirmed them, and none without their claim', async () => {
  const one = provider();
  const mapping = { groups_claim: 'groups', groups: [{ group: 'Writ Admins', role: 'admin' }] } as const;
  await put(one);
  for (const other of [mapping, { groups_claim: 'groups' }])
    await expect(put({ ...one, ...other, confirmed: false })).rejects.toMatchObject({ code: 'conflict' });
  expect(await put({ ...one, ...mapping })).toMatchObject(mapping);
  expect(await identities.providersOf(one.issuer)).toMatchObject([mapping]);
  for (const other of [{ groups: [] }, { groups_claim: 'roles' }])
    await expect(put({ ...one, ...mapping, ...other, confirmed: false })).rejects.toMatchObject({ code: 'conflict' });
  await expect(put({ ...one, ...mapping, groups_claim: null })).rejects.toThrow('identity_provider_groups');
});

it('a process of the version before finds registrations by the function that it knows, without their groups', async () => {
  const one = provider({ groups_claim: 'groups', groups: [{ group: 'Writ Admins', role: 'admin' }] });
  await put(one);
  const { rows } = await store.pool.query<object>('SELECT * FROM orchestrator.providers_of($1)', [one.issuer]);
  expect(rows).toMatchObject([{ provider_id: one.provider_id, scopes: one.scopes }]);
  expect(Object.keys(rows[0] ?? {})).not.toContain('groups');
});

it('one issuer has one tenant, or tenants by the values of one claim, even when two register it at once', async () => {
  const { issuer } = provider();
  const ends = await Promise.allSettled([tenant, newId('tenant')].map((of) => put(provider({ issuer }), of)));
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const shared = provider().issuer;
  const by = (tenant_value: string, tenant_claim = 'org') => provider({ issuer: shared, tenant_claim, tenant_value });
  await put(by('a'), newId('tenant'));
  await put(by('b'), newId('tenant'));
  for (const other of [by('a'), by('c', 'team'), provider({ issuer: shared })])
    await expect(put(other, newId('tenant'))).rejects.toMatchObject({ code: 'conflict' });
});

it('a credential is stored once, and is listed until it is revoked', async () => {
  const { provider_id } = await put(provider());
  const [hash, subject_hash] = [randomBytes(32), randomBytes(32)];
  const key = newKey({ hash, created_by: provider_id });
  for (const each of [key, newKey({ hash, created_by: provider_id })])
    await identities.createCredential(tenant, each, { provider_id, subject_hash });
  expect(await identities.hasCredential(tenant, hash)).toBe(true);
  expect(await identities.hasCredential(newId('tenant'), hash)).toBe(false);
  expect(await identities.credential(tenant, key.api_key_id)).toEqual({ provider_id, subject_hash });
  expect(await identities.credential(newId('tenant'), key.api_key_id)).toBeNull();
  expect(await identities.credentialsOf(tenant, { provider_id }, 10)).toEqual([key.api_key_id]);
  expect(await identities.credentialsOf(tenant, { subject_hash }, 10)).toEqual([key.api_key_id]);
  expect(await identities.credentialsOf(tenant, { subject_hash: randomBytes(32) }, 10)).toEqual([]);
});

it('a credential is made of what is registered, wholly before a change of it or not at all', async () => {
  const workload = { subject: 'system:serviceaccount:a:b', since: 7 };
  const registered = { ...workload, role: 'auditor', agent_id: null, tools: null, capability_token_id: null } as const;
  const cluster = provider({ profile: 'kubernetes', scopes: [], workloads: [registered], jwks: null });
  const { provider_id } = await put(cluster);
  const make = () =>
    identities.createCredential(tenant, newKey({ hash: randomBytes(32), created_by: provider_id }), {
      ...{ provider_id, subject_hash: randomBytes(32), workload },
    });
  const found = () => identities.credentialsOf(tenant, { provider_id }, 100);
  await make();
  // Whoever changes it sees each credential that is made beside.
  const made = Promise.allSettled(Array.from({ length: 8 }, make));
  await put({ ...cluster, workloads: [{ ...registered, since: 8 }] });
  const seen = await found();
  await made;
  expect(await found()).toEqual(seen);
  await expect(make()).rejects.toMatchObject({ code: 'conflict' });
  await put(cluster);
  await make();
  await identities.remove(tenant, provider_id);
  await expect(make()).rejects.toMatchObject({ code: 'conflict' });
});

it('a subject and a token are denied for their tenant alone, and stay so without the registration', async () => {
  const one = await put(provider());
  const [subject_hash, jti_hash] = [randomBytes(32), randomBytes(32)];
  const of = { subject_hash, jti_hash };
  expect(await identities.isDenied(tenant, of)).toBe(false);
  for (let n = 0; n < 2; n++)
    await identities.deny(tenant, one.provider_id, { kind: 'jti', value_hash: jti_hash, denied_by: 'key_x' });
  expect(await identities.isDenied(tenant, of)).toBe(true);
  expect(await identities.isDenied(tenant, { subject_hash: jti_hash, jti_hash: subject_hash })).toBe(false);
  expect(await identities.isDenied(newId('tenant'), of)).toBe(false);
  await identities.remove(tenant, one.provider_id);
  expect(await identities.isDenied(tenant, of)).toBe(true);
});

it('a person has one pseudonym per tenant, until it is forgotten', async () => {
  const link = randomBytes(32);
  const ids = await Promise.all(Array.from({ length: 8 }, () => identities.personOf(tenant, link, newId('person'))));
  const [id] = ids;
  expect(new Set(ids).size).toBe(1);
  expect(await identities.personOf(newId('tenant'), link, newId('person'))).not.toBe(id);
  expect(await identities.forgetPerson(newId('tenant'), String(id))).toBe(false);
  expect(await identities.forgetPerson(tenant, String(id))).toBe(true);
  expect(await identities.findPerson(tenant, link)).toBeNull();
  expect(await identities.personOf(tenant, link, newId('person'))).not.toBe(id);
});

it('credentials of a person are found by the pseudonym, and none is made of a forgotten one', async () => {
  const { provider_id } = await put(provider());
  const person = await identities.personOf(tenant, randomBytes(32), newId('person'));
  const of = { provider_id, subject_hash: randomBytes(32) };
  const key = newKey({ hash: randomBytes(32), created_by: provider_id, principal: person });
  await identities.createCredential(tenant, key, of);
  expect(await identities.credentialsOf(tenant, { person_id: person }, 10)).toEqual([key.api_key_id]);
  expect(await identities.credentialsOf(newId('tenant'), { person_id: person }, 10)).toEqual([]);
  await identities.forgetPerson(tenant, person);
  // What leads to the subject is gone, and the credential can still be found by the pseudonym.
  expect(await identities.credentialsOf(tenant, { subject_hash: of.subject_hash }, 10)).toEqual([]);
  expect(await identities.credentialsOf(tenant, { person_id: person }, 10)).toEqual([key.api_key_id]);
  const late = newKey({ hash: randomBytes(32), created_by: provider_id, principal: person });
  await expect(identities.createCredential(tenant, late, of)).rejects.toMatchObject({ code: 'conflict' });
});

const cluster = (subject: string, kid: string | null, more: Partial<NewProvider> = {}): NewProvider => {
  const workload: RegisteredWorkload = {
    ...{ subject, role: 'auditor', agent_id: null, tools: null, capability_token_id: null, since: 1 },
  };
  const jwks: WorkloadMapping['jwks'] = kid === null ? null : [{ kid, kty: 'RSA', n: 'n', e: 'AQAB' }];
  return provider({ name: kid ?? 'open', profile: 'kubernetes', scopes: [], workloads: [workload], jwks, ...more });
};

it('a service account of one issuer is of one registration, unless the keys tell the clusters apart', async () => {
  const issuer = `https://${newId('request')}.example`;
  const [a, b] = ['system:serviceaccount:a:a', 'system:serviceaccount:b:b'];
  const one = cluster(a, 'k1', { issuer });
  expect(await put(one)).toMatchObject({ profile: 'kubernetes', workloads: one.workloads, jwks: one.jwks });
  const conflict = { code: 'conflict' };
  const other = newId('tenant');
  await expect(put(cluster(a, 'k1', { issuer }), other)).rejects.toMatchObject(conflict);
  await expect(put(cluster(a, null, { issuer }), other)).rejects.toMatchObject(conflict);
  // Within one tenant other keys don't help, and no issuer has two profiles.
  await expect(put(cluster(a, 'k2', { issuer }))).rejects.toMatchObject(conflict);
  await expect(put(provider({ name: 'people', issuer, audience: 'https://other.example' }))).rejects.toMatchObject(
    conflict,
  );
  expect(await put(cluster(a, 'k2', { issuer }), other)).toMatchObject({ profile: 'kubernetes' });
  const second = await put(cluster(b, 'k3', { issuer }), other);
  // A change is compared with the others, too.
  await expect(put({ ...one, name: 'k3', issuer, workloads: one.workloads! }, other)).rejects.toMatchObject(conflict);
  expect(await identities.providersOf(issuer)).toHaveLength(3);
  await identities.remove(other, second.provider_id);
  expect(await identities.providersOf(issuer)).toHaveLength(2);
});

it('a process of the version before gives a cluster no scopes', async () => {
  const { provider_id } = await put(cluster('system:serviceaccount:a:a', 'k1'));
  const scopes = JSON.stringify([{ scope: 'x', role: 'admin' }]);
  await expect(
    inTenant(store.pool, tenant, (client) =>
      client.query('UPDATE orchestrator.identity_provider SET scopes = $2 WHERE provider_id = $1', [
        provider_id,
        scopes,
      ]),
    ),
  ).rejects.toMatchObject({ constraint: 'identity_provider_cluster' });
});

it('an administrator adds no service account, and takes one away', async () => {
  const one = cluster('system:serviceaccount:a:a', 'k1');
  await put(one);
  const [workload] = one.workloads!;
  const more = [...one.workloads!, { ...workload!, subject: 'system:serviceaccount:a:b' }];
  await expect(put({ ...one, workloads: more, confirmed: false })).rejects.toMatchObject({ code: 'conflict' });
  expect(await put({ ...one, workloads: [], confirmed: false })).toMatchObject({ workloads: [] });
});
