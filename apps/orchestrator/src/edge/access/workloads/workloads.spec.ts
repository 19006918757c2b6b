// SPDX-License-Identifier: Apache-2.0
// Workloads of a cluster through the API.
import { Fault, isServiceAccount } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { GRANT } from '../../../specs/tenant-fixture.ts';
import { CLUSTER, projected, testCluster, WORKLOAD } from '../../../specs/test-cluster.ts';
import { openTestApi, PLATFORM_KEY, type TestApi, type TestTenant } from '../../../specs/test-api.ts';
import { testIdentityProvider } from '../../../specs/test-identity-provider.ts';
import { RESOURCE, type TestIssuer, type TokenChanges } from '../../../specs/test-issuer.ts';
import { TOKEN_EXCHANGE } from '../../../api/oauth-token/token-exchange.ts';

let api: TestApi;
let tenant: TestTenant;
let cluster: TestIssuer;
beforeAll(async () => {
  api = await openTestApi({ WRIT_PUBLIC_URL: RESOURCE });
  api.kernel.handlers.set('change.record', () => ({ recorded: newId('record') }));
  api.kernel.handlers.set('api_key.revoke', () => ({ tokens: [], more_tokens: false }));
});
afterAll(() => api.close());
beforeEach(async () => {
  tenant = await api.newTenant();
  // Each has keys of its own, as clusters behind one name have.
  cluster = await testCluster();
});

interface Entry {
  readonly subject?: string;
  readonly role?: string;
  readonly [member: string]: unknown;
}
const jwks = (kid = newId('request')) => ({ keys: [{ ...cluster.first.jwk, kid }] });
let kid: string;
const settings = (entries: readonly Entry[], more: object = {}) => {
  kid = newId('request');
  const workloads = entries.map((each) => ({ subject: WORKLOAD, ...each }));
  return { name: 'cluster', issuer: CLUSTER, profile: 'kubernetes', workloads, jwks: jwks(kid), ...more };
};
const put = (body: object, of = tenant) =>
  api.ask('POST', `/v1/tenants/${of.tenantId}/identity-providers`, { key: PLATFORM_KEY, body });
const agent = () => ({ role: 'agent', agent_id: tenant.agentId });
const token = (changes: TokenChanges = {}) => {
  const { header, ...rest } = changes;
  return cluster.token(Date.now(), projected(Date.now(), { header: { kid, ...header }, ...rest }));
};
const whoami = async (key: string) => await api.ask('GET', '/v1/whoami', { key });
const put200 = async (body: object, of = tenant) => {
  const answer = await put(body, of);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.json;
};

it('a workload calls as its agent, by a service account, and is nobody', async () => {
  const row = await put200(settings([agent()]));
  expect(row).toMatchObject({ profile: 'kubernetes', scopes: [], pinned_keys: [kid], audience: RESOURCE });
  const text = await token();
  const { json } = await whoami(text);
  expect(json).toMatchObject({
    kind: 'workload',
    tenant_id: tenant.tenantId,
    role: 'agent',
    agent_id: tenant.agentId,
    principal: null,
    person_id: null,
    member_id: expect.stringMatching(/^mbr_/),
    name: 'workload team-a/builder of cluster',
  });
  expect((await api.ask('GET', '/v1/tools', { key: text })).status).toBe(200);
  const members = (await api.ask('GET', '/v1/members?kind=service', { key: tenant.admin })).json['items'];
  expect(members).toMatchObject([{ name: 'team-a/builder of cluster', kind: 'service', state: 'active' }]);
  const created = api.kernel.requests.filter(({ request }) => request['verb'] === 'workload_credential_created');
  expect(created.at(-1)?.request).toMatchObject({ subject: json['api_key_id'] });
  expect(created.at(-1)?.request).not.toHaveProperty('subject_hash');
  // One credential, however many tokens the cluster issues.
  expect((await whoami(await token())).json['api_key_id']).toBe(json['api_key_id']);
});

it.each([
  ['auditor', {}],
  ['worker', { tools: ['acme.*'] }],
])('a workload of the role %s has this role alone', async (role, more) => {
  await put200(settings([{ role, ...more }]));
  const text = await token();
  expect((await whoami(text)).json).toMatchObject({ kind: 'workload', role, ...more });
  for (const path of ['/v1/api-keys', '/v1/identity-providers'])
    expect((await api.ask('POST', path, { key: text, body: {} })).json).toMatchObject({ code: 'auth.role' });
});

it('no workload has the role of an administrator or an operator', async () => {
  for (const role of ['admin', 'operator'])
    expect((await put(settings([{ role }]))).json).toMatchObject({ code: 'request.malformed' });
});

it.each<readonly [string, () => readonly Entry[], object]>([
  ['an agent that is missing', () => [{ role: 'agent' }], {}],
  ['an agent of an auditor', () => [{ ...agent(), role: 'auditor' }], {}],
  ['a worker without tools', () => [{ role: 'worker' }], {}],
  ['a subject of another form', () => [{ role: 'auditor', subject: 'ann-1' }], {}],
  ['a subject twice', () => [{ role: 'auditor' }, { role: 'auditor' }], {}],
  ['scopes', () => [{ role: 'auditor' }], { scopes: [{ scope: 'a', role: 'admin' }] }],
  ['an audience below', () => [{ role: 'auditor' }], { audience: `${RESOURCE}/a` }],
  ['a client for people', () => [{ role: 'auditor' }], { sign_in: { client_id: 'x' } }],
  ['a private key', () => [{ role: 'auditor' }], { jwks: { keys: [{ kty: 'oct', k: 'x', kid: 'a' }] } }],
  ['the profile of access tokens', () => [{ role: 'auditor' }], { profile: 'oauth', jwks: null }],
])('a registration with %s is refused', async (_what, entries, more) => {
  expect((await put(settings(entries(), more))).json).toMatchObject({ code: 'request.malformed' });
});

it('only the operator lets workloads in, and an administrator takes them away', async () => {
  const one = settings([{ role: 'auditor' }]);
  const byAdmin = (body: object) => api.ask('POST', '/v1/identity-providers', { key: tenant.admin, body });
  const denied = await byAdmin(one);
  expect(denied.json).toMatchObject({ code: 'request.malformed', detail: expect.stringContaining('platform key') });
  await put200(one);
  const text = await token();
  expect((await whoami(text)).status).toBe(200);
  const { name, issuer, workloads } = one;
  for (const more of [
    { workloads: [...workloads, { subject: 'system:serviceaccount:a:b', role: 'auditor' }] },
    { workloads: [{ ...workloads[0], ...agent() }] },
    { jwks: jwks() },
    { jwks: null },
  ])
    expect((await byAdmin({ name, issuer, ...more })).json).toMatchObject({ code: 'request.malformed' });
  expect((await byAdmin({ name, issuer, profile: 'oauth' })).json).toMatchObject({ code: 'conflict' });
  expect((await byAdmin({ name, issuer, workloads: [] })).status).toBe(200);
  expect((await whoami(text)).json).toMatchObject({ code: 'auth.invalid' });
});

it('a workload ends with its denial, its service account and its registration', async () => {
  await put200(settings([agent()]));
  const text = await token();
  const { member_id, api_key_id } = (await whoami(text)).json;
  const change = (state: string) =>
    api.ask('PATCH', `/v1/members/${String(member_id)}`, { key: tenant.admin, body: { state } });
  expect((await change('suspended')).status).toBe(200);
  expect((await whoami(text)).status).toBe(401);
  await change('active');
  expect((await whoami(text)).status).toBe(200);
  const removed = await api.ask('DELETE', '/v1/identity-providers/cluster', { key: tenant.admin });
  expect(removed.json['revoked']).toEqual([api_key_id]);
  expect((await whoami(text)).status).toBe(401);
  await put200(settings([agent()]));
  expect((await whoami(await token())).status).toBe(200);
  const body = { subject: WORKLOAD };
  await api.ask('POST', '/v1/identity-providers/cluster/denials', { key: tenant.admin, body });
  expect((await whoami(await token())).status).toBe(401);
});

it("a workload's principal is its service account, by which the kernel refuses its votes", async () => {
  await put200(settings([agent()]));
  const { json } = await whoami(await token());
  const row = await api.keys.read(tenant.tenantId, String(json['api_key_id']));
  expect(row).toMatchObject({ principal: json['member_id'], member_id: json['member_id'] });
  expect(isServiceAccount(row?.principal ?? '')).toBe(true);
});

it('new keys of a cluster are pinned beside the old ones, and what is pinned no more is refused', async () => {
  const one = settings([agent()]);
  const mine = kid;
  await put200(one);
  const next = await cluster.newKey(newId('request'));
  const byNext = () => cluster.token(Date.now(), projected(Date.now()), next);
  expect((await whoami(await byNext())).status).toBe(401);
  const both = { keys: [...one.jwks.keys, next.jwk] };
  await put200({ ...one, jwks: both });
  const id = (await whoami(await token({ header: { kid: mine } }))).json['api_key_id'];
  expect((await whoami(await byNext())).json).toMatchObject({ kind: 'workload', api_key_id: id });
  await put200({ ...one, jwks: { keys: [next.jwk] } });
  expect((await whoami(await token({ header: { kid: mine } }))).status).toBe(401);
  expect((await whoami(await byNext())).status).toBe(200);
});

it('without pinned keys they are those that the cluster serves, the newest too', async () => {
  const served = await testIdentityProvider();
  const own = await openTestApi({ WRIT_PUBLIC_URL: RESOURCE, issuerAllowed: new Set([served.place]) });
  try {
    own.kernel.handlers.set('change.record', () => ({ recorded: newId('record') }));
    const of = await own.newTenant();
    const { issuer } = served.issuer;
    const workloads = [{ subject: WORKLOAD, role: 'auditor' }];
    const body = { name: 'cluster', issuer, profile: 'kubernetes', workloads };
    const path = `/v1/tenants/${of.tenantId}/identity-providers`;
    expect((await own.ask('POST', path, { key: PLATFORM_KEY, body })).json).toMatchObject({ pinned_keys: null });
    const next = await served.issuer.newKey('k2');
    const by = async (signer?: typeof next) =>
      (
        await own.ask('GET', '/v1/whoami', {
          key: await served.issuer.token(Date.now(), projected(Date.now()), signer),
        })
      ).status;
    expect([await by(), await by(next)]).toEqual([200, 401]);
  } finally {
    await own.close();
    served.close();
  }
});

it('another agent, or taking it away and back, gives a workload another credential and ends the former', async () => {
  const one = settings([{ ...agent() }]);
  await put200(one);
  const text = await token();
  const former = (await whoami(text)).json['api_key_id'];
  await put200({ ...one, workloads: [] });
  await put200(one);
  const later = (await whoami(text)).json['api_key_id'];
  expect(later).toMatch(/^key_/);
  expect(later).not.toBe(former);
  const revoked = api.kernel.requests.filter(({ verb }) => verb === 'api_key.revoke').map(({ request }) => request);
  expect(revoked.at(-1)).toMatchObject({ api_key_id: former });
  await put200(one);
  expect((await whoami(text)).json['api_key_id']).toBe(later);
});

it('a workload that is taken away ends, also where the kernel could not be asked the first time', async () => {
  const one = settings([agent()]);
  await put200(one);
  const { api_key_id } = (await whoami(await token())).json;
  const revoke = api.kernel.handlers.get('api_key.revoke') as () => object;
  api.kernel.handlers.set('api_key.revoke', () => {
    throw new Fault('database.unavailable');
  });
  expect((await put({ ...one, workloads: [] })).status).toBe(503);
  api.kernel.handlers.set('api_key.revoke', revoke);
  expect(await api.keys.read(tenant.tenantId, String(api_key_id))).toMatchObject({ revoked_at: null });
  await put200({ ...one, workloads: [] });
  expect(await api.keys.read(tenant.tenantId, String(api_key_id))).toMatchObject({ revoked_at: expect.any(Number) });
});

it('a request that leaves workloads out brings none back that another one takes away meanwhile', async () => {
  const { workloads, ...others } = settings([agent()]);
  await put200({ ...others, workloads });
  let removals = 0;
  const read = api.kernel.handlers.get('agent.read')!;
  api.kernel.handlers.set('agent.read', async (caller, request) => {
    if (removals++ === 0) await put200({ ...others, workloads: [] });
    return read(caller, request);
  });
  expect(await put(others)).toMatchObject({ status: 409, json: { code: 'conflict' } });
  api.kernel.handlers.set('agent.read', read);
  expect(removals).toBe(1);
  expect((await api.identities.list(tenant.tenantId)).map((row) => row.workloads)).toEqual([[]]);
  expect((await put200(others))['workloads']).toEqual([]);
});

it('clusters with one name are told apart by their keys, and a service account belongs to one registration', async () => {
  const [one, mine] = [settings([{ role: 'auditor' }]), kid];
  await put200(one);
  const text = await token({ header: { kid: mine } });
  const other = await api.newTenant();
  // The same keys: a token could be of either.
  expect((await put({ ...one }, other)).json).toMatchObject({ code: 'conflict' });
  expect((await put({ ...one, jwks: null }, other)).json).toMatchObject({ code: 'conflict' });
  const hostile = await testCluster();
  await put200({ ...one, jwks: { keys: [{ ...hostile.first.jwk, kid: 'another' }] } }, other);
  expect((await whoami(text)).json).toMatchObject({ tenant_id: tenant.tenantId });
  const stolen = await hostile.token(Date.now(), projected(Date.now(), { header: { kid: mine } }));
  expect((await whoami(stolen)).status).toBe(401);
  const theirs = await hostile.token(Date.now(), projected(Date.now(), { header: { kid: 'another' } }));
  expect((await whoami(theirs)).json).toMatchObject({ tenant_id: other.tenantId });
  // An issuer of access tokens it never becomes.
  const asOauth = await put({ name: 'people', issuer: CLUSTER }, other);
  expect(asOauth.json).toMatchObject({ code: 'conflict' });
});

it.each<readonly [string, TokenChanges]>([
  ['an access token', { header: { typ: 'at+jwt' }, claims: { scope: 'writ:admin', client_id: 'x' } }],
  ['a token of another service account', { claims: { sub: 'system:serviceaccount:team-a:other' } }],
  ['a token that is also for the cluster', { claims: { aud: [RESOURCE, CLUSTER] } }],
])('%s of the cluster is refused', async (_what, changes) => {
  await put200(settings([agent()]));
  expect((await whoami(await token(changes))).json).toMatchObject({ code: 'auth.invalid' });
});

it('a workload exchanges its token, for parts of the capability token that it is registered with alone', async () => {
  const issue = async () => {
    const grant = { ...GRANT, expires_at: Date.now() + 3_600_000 };
    const body = { agent_id: tenant.agentId, workspace_id: null, grant };
    const issued = await api.ask('POST', '/v1/capability-tokens', { key: tenant.admin, body });
    return String(issued.json['capability_token_id']);
  };
  const [own, other] = [await issue(), await issue()];
  await put200(settings([{ ...agent(), capability_token_id: own }]));
  const subject_token = await token();
  const exchange = (capability_token_id: string) =>
    api.ask('POST', '/v1/oauth/token', {
      text: new URLSearchParams({
        ...{ grant_type: TOKEN_EXCHANGE, subject_token, scope: 'fs.read' },
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        authorization_details: JSON.stringify([{ type: 'writ_grant', capability_token_id }]),
      }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  const { access_token } = (await exchange(own)).json;
  expect((await whoami(String(access_token))).json).toMatchObject({ kind: 'exchanged_token', role: 'agent' });
  expect((await exchange(other)).json).toMatchObject({ error: 'invalid_scope' });
});
