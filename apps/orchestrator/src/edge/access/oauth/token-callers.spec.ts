// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import type { Caller } from '@writ/contract';
import type { FakeApiKeys } from '../../../specs/fake-api-keys.ts';
import type { FakeIdentities } from '../../../specs/fake-identities.ts';
import { documentsOf, sceneProvider, TokenScene } from '../../../specs/token-scene.ts';
import { RESOURCE, testIssuer, type TestIssuer, type TokenChanges } from '../../../specs/test-issuer.ts';
import type { NewProvider } from '../../../store/identities/identities.ts';
import { credentialDigest, type CredentialRecords } from './credentials.ts';
import { IdentityHashes, type PersonLinks } from './person-links.ts';
import type { TokenCallers, TokenNeed } from './token-callers.ts';

const START = 1_800_000_000_000;
const TENANT = newId('tenant');
const AGENT = newId('agent');
let now: number;
let issuer: TestIssuer;
let keys: FakeApiKeys;
let identities: FakeIdentities;
let scene: TokenScene;
let callers: TokenCallers;
let persons: PersonLinks;
let recorded: Caller[];
let revoked: string[];
let requests: number;
const records: CredentialRecords = {
  created: async (caller) => void recorded.push(caller),
  workloadCreated: async () => undefined,
  changed: async () => undefined,
  revoked: async (_by, id) => void revoked.push(id),
};
beforeEach(async () => {
  now = START;
  issuer = await testIssuer();
  [recorded, revoked, requests] = [[], [], 0];
  scene = new TokenScene({ records, now: () => now, counted: () => (requests += 1) });
  ({ identities, keys, persons } = scene);
  callers = scene.callers(issuer.fetchDocument);
});

const provider = (more: Partial<NewProvider> = {}): NewProvider => sceneProvider(issuer, AGENT, more);
const register = (more: Partial<NewProvider> = {}) => identities.put(TENANT, provider(more), 20);
const token = (claims: Record<string, unknown> = {}, more: TokenChanges = {}) =>
  issuer.token(START, { ...more, claims: { scope: 'use approve', ...claims } });
const need = (roles: TokenNeed['roles'] = null, path = '/v1/tools'): TokenNeed => ({ roles, path });
const refused = { code: 'auth.invalid' };

it('a token becomes one credential for each role, recorded before it exists', async () => {
  await register();
  const text = await token();
  const agent = await callers.identify(text, need(['agent']));
  expect(agent).toMatchObject({
    tenant_id: TENANT,
    role: 'agent',
    agent_id: AGENT,
    person: expect.stringMatching(/^per_/),
  });
  const operator = await callers.identify(text, need(['admin', 'operator']));
  expect(operator).toMatchObject({ role: 'operator', agent_id: null, person: agent.person });
  // Both are of one person: what one proposes, the other can't approve.
  expect(operator.principal).toBe(agent.principal);
  now += 1_000;
  expect(await callers.identify(await token({ jti: 'another' }), need(['agent']))).toEqual(agent);
  expect(recorded.map(({ role }) => role)).toEqual(['agent', 'operator']);
});

it('a token without a scope for the request is refused with the scopes that are missing', async () => {
  await register();
  await expect(callers.identify(await token({ scope: 'use' }), need(['operator', 'admin']))).rejects.toMatchObject({
    code: 'auth.insufficient_scope',
    scopes: ['approve'],
  });
  await expect(callers.identify(await token({ scope: undefined }), need())).rejects.toMatchObject({ scopes: ['use'] });
  await expect(callers.identify(await token(), need(['auditor']))).rejects.toMatchObject({ scopes: [] });
});

it('a token that ends while it is cached is refused', async () => {
  await register();
  now = START + 599_500;
  const text = await token();
  await callers.identify(text, need());
  now += 600;
  await expect(callers.identify(text, need())).rejects.toMatchObject(refused);
});

it('a token of `/mcp` is good there alone', async () => {
  await register();
  const text = await token({ aud: `${RESOURCE}/mcp` });
  expect(await callers.identify(text, need(null, '/mcp'))).toMatchObject({ tenant_id: TENANT });
  await expect(callers.identify(text, need(null, '/v1/tools'))).rejects.toMatchObject(refused);
  await expect(callers.identify(text, need(null, '/mcpx'))).rejects.toMatchObject(refused);
});

it('the agent is the one that the token names, where the registration names a claim', async () => {
  await register({ agent_id: null, agent_claim: 'agent' });
  const other = newId('agent');
  expect(await callers.identify(await token({ agent: other }), need(['agent']))).toMatchObject({ agent_id: other });
  for (const agent of [undefined, 'x', newId('apiKey'), [other]])
    await expect(callers.identify(await token({ agent }), need(['agent']))).rejects.toMatchObject(refused);
});

it('an issuer that no tenant registered is not even asked for its keys', async () => {
  await expect(callers.identify(await token(), need())).rejects.toMatchObject(refused);
  expect(issuer.requested).toEqual([]);
});

it('a revoked credential is neither good nor made anew', async () => {
  await register();
  const { api_key_id } = await callers.identify(await token(), need(['operator']));
  await keys.revoke(TENANT, api_key_id);
  callers.forget();
  for (const jti of ['a', 'b'])
    await expect(callers.identify(await token({ jti }), need(['operator']))).rejects.toMatchObject(refused);
  expect(recorded).toHaveLength(1);
});

it('a removed issuer is refused within a second at every replica', async () => {
  const { provider_id } = await register();
  const text = await token();
  await callers.identify(text, need());
  await identities.remove(TENANT, provider_id);
  now += 999;
  await expect(callers.identify(text, need())).rejects.toMatchObject(refused);
});

it('a forgotten person gets another pseudonym and another credential', async () => {
  await register();
  const before = await callers.identify(await token(), need(['operator']));
  await identities.forgetPerson(TENANT, String(before.person));
  persons.forget();
  callers.forget();
  const after = await callers.identify(await token(), need(['operator']));
  expect([after.person === before.person, after.api_key_id === before.api_key_id]).toEqual([false, false]);
});

it('a person whom a claim names is that of API keys with the name', async () => {
  await register({ person_claim: 'email' });
  const caller = await callers.identify(await token({ email: 'Ann@Example.org' }), need(['operator']));
  expect(caller).toMatchObject({ principal: 'ann@example.org' });
  expect(await persons.idOf(TENANT, { principal: 'ann@example.org' })).toBe(caller.person);
});

it.each([
  '\u212aate@example.org',
  'kate\u0000@example.org',
  'kate@example.org\u200b',
  '\u043aate@example.org',
  'KATE\u0301@example.org',
  'k'.repeat(65),
  '',
  ' kate@example.org',
  'key_01kdvq8qfwe9gr4v9m1h7e3x2z',
  'per_01kdvq8qfwe9gr4v9m1h7e3x2z',
])('the name %j names nobody, and never somebody else', async (email) => {
  await register({ person_claim: 'email' });
  await expect(callers.identify(await token({ email }), need(['operator']))).rejects.toMatchObject(refused);
  expect(recorded).toEqual([]);
});

it.each([false, 'false', null, 0, 'yes'])(
  'an address whose `email_verified` is %j names nobody',
  async (email_verified) => {
    await register({ person_claim: 'email' });
    const text = await token({ email: 'ann@example.org', email_verified });
    const isAbsent = email_verified === null;
    await (isAbsent
      ? expect(callers.identify(text, need(['operator']))).resolves.toMatchObject({ principal: 'ann@example.org' })
      : expect(callers.identify(text, need(['operator']))).rejects.toMatchObject(refused));
  },
);

it('subjects of hostile or equal-looking spelling are persons apart', async () => {
  await register();
  const subjects = [
    'ann',
    'ANN',
    'ann ',
    'ann\u200b',
    '\u0430nn',
    'an\u0303n',
    'a\u00f1n',
    '__proto__',
    "'; DROP TABLE person; --",
    'x'.repeat(255),
    '\u{1f600}'.repeat(100),
  ];
  const made = new Set<unknown>();
  for (const sub of subjects) made.add((await callers.identify(await token({ sub }), need(['operator']))).person);
  expect(made.size).toBe(subjects.length);
});

it('one subject of two issuers is two persons', async () => {
  const other = await testIssuer('https://login.example.com');
  callers = scene.callers(documentsOf(issuer, other));
  await register();
  await register({ name: 'other', issuer: other.issuer });
  const claims = { scope: 'approve', sub: 'ann' };
  const [one, two] = [
    await callers.identify(await issuer.token(START, { claims }), need(['operator'])),
    await callers.identify(await other.token(START, { claims }), need(['operator'])),
  ];
  expect([one.person === two.person, one.principal === two.principal, one.api_key_id === two.api_key_id]).toEqual([
    false,
    false,
    false,
  ]);
  // One issuer does not speak for the other.
  const forged = await other.token(START, { claims: { ...claims, iss: issuer.issuer } });
  await expect(callers.identify(forged, need(['operator']))).rejects.toMatchObject(refused);
});

it('an issuer of one tenant names no other tenant', async () => {
  await register();
  const other = newId('tenant');
  for (const claims of [{ tenant_id: other }, { tenant: other }, { org: other }, { 'writ.tenant_id': other }])
    expect(await callers.identify(await token(claims), need(['operator']))).toMatchObject({ tenant_id: TENANT });
});

it.each(['writ:admin', 'MANAGE', 'manage\u200b', 'man age', 'approve,manage', 'manage\u00a0x', 'admin'])(
  'the scope %j is not `manage`',
  async (scope) => {
    await register();
    await expect(callers.identify(await token({ scope }), need(['admin']))).rejects.toMatchObject({
      code: 'auth.insufficient_scope',
      scopes: ['manage'],
    });
  },
);

it('claims other than `scope` give no role', async () => {
  await register();
  const more = {
    scope: 'use',
    scp: ['manage'],
    roles: ['admin'],
    role: 'admin',
    groups: ['manage'],
    permissions: 'manage',
  };
  await expect(callers.identify(await token(more), need(['admin']))).rejects.toMatchObject({
    code: 'auth.insufficient_scope',
  });
});

it('a denied subject and a denied token stay denied under a new registration of the issuer', async () => {
  const { provider_id } = await register();
  const value_hash = scene.hashes.of('subject', TENANT, issuer.issuer, 'mallory');
  await identities.deny(TENANT, provider_id, { kind: 'subject', value_hash, denied_by: 'key' });
  await identities.remove(TENANT, provider_id);
  await register();
  await expect(callers.identify(await token({ sub: 'mallory' }), need())).rejects.toMatchObject(refused);
  expect(await callers.identify(await token(), need())).toMatchObject({ tenant_id: TENANT });
});

it('tokens are refused under another key of identity hashes, until the issuer is registered again', async () => {
  await register({ hash_key_id: new IdentityHashes(Buffer.alloc(32, 2)).keyId });
  await expect(callers.identify(await token(), need())).rejects.toMatchObject({
    ...refused,
    detail: expect.stringContaining('deny again') as string,
  });
  await register();
  expect(await callers.identify(await token(), need())).toMatchObject({ tenant_id: TENANT });
});

it('a token for the audiences of two registrations belongs to neither', async () => {
  const other = newId('tenant');
  await register();
  await identities.put(other, provider({ audience: `${RESOURCE}/other` }), 20);
  const both = [RESOURCE, `${RESOURCE}/other`];
  await expect(callers.identify(await token({ aud: both }), need(['operator']))).rejects.toMatchObject(refused);
  await expect(callers.identify(await token({ aud: both.toReversed() }), need(['operator']))).rejects.toMatchObject(
    refused,
  );
  for (const [aud, tenant_id] of [
    [both[0], TENANT],
    [both[1], other],
  ])
    expect(await callers.identify(await token({ aud }), need(['operator']))).toMatchObject({ tenant_id });
  // Audiences of other resources in the list change nothing.
  const more = await token({ aud: ['https://mail.example', RESOURCE, `${RESOURCE}/unknown`] });
  expect(await callers.identify(more, need(['operator']))).toMatchObject({ tenant_id: TENANT });
});

it('whoever proposed a call does not approve it under another name: the credentials of the former one are revoked', async () => {
  await register({ person_claim: 'email' });
  const [before, after] = [await token({ email: 'ann@example.org' }), await token({ email: 'anna@example.org' })];
  const ann = await callers.identify(before, need(['agent']));
  const bob = await callers.identify(await token({ sub: 'bob', email: 'bob@example.org' }), need(['operator']));
  const anna = await callers.identify(after, need(['operator']));
  expect([ann.principal, anna.principal]).toEqual(['ann@example.org', 'anna@example.org']);
  // The kernel ends what waits under the credential, before anything is recorded of the new one.
  expect(revoked).toEqual([ann.api_key_id]);
  await expect(callers.identify(before, need(['agent']))).rejects.toMatchObject(refused);
  expect(await keys.read(TENANT, bob.api_key_id)).toMatchObject({ revoked_at: null });
  // Another role of the same name revokes nothing.
  await callers.identify(after, need(['agent']));
  expect(revoked).toHaveLength(1);
});

it('the claim that names persons never changes, and is the same in all registrations of an issuer', async () => {
  await register({ person_claim: 'email' });
  await expect(register({ person_claim: null })).rejects.toMatchObject({ code: 'conflict' });
  await expect(register({ name: 'other', audience: `${RESOURCE}/other` })).rejects.toMatchObject({ code: 'conflict' });
});

it('a new token takes one request of its tenant before anything is read of it, and a cached one takes none', async () => {
  await register();
  const text = await token();
  for (let n = 0; n < 3; n += 1) await callers.identify(text, need(['operator']));
  expect(requests).toBe(1);
});

it('one issuer makes a bounded number of credentials within a minute', async () => {
  await register();
  const subject = (n: number) => token({ sub: `s${n}`, exp: START / 1_000 + 3_600 });
  for (let n = 0; n < 20; n += 1) await callers.identify(await subject(n), need(['operator']));
  await expect(callers.identify(await subject(20), need(['operator']))).rejects.toMatchObject({ code: 'rate.limited' });
  // Those that are there go on.
  expect(await callers.identify(await subject(0), need(['operator']))).toMatchObject({ tenant_id: TENANT });
  now += 60_001;
  expect(await callers.identify(await subject(20), need(['operator']))).toMatchObject({ tenant_id: TENANT });
});

it('the record of a credential covers provider, role, agent and person', () => {
  const caller = {
    tenant_id: TENANT,
    api_key_id: newId('apiKey'),
    role: 'agent',
    agent_id: AGENT,
    principal: 'ann',
  } as const;
  const changed = [{ role: 'operator' }, { agent_id: newId('agent') }, { principal: 'bob' }] as const;
  const digests = [
    credentialDigest(caller, 'idp_a'),
    credentialDigest(caller, 'idp_b'),
    ...changed.map((each) => credentialDigest({ ...caller, ...each }, 'idp_a')),
  ];
  expect(new Set(digests).size).toBe(digests.length);
  expect(credentialDigest({ ...caller, api_key_id: newId('apiKey') }, 'idp_a')).toBe(digests[0]);
});
