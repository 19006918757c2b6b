// SPDX-License-Identifier: Apache-2.0
// Who comes back from an identity provider, and who does not.
import type { TenantId } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { FakeApiKeys } from '../../../specs/fake-api-keys.ts';
import { FakeIdentities } from '../../../specs/fake-identities.ts';
import {
  testIdentityProvider,
  type ProviderChanges,
  type TestIdentityProvider,
} from '../../../specs/test-identity-provider.ts';
import type { NewProvider, ProviderRow } from '../../../store/identities/identities.ts';
import { EgressGate } from '../../outbound/egress-gate.ts';
import { gatedFetch } from '../../outbound/gated-fetch.ts';
import { getDocument } from '../../outbound/get-document.ts';
import { IssuerKeys } from '../oauth/issuer-keys.ts';
import { IdentityHashes } from '../oauth/person-links.ts';
import { ATTEMPT_S, Attempts } from './attempts.ts';
import { Exchanges } from './exchanges.ts';
import { IssuerEndpoints } from './issuer-endpoints.ts';
import { signedInUri } from './redirect-uris.ts';
import { SignIn, SignInRefused, type SignedIn, type SignInPurpose, type SignInStart } from './sign-in.ts';

const KEY = Buffer.alloc(32, 1);
const URL_OF_WRIT = 'https://writ.example.org';
const RETURN_TO = '/connect/x';
const LIMITS = { bytesMax: 64 * 1024, timeoutMs: 2_000 };
const hashes = new IdentityHashes(KEY);

let provider: TestIdentityProvider;
let identities: FakeIdentities;
let signIn: SignIn;
let tenant: TenantId;
let row: ProviderRow;
let now: number;

beforeAll(async () => {
  provider = await testIdentityProvider();
});
afterAll(() => provider.close());
beforeEach(async () => {
  provider.reset();
  now = Date.now();
  tenant = newId('tenant');
  identities = new FakeIdentities(new FakeApiKeys());
  row = await register();
  signIn = make();
});

const register = (more: Partial<NewProvider> = {}): Promise<ProviderRow> =>
  identities.put(
    tenant,
    {
      provider_id: newId('identityProvider'),
      name: 'corp',
      issuer: provider.issuer.issuer,
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
      hash_key_id: hashes.keyId,
      created_by: newId('apiKey'),
      confirmed: true,
      ...more,
    },
    20,
  );
/** @param more a place that is reached by plain HTTP, besides the provider's */
function make(more: string = provider.place): SignIn {
  const allowed = new Set([provider.place, more]);
  const gate = new EgressGate(allowed);
  const fetchDocument = (url: string) => getDocument(gate, url, LIMITS);
  const monotonic = () => performance.now();
  return new SignIn({
    identities,
    members: { activeOf: async () => null },
    endpoints: new IssuerEndpoints(fetchDocument, allowed, monotonic),
    issuerKeys: new IssuerKeys(fetchDocument, monotonic),
    hashes,
    attempts: new Attempts(KEY, () => now),
    exchanges: new Exchanges(monotonic),
    fetch: gatedFetch(gate, LIMITS),
    url: URL_OF_WRIT,
    now: () => now,
  });
}
const begin = (asAnother = false, purpose: SignInPurpose = 'consent') =>
  signIn.begin(tenant, row, { returnTo: RETURN_TO, asAnother, purpose });
/** The parameters with which the provider sends a browser back. */
async function answerOf({ location }: SignInStart): Promise<URLSearchParams> {
  const answer = await fetch(location, { redirect: 'manual' });
  return new URL(answer.headers.get('location') ?? '').searchParams;
}
/** @param at the registration whose redirect URI the answer came to */
async function finish(
  parameters: URLSearchParams,
  sealed: string | undefined,
  at: string = row.provider_id,
  purpose: SignInPurpose = 'consent',
): Promise<SignedIn> {
  return await signIn.finish(await signIn.attemptOf({ providerId: at, parameters, sealed, purpose }), parameters);
}
async function refusal(parameters: URLSearchParams, attempt: string | undefined, at?: string): Promise<string> {
  const failed = await finish(parameters, attempt, at).then(
    () => null,
    (error: unknown) => error,
  );
  expect(failed).toBeInstanceOf(SignInRefused);
  return (failed as SignInRefused).message;
}

it('a person who signs in is the subject of the issuer, with the name that the issuer gives', async () => {
  provider.state.claims = { email: 'ann@example.org', name: 'Ann' };
  const started = await begin();
  const asked = new URL(started.location).searchParams;
  expect(Object.fromEntries(asked)).toMatchObject({
    response_type: 'code',
    client_id: 'writ',
    redirect_uri: `${URL_OF_WRIT}/connect/signed-in/${row.provider_id}`,
    scope: 'openid',
    code_challenge_method: 'S256',
    state: expect.stringMatching(/^.{43}$/),
    nonce: expect.stringMatching(/^.{43}$/),
  });
  expect(asked.has('prompt')).toBe(false);
  expect(await finish(await answerOf(started), started.attempt)).toEqual({
    tenantId: tenant,
    providerId: row.provider_id,
    subjectHash: hashes.of('subject', tenant, provider.issuer.issuer, 'ann-1'),
    shown: 'ann@example.org',
    issuer: provider.issuer.issuer,
    authenticatedMs: null,
    returnTo: RETURN_TO,
    rights: null,
  });
});

it('whoever signs in as another person is asked by the provider', async () => {
  expect(new URL((await begin(true)).location).searchParams.get('prompt')).toBe('login');
});

it('the attempt tells a browser neither the verifier nor the nonce, and each attempt has its own', async () => {
  const [one, other] = [await begin(), await begin()];
  const { attempt, location } = one;
  for (const name of ['state', 'nonce', 'code_challenge']) {
    const value = new URL(location).searchParams.get(name) ?? '';
    expect(Buffer.from(attempt, 'utf8').includes(value)).toBe(false);
    expect(new URL(other.location).searchParams.get(name)).not.toBe(value);
  }
});

it.each<[string, (attempts: readonly [SignInStart, SignInStart]) => string | undefined]>([
  ['that holds no attempt', () => undefined],
  ['that holds another attempt', ([, other]) => other.attempt],
  ['whose attempt was changed', ([{ attempt }]) => `${attempt.slice(0, -4)}AAAA`],
  ['that made an attempt up', () => 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..AAAA.AAAA.AAAA'],
])('a browser %s is not signed in, and the code is not used', async (_what, choose) => {
  const [one, other] = [await begin(), await begin()];
  await refusal(await answerOf(one), choose([one, other]));
  expect(provider.state.exchanged).toEqual([]);
});

it('a provider that has another one answer for it gets no code: each has its own redirect URI', async () => {
  const evil = await testIdentityProvider();
  try {
    // It names no `iss`, and sends the browser to the honest one, whose client has the honest redirect URI alone.
    const [url = ''] = [...evil.issuer.documents.keys()];
    const metadata = JSON.parse(evil.issuer.documents.get(url) ?? '') as object;
    const unnamed = { authorization_response_iss_parameter_supported: undefined };
    evil.issuer.documents.set(url, JSON.stringify({ ...metadata, ...unnamed }));
    const theirs = await register({ name: 'evil', issuer: evil.issuer.issuer });
    signIn = make(evil.place);
    const started = await signIn.begin(tenant, theirs, { returnTo: RETURN_TO, asAnother: false, purpose: 'consent' });
    const asked = new URL(started.location);
    expect(asked.searchParams.get('redirect_uri')).toBe(signedInUri(URL_OF_WRIT, theirs.provider_id));
    const honest = new URL(`${provider.issuer.issuer}/authorize${asked.search}`);
    honest.searchParams.set('redirect_uri', signedInUri(URL_OF_WRIT, row.provider_id));
    provider.state.changes = { answer: { iss: undefined } };
    const answer = await answerOf({ ...started, location: honest.href });
    expect(answer.get('code')).not.toBeNull();
    expect(await refusal(answer, started.attempt, row.provider_id)).toMatch(/another identity provider/);
    expect([...evil.state.presented, ...provider.state.presented]).toEqual([]);
  } finally {
    evil.close();
  }
});

it('an attempt of another deployment is none', async () => {
  const started = await begin();
  const foreign = await new Attempts(Buffer.alloc(32, 2), () => now).seal({
    tenant_id: tenant,
    provider_id: row.provider_id,
    state: new URL(started.location).searchParams.get('state') ?? '',
    nonce: 'n',
    verifier: 'v',
    return_to: RETURN_TO,
  });
  await refusal(await answerOf(started), foreign);
});

it('an attempt is good for some minutes, and an answer once', async () => {
  const started = await begin();
  const answer = await answerOf(started);
  now += (ATTEMPT_S + 1) * 1_000;
  await refusal(answer, started.attempt);
  now -= (ATTEMPT_S + 1) * 1_000;
  await finish(answer, started.attempt);
  expect(await refusal(answer, started.attempt)).toMatch(/has ended already/);
  // Nor with a code that the issuer has not seen yet.
  answer.set('code', 'another');
  expect(await refusal(answer, started.attempt)).toMatch(/has ended already/);
  expect(provider.state.presented).toHaveLength(1);
});

it.each<[string, ProviderChanges['answer']]>([
  ['another state', { state: 'A'.repeat(43) }],
  ['no state', { state: undefined }],
  ['the name of another issuer', { iss: 'https://other.example' }],
  ['no name of its issuer, though it promised one', { iss: undefined }],
  ['an error', { error: 'access_denied', code: undefined }],
  ['an error beside a code', { error: 'access_denied' }],
  ['a token in place of a code', { id_token: 'x' }],
])('an answer with %s signs nobody in, and no code is used', async (_what, answer) => {
  provider.state.changes = { answer: answer ?? {} };
  const started = await begin();
  await refusal(await answerOf(started), started.attempt);
  expect(provider.state.exchanged).toEqual([]);
});

it('a refusal quotes nothing of the answer', async () => {
  provider.state.changes = { answer: { error: 'access_denied', error_description: '<b>call 0900</b>' } };
  const started = await begin();
  expect(await refusal(await answerOf(started), started.attempt)).not.toMatch(/0900|access_denied/);
});

const past = Math.floor(Date.now() / 1_000) - 3_600;
it.each<[string, ProviderChanges]>([
  ['of another sign-in', { idToken: { claims: { nonce: 'another' } } }],
  ['without a nonce', { idToken: { claims: { nonce: undefined } } }],
  ['for another client', { idToken: { claims: { aud: 'other' } } }],
  ['for several clients, of another one', { idToken: { claims: { aud: ['writ', 'other'], azp: 'other' } } }],
  ['of another issuer', { idToken: { claims: { iss: 'https://other.example' } } }],
  ['that has expired', { idToken: { claims: { exp: past } } }],
  ['without an end', { idToken: { claims: { exp: undefined } } }],
  ['of nobody', { idToken: { claims: { sub: undefined } } }],
  ['of a subject without a name', { idToken: { claims: { sub: '' } } }],
  ['of a subject that is no text', { idToken: { claims: { sub: 7 } } }],
  ['of a very long subject', { idToken: { claims: { sub: 'x'.repeat(256) } } }],
  ['that names no key', { idToken: { header: { kid: undefined } } }],
  ['that names an unknown key', { idToken: { header: { kid: 'k9' } } }],
  ['that somebody else signed', { isForged: true }],
])('an ID token %s signs nobody in', async (_what, changes) => {
  provider.state.changes = changes;
  const started = await begin();
  await refusal(await answerOf(started), started.attempt);
});

it('people of another tenant at the same issuer are not of this one', async () => {
  await identities.remove(tenant, row.provider_id);
  row = await register({ name: 'shared', tenant_claim: 'org', tenant_value: 'acme' });
  const first = await begin();
  expect(await refusal(await answerOf(first), first.attempt)).toMatch(/do not belong/);
  provider.state.claims = { org: 'other' };
  const second = await begin();
  expect(await refusal(await answerOf(second), second.attempt)).toMatch(/do not belong/);
  provider.state.claims = { org: 'acme' };
  const third = await begin();
  expect(await finish(await answerOf(third), third.attempt)).toMatchObject({ providerId: row.provider_id });
});

it('a denied subject, a removed provider and one without sign-in let nobody in', async () => {
  const denied = await begin();
  const value_hash = hashes.of('subject', tenant, provider.issuer.issuer, 'ann-1');
  const answer = await answerOf(denied);
  await register({ sign_in: null });
  expect(await refusal(answer, denied.attempt)).toMatch(/not use this identity provider/);
  await register();
  await identities.deny(tenant, row.provider_id, { kind: 'subject', value_hash, denied_by: 'key_x' });
  expect(await refusal(answer, denied.attempt)).toMatch(/does not let you in/);
  const removed = await begin();
  await identities.remove(tenant, row.provider_id);
  await refusal(await answerOf(removed), removed.attempt);
});

it('under another key of identity hashes nobody is let in, since no denial would be found', async () => {
  await register({ hash_key_id: 'another' });
  const started = await begin();
  expect(await refusal(await answerOf(started), started.attempt)).toMatch(/register the identity provider/);
  expect(provider.state.exchanged).toEqual([]);
});

it.each<[string, object]>([
  ['no authorization endpoint', { authorization_endpoint: undefined }],
  ['an authorization endpoint that is a script', { authorization_endpoint: 'javascript:alert(1)' }],
  ['a token endpoint by plain HTTP at another host', { token_endpoint: 'http://127.0.0.1:9/token' }],
  ['another issuer', { issuer: 'https://other.example' }],
])('nobody is sent to a provider whose metadata have %s', async (_what, changes) => {
  const [url = ''] = [...provider.issuer.documents.keys()];
  const good = provider.issuer.documents.get(url) ?? '';
  provider.issuer.documents.set(url, JSON.stringify({ ...JSON.parse(good), ...changes }));
  try {
    signIn = make();
    await expect(begin()).rejects.toMatchObject({ code: 'auth.issuer_unavailable' });
  } finally {
    provider.issuer.documents.set(url, good);
  }
});

it('a sign-in for a consent begins no session, and one for a session counts for no consent', async () => {
  for (const [begun, ended] of [
    ['consent', 'session'],
    ['session', 'consent'],
  ] as const) {
    const started = await begin(false, begun);
    const failed = finish(await answerOf(started), started.attempt, row.provider_id, ended);
    await expect(failed).rejects.toMatchObject({ check: 'redirect_uri' });
  }
  expect(provider.state.presented).toEqual([]);
  const { location, attempt } = await begin(false, 'session');
  expect(new URL(location).searchParams.get('redirect_uri')).toBe(`${URL_OF_WRIT}/sign-in/done/${row.provider_id}`);
  const person = await finish(await answerOf({ location, attempt }), attempt, row.provider_id, 'session');
  expect(person.rights).toEqual({ subject: 'ann-1', name: null, agentId: null, scopes: ['writ:admin'], groups: [] });
});

it('a sign-in for a session keeps the groups that the registration maps, and may need no scope', async () => {
  const groups = [{ group: 'Writ Admins', role: 'admin' }] as const;
  row = await register({ groups_claim: 'groups', groups });
  const signInWith = async (claims: Record<string, unknown>) => {
    provider.state.changes = { accessToken: { claims: { scope: 'openid', ...claims } } };
    const { location, attempt } = await begin(false, 'session');
    return await finish(await answerOf({ location, attempt }), attempt, row.provider_id, 'session');
  };
  const { rights } = await signInWith({ groups: ['everyone', 'Writ Admins'] });
  expect(rights).toMatchObject({ scopes: [], groups: ['Writ Admins'] });
  for (const given of ['Writ Admins', ['everyone'], undefined])
    await expect(signInWith({ groups: given })).rejects.toMatchObject({ check: 'scope' });
});
