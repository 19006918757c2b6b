// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import type { Caller } from '@writ/contract';
import { FakeApiKeys } from '../../../specs/fake-api-keys.ts';
import { FakeIdentities } from '../../../specs/fake-identities.ts';
import { FakeMembers } from '../../../specs/fake-members.ts';
import { RESOURCE, testIssuer, type TestIssuer, type TokenChanges } from '../../../specs/test-issuer.ts';
import type { NewProvider } from '../../../store/identities/identities.ts';
import { newKey } from '../../../store/keys/api-keys.contract.ts';
import type { CredentialRecords } from './credentials.ts';
import { Callers } from '../identity/callers.ts';
import { MemberLinks } from '../identity/member-links.ts';
import { MemberSeal } from '../identity/member-seal.ts';
import { IssuerKeys } from './issuer-keys.ts';
import { IdentityHashes, PersonLinks } from './person-links.ts';
import { ProtectedResource } from './protected-resource.ts';
import { TokenCallers, type TokenNeed } from './token-callers.ts';

const START = 1_800_000_000_000;
const TENANT = newId('tenant');
const AGENT = newId('agent');
let now: number;
let issuer: TestIssuer;
let keys: FakeApiKeys;
let identities: FakeIdentities;
let callers: TokenCallers;
let persons: PersonLinks;
let store: FakeMembers;
let members: MemberLinks;
let recorded: Caller[];
const records: CredentialRecords = {
  created: async (caller) => void recorded.push(caller),
  changed: async () => undefined,
  revoked: async () => undefined,
};
const callersOf = (hashes: IdentityHashes): Callers =>
  new Callers({
    identities,
    apiKeys: keys,
    hashes,
    persons,
    members,
    records,
    newPerMinuteMax: 20,
    monotonic: () => now,
  });
beforeEach(async () => {
  now = START;
  issuer = await testIssuer();
  keys = new FakeApiKeys();
  identities = new FakeIdentities(keys);
  recorded = [];
  const hashes = new IdentityHashes(Buffer.alloc(32, 1));
  persons = new PersonLinks(identities, hashes, () => now);
  store = new FakeMembers(keys, identities);
  const seal = new MemberSeal(Buffer.alloc(32, 1));
  members = new MemberLinks({ members: store, hashes, seal, monotonic: () => now });
  callers = new TokenCallers({
    identities,
    issuerKeys: new IssuerKeys(issuer.fetchDocument, () => now),
    resource: new ProtectedResource(RESOURCE),
    hashes,
    callers: callersOf(hashes),
    members,
    rate: { consumeTenant: () => undefined },
    now: () => now,
    monotonic: () => now,
  });
});

const provider = (more: Partial<NewProvider> = {}): NewProvider => ({
  provider_id: newId('identityProvider'),
  name: 'corp',
  issuer: issuer.issuer,
  audience: RESOURCE,
  tenant_claim: null,
  tenant_value: null,
  scopes: [
    { scope: 'use', role: 'agent' },
    { scope: 'approve', role: 'operator' },
    { scope: 'manage', role: 'admin' },
  ],
  groups_claim: null,
  groups: [],
  person_claim: null,
  agent_id: AGENT,
  agent_claim: null,
  hash_key_id: new IdentityHashes(Buffer.alloc(32, 1)).keyId,
  created_by: newId('apiKey'),
  sign_in: null,
  confirmed: true,
  ...more,
});
const register = (more: Partial<NewProvider> = {}) => identities.put(TENANT, provider(more), 20);
const token = (claims: Record<string, unknown> = {}, more: TokenChanges = {}) =>
  issuer.token(START, { ...more, claims: { scope: 'use approve', ...claims } });
const need = (roles: TokenNeed['roles'] = null, path = '/v1/tools'): TokenNeed => ({ roles, path });
const refused = { code: 'auth.invalid' };

it('a group that the registration maps gives a role, until the mapping is changed', async () => {
  const groups = [{ group: 'Writ Admins', role: 'admin' }] as const;
  await register({ groups_claim: 'groups', groups });
  const text = await token({ scope: 'use', groups: ['Writ Admins'] });
  expect(await callers.identify(text, need(['admin']))).toMatchObject({ role: 'admin' });
  // The least that suffices, as with scopes.
  expect(await callers.identify(text, need(['admin', 'agent']))).toMatchObject({ role: 'agent' });
  const elsewhere = await token({ groups: ['Writ Admins'], _claim_names: { groups: 'src1' } });
  await expect(callers.identify(elsewhere, need(['admin']))).rejects.toMatchObject({ code: 'auth.insufficient_scope' });
  await register({ groups_claim: 'groups', groups: [] });
  now += 1_000;
  await expect(callers.identify(text, need(['admin']))).rejects.toMatchObject({ code: 'auth.insufficient_scope' });
});

it('a person becomes a member with the first token that is good, and is refused within a second when suspended', async () => {
  await register();
  await expect(callers.identify(await token({ scope: 'other' }), need())).rejects.toBeInstanceOf(Error);
  const hash = new IdentityHashes(Buffer.alloc(32, 1)).of('subject', TENANT, issuer.issuer, 'ann-1');
  expect(await store.ofSubject(TENANT, hash)).toBeNull();
  const text = await token();
  const caller = await callers.identify(text, need());
  const member = await store.ofSubject(TENANT, hash);
  expect(member).toMatchObject({ person_id: caller.person, state: 'active', role: null });
  await keys.create(TENANT, newKey());
  const change = (state: 'active' | 'suspended', role: 'admin' | null = null) =>
    store.change(TENANT, String(member?.member_id), { state, role, by: 'key_x' }, async () => undefined);
  await change('suspended', 'admin');
  now += 1_000;
  for (const roles of [null, ['operator'], ['admin']] as const)
    await expect(callers.identify(text, need(roles))).rejects.toMatchObject(refused);
  await change('active', 'admin');
  now += 1_000;
  expect(await callers.identify(text, need(['admin']))).toMatchObject({ role: 'admin', person: caller.person });
  await change('active');
  now += 1_000;
  await expect(callers.identify(text, need(['admin']))).rejects.toMatchObject({ code: 'auth.insufficient_scope' });
});

it('an issuer does not take over the name of a member at another one', async () => {
  await register({ person_claim: 'email' });
  const other = await testIssuer('https://login.example.com');
  await register({ name: 'other', issuer: other.issuer, person_claim: 'email' });
  const both = new Map([issuer, other].map((each) => [new URL(each.issuer).host, each]));
  const fetchDocument = async (at: string) => await (both.get(new URL(at).host) as TestIssuer).fetchDocument(at);
  const hashes = new IdentityHashes(Buffer.alloc(32, 1));
  callers = new TokenCallers({
    ...{ identities, hashes, members, callers: callersOf(hashes), resource: new ProtectedResource(RESOURCE) },
    issuerKeys: new IssuerKeys(fetchDocument, () => now),
    rate: { consumeTenant: () => undefined },
    ...{ now: () => now, monotonic: () => now },
  });
  const claims = { scope: 'approve', email: 'ann@example.org' };
  const ann = await callers.identify(await issuer.token(START, { claims }), need());
  const forged = await other.token(START, { claims: { ...claims, sub: 'mallory' } });
  await expect(callers.identify(forged, need())).rejects.toMatchObject({
    ...refused,
    detail: expect.stringContaining('an administrator must link') as string,
  });
  expect(recorded).toHaveLength(1);
  const subject_hash = hashes.of('subject', TENANT, other.issuer, 'mallory');
  const [provider_id] = (await identities.providersOf(other.issuer)).map((each) => each.provider_id);
  const member = await store.ofPerson(TENANT, String(ann.person));
  const identity = { subject_hash, provider_id: String(provider_id) };
  await store.link(TENANT, String(member?.member_id), identity, async () => undefined);
  expect(await callers.identify(forged, need())).toMatchObject({ principal: 'ann@example.org', person: ann.person });
});
