// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import type { Caller } from '@writ/contract';
import type { FakeApiKeys } from '../../../specs/fake-api-keys.ts';
import type { FakeIdentities } from '../../../specs/fake-identities.ts';
import type { FakeMembers } from '../../../specs/fake-members.ts';
import { documentsOf, sceneProvider, TokenScene } from '../../../specs/token-scene.ts';
import { testIssuer, type TestIssuer, type TokenChanges } from '../../../specs/test-issuer.ts';
import type { NewProvider } from '../../../store/identities/identities.ts';
import { newKey } from '../../../store/keys/api-keys.contract.ts';
import type { CredentialRecords } from './credentials.ts';
import { IssuerConsent } from './issuer-consent.ts';
import { IssuerKeys } from './issuer-keys.ts';
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
let store: FakeMembers;
let recorded: Caller[];
const records: CredentialRecords = {
  created: async (caller) => void recorded.push(caller),
  workloadCreated: async () => undefined,
  changed: async () => undefined,
  revoked: async () => undefined,
};
beforeEach(async () => {
  now = START;
  issuer = await testIssuer();
  recorded = [];
  scene = new TokenScene({ records, now: () => now });
  ({ identities, keys, store } = scene);
  callers = scene.callers(issuer.fetchDocument);
});

const provider = (more: Partial<NewProvider> = {}): NewProvider => sceneProvider(issuer, AGENT, more);
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
  const hash = scene.hashes.of('subject', TENANT, issuer.issuer, 'ann-1');
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
  callers = scene.callers(documentsOf(issuer, other));
  const claims = { scope: 'approve', email: 'ann@example.org' };
  const ann = await callers.identify(await issuer.token(START, { claims }), need());
  const forged = await other.token(START, { claims: { ...claims, sub: 'mallory' } });
  await expect(callers.identify(forged, need())).rejects.toMatchObject({
    ...refused,
    detail: expect.stringContaining('an administrator must link') as string,
  });
  expect(recorded).toHaveLength(1);
  const subject_hash = scene.hashes.of('subject', TENANT, other.issuer, 'mallory');
  const [provider_id] = (await identities.providersOf(other.issuer)).map((each) => each.provider_id);
  const member = await store.ofPerson(TENANT, String(ann.person));
  const identity = { subject_hash, provider_id: String(provider_id) };
  await store.link(TENANT, String(member?.member_id), identity, async () => undefined);
  expect(await callers.identify(forged, need())).toMatchObject({ principal: 'ann@example.org', person: ann.person });
});

it('a suspended administrator at the issuer consents to no registration', async () => {
  await register();
  await callers.identify(await token({ scope: 'manage' }), need());
  await keys.create(TENANT, newKey());
  const { hashes, members } = scene;
  const issuerKeys = new IssuerKeys(issuer.fetchDocument, () => now);
  const consent = new IssuerConsent({ identities, hashes, members, issuerKeys, now: () => now });
  const text = await token({ scope: 'manage' });
  const verify = () => consent.verify(text, TENANT, provider());
  await verify();
  const member = await store.ofSubject(TENANT, hashes.of('subject', TENANT, issuer.issuer, 'ann-1'));
  const id = String(member?.member_id);
  await store.change(TENANT, id, { state: 'suspended', by: 'key_x' }, async () => undefined);
  now += 1_000;
  await expect(verify()).rejects.toMatchObject({
    code: 'request.malformed',
    detail: expect.stringContaining('suspended') as string,
  });
});
