// SPDX-License-Identifier: Apache-2.0
// Access tokens of a real authorization server, through a whole Writ: found, refused, stepped up, revoked; and the
// person behind a call, in records, approvals, rules and limits.
import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { vi } from 'vitest';
import {
  Api,
  approveShown,
  eventually,
  makeWorld,
  Observer,
  startStack,
  verifiedReceipt,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { freePort } from '@writ/testing';
import { AuthorizationServer } from './authorization-server.ts';
import { GuideFolder } from './guide.ts';
import { challengeOf, OauthClient } from './oauth-client.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

const SCOPES = 'writ:agent writ:operator';
/** Two of the group `voters` approve what is written to `votes/`. */
const VOTED = `
@id("all") @reason("everything is permitted")
permit (principal, action, resource);

@id("votes") @reason("two voters approve it") @would_pass("other files") @approvers("voters") @quorum("2")
forbid (principal, action in Action::"write", resource is File) when { resource.path like "votes/*" };
`;
/** How most clusters name themselves. */
const CLUSTER = 'https://kubernetes.default.svc.cluster.local';
let url: string;
let stack: Stack;
let world: World;
let server: AuthorizationServer;
let client: OauthClient;
let observer: Observer;

beforeAll(async () => {
  const port = String(await freePort());
  url = `http://127.0.0.1:${port}`;
  server = await AuthorizationServer.open(url);
  stack = await startStack({
    env: {
      orchestrator: {
        WRIT_HTTP_PORT: port,
        WRIT_PUBLIC_URL: url,
        WRIT_AUTHORIZATION_SERVERS: server.issuer,
        WRIT_ISSUER_ALLOW: server.place,
      },
    },
  });
  world = await makeWorld(url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  observer = new Observer(stack);
  client = await OauthClient.discover(challengeOf((await new Api(url).get('/v1/tools')).headers));
  await register({ person_claim: 'email' });
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
  await server?.close();
});

/** A token of an administrator at the issuer, who agrees to a registration. */
const consent = (): Promise<string> => client.signIn('root', 'writ:admin');
async function register(more: object = {}, of = world): Promise<void> {
  const body = { name: 'corp', issuer: server.issuer, agent_id: of.agentId, access_token: await consent(), ...more };
  await of.admin.must('/v1/identity-providers', body);
}
const remove = (of = world) => of.admin.request('DELETE', '/v1/identity-providers/corp');
const as = async (subject: string, scope = SCOPES): Promise<Api> => new Api(url, await client.signIn(subject, scope));
const call = (by: Api, tool_id: string, args: unknown, of = world) =>
  by.post('/v1/tool-calls?wait=30000', {
    tool_id,
    args,
    capability_token_id: of.tokenId,
    workspace_id: of.workspaceId,
    idempotency_key: randomUUID(),
  });
/** A call that needs an approval. */
async function hold(by: Api, of = world): Promise<JsonValue> {
  const dir = `dir-${randomUUID()}`;
  await call(by, 'fs.write', { path: `${dir}/x.txt`, content: 'x' }, of);
  const { body } = await call(by, 'shell.run', { command: `rm -rf ${dir}` }, of);
  expect(body.state).toBe('held');
  return body;
}
const keyFor = async (principal: string): Promise<Api> =>
  world.admin.as(
    (await world.admin.must('/v1/api-keys', { name: 'approver', role: 'operator', principal })).api_key as string,
  );
const personOf = async (query: string, of = world): Promise<string> =>
  (await of.admin.get(`/v1/persons?${query}`)).body.person_id as string;

it('a client that knows only the URL finds the issuer, signs a person in, and the record names the person', async () => {
  const refused = await new Api(url).post('/v1/tool-calls', {});
  expect([refused.status, challengeOf(refused.headers)]).toEqual([
    401,
    { error: undefined, scope: 'writ:agent', metadata: `${url}/.well-known/oauth-protected-resource` },
  ]);
  expect(client.resource).toBe(url);
  const { body } = await call(await as('ann', 'writ:agent'), 'fs.read', { path: 'a.txt' });
  expect(body).toMatchObject({ status: 'ok' });
  const person = await personOf('principal=ann@example.org');
  for (const phase of ['decision', 'outcome'] as const)
    expect((await verifiedReceipt(stack, world, body.operation_id as string, phase)).record).toMatchObject({ person });
});

it('a token without the scope of a request is asked for it, and a token with it is good', async () => {
  const few = await as('ann', 'writ:agent');
  const refused = await few.get('/v1/approvals');
  expect(refused.status).toBe(403);
  expect(refused.body.code).toBe('auth.insufficient_scope');
  const { error, scope = '' } = challengeOf(refused.headers);
  // An auditor may read them too, with fewer rights than an operator.
  expect([error, scope]).toEqual(['insufficient_scope', 'writ:auditor']);
  expect((await (await as('ann', `writ:agent ${scope}`)).get('/v1/approvals')).status).toBe(200);
  // Scopes that the issuer did not give are not to be had by asking.
  expect((await few.get('/v1/api-keys')).body.code).toBe('auth.insufficient_scope');
});

it('a token of another resource, an id token and a made-up one are refused', async () => {
  const other = await client.signIn('ann', SCOPES, 'https://other.example');
  const { id_token = '' } = await client.tokensOf('ann', SCOPES);
  const [head = '', payload = '', signature = ''] = (await client.signIn('ann', SCOPES)).split('.');
  const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt', kid: 'k1' })).toString('base64url');
  for (const text of [
    other,
    id_token,
    `${none}.${payload}.`,
    `${none}.${payload}.${signature}`,
    `${head}.${payload}.AAAA`,
  ]) {
    const answer = await new Api(url, text).get('/v1/tools');
    expect([answer.status, answer.body.code]).toEqual([401, 'auth.invalid']);
    expect(challengeOf(answer.headers).error).toBe('invalid_token');
  }
});

it('a token that is signed with a new key of the issuer is good at once, and one with the old key stays good', async () => {
  const before = await as('ann');
  await server.rotate();
  const after = await as('ann');
  for (const each of [after, before]) expect((await each.get('/v1/tools')).status).toBe(200);
});

it('an identity assertion (ID-JAG) becomes a token at the issuer, and is itself refused', async () => {
  const assertion = await server.assertionFor('eve');
  expect((await new Api(url, assertion).get('/v1/approvals')).body.code).toBe('auth.invalid');
  const api = new Api(url, await client.exchange(assertion));
  expect((await api.get('/v1/approvals')).status).toBe(200);
  expect(await personOf('principal=eve@example.org')).toMatch(/^per_/);
});

it('nobody approves their own call, neither with another scope, another sign-in nor an API key', async () => {
  const ann = await as('ann');
  const held = await hold(ann);
  for (const other of [ann, await as('ann', 'writ:operator'), await keyFor('ann@example.org')]) {
    const answer = await approveShown(other, held.approval_id as string, {});
    expect([answer.status, answer.body.code]).toEqual([403, 'approval.own_call']);
  }
  expect((await approveShown(await as('bob'), held.approval_id as string, {})).status).toBe(200);
  await world.until(held.operation_id as string, ['committed']);
});

it('what a person proposes by an API key, the same person does not approve by a token', async () => {
  const key = await world.admin.must('/v1/api-keys', {
    name: 'ann',
    role: 'agent',
    agent_id: world.agentId,
    principal: 'ann@example.org',
  });
  const held = await hold(world.admin.as(key.api_key as string));
  const answer = await approveShown(await as('ann'), held.approval_id as string, {});
  expect(answer.body.code).toBe('approval.own_call');
});

it('a rule reads the person of a call, and a limit holds for each person alone', async () => {
  const other = await makeWorld(url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  await remove();
  await register({ person_claim: 'email' }, other);
  const [ann, bob] = [await as('ann'), await as('bob')];
  for (const each of [ann, bob]) expect((await call(each, 'fs.read', { path: 'a.txt' }, other)).body.status).toBe('ok');
  const person = await personOf('principal=ann@example.org', other);
  const cedar = `@id("ann") @reason("not for her") @would_pass("another person")
    forbid (principal, action, resource) when { context has person && context.person.id == "${person}" };
    @id("all") @reason("everything else is permitted") permit (principal, action, resource);`;
  await other.admin.must('/v1/policies', { document: { v: 1, name: 'person', cedar } });
  await other.admin.must('/v1/policies/activate', { policy: 'person' });
  expect((await call(ann, 'fs.read', { path: 'a.txt' }, other)).body.error.code).toBe('policy.denied');
  expect((await call(bob, 'fs.read', { path: 'a.txt' }, other)).body.status).toBe('ok');

  const platform = new Api(url, stack.keys.platformKey);
  await platform.request('PATCH', `/v1/tenants/${other.tenantId}/limits`, { person_requests_per_second: 1 });
  const statuses = (api: Api) =>
    Promise.all(Array.from({ length: 5 }, async () => (await api.get('/v1/tools')).status));
  await eventually('the limit counts', async () => (await statuses(ann)).includes(429), 5_000);
  // Both credentials of a person count as one; those of another person are apart.
  expect(await statuses(await as('ann', 'writ:operator'))).toContain(429);
  expect((await bob.get('/v1/tools')).status).toBe(200);
  await remove(other);
  await register({ person_claim: 'email' });
});

it('the tokens of a removed issuer are refused, what waits under them ends, and denials outlive the registration', async () => {
  const ann = await as('ann');
  const held = await hold(ann);
  expect((await remove()).body).toMatchObject({ name: 'corp', more: false });
  expect((await ann.get('/v1/tools')).body.code).toBe('auth.invalid');
  await world.until(held.operation_id as string, ['refused', 'rolled_back']);
  // The token is good again only where an administrator registers its issuer again.
  await register({ person_claim: 'email' });
  expect((await ann.get('/v1/tools')).status).toBe(200);
  // A denied subject stays denied when the issuer is registered anew.
  await world.admin.must('/v1/identity-providers/corp/denials', { subject: 'mallory' });
  await remove();
  await register({ person_claim: 'email' });
  expect((await (await as('mallory')).get('/v1/tools')).body.code).toBe('auth.invalid');
});

it('a forgotten person gets another pseudonym, and can not approve what the old one proposed', async () => {
  await remove();
  await register();
  const ann = await as('ann');
  const held = await hold(ann);
  const subject = `issuer=${encodeURIComponent(server.issuer)}&subject=ann`;
  const person = await personOf(subject);
  const forgotten = await world.admin.request('DELETE', `/v1/persons/${person}`);
  expect(forgotten.body).toMatchObject({ person_id: person, forgotten: true, more: false });
  expect((await ann.get('/v1/tools')).status).toBe(200);
  const after = await personOf(subject);
  expect(after).toMatch(/^per_/);
  expect(after).not.toBe(person);
  // The call of the old pseudonym has ended, so that the new one has nothing to approve.
  await world.until(held.operation_id as string, ['refused', 'rolled_back']);
  expect((await ann.post(`/v1/approvals/${held.approval_id as string}/approve`, {})).status).not.toBe(200);
  // Records stay as they are.
  expect((await verifiedReceipt(stack, world, held.operation_id as string)).record).toMatchObject({ person });
  // No table of the orchestrator leads from the old pseudonym to the subject.
  const links = await observer.rows('SELECT 1 FROM orchestrator.person WHERE person_id = $1', [person]);
  expect(links).toEqual([]);
});

/** Signs as a cluster does for the service account `team-a/builder`. */
async function testCluster() {
  const [{ publicKey, privateKey }, kid] = [await generateKeyPair('RS256', { extractable: true }), randomUUID()];
  const [namespace, name] = ['team-a', 'builder'];
  const subject = `system:serviceaccount:${namespace}:${name}`;
  return {
    jwks: { keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }] },
    subject,
    token: async (claims: object = {}) => {
      const iat = Math.floor(Date.now() / 1_000);
      const of = {
        namespace,
        pod: { name: 'builder-0', uid: randomUUID() },
        serviceaccount: { name, uid: randomUUID() },
      };
      const whole = { iss: CLUSTER, aud: [url], sub: subject, iat, nbf: iat, exp: iat + 3_600, jti: randomUUID() };
      return await new SignJWT({ ...whole, 'kubernetes.io': of, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid })
        .sign(privateKey);
    },
  };
}

it('a workload calls by the token of its cluster and decides nothing, until it is suspended or its tenant closed', async () => {
  const [cluster, platform] = [await testCluster(), new Api(url, stack.keys.platformKey)];
  const { jwks, subject } = cluster;
  const registerIn = (of: World, more: object = {}) =>
    platform.must(`/v1/tenants/${of.tenantId}/identity-providers`, {
      ...{ name: 'cluster', issuer: CLUSTER, profile: 'kubernetes', jwks },
      workloads: [{ subject, role: 'agent', agent_id: of.agentId }],
      ...more,
    });
  await registerIn(world);
  const builder = new Api(url, await cluster.token());
  const me = (await builder.get('/v1/whoami')).body;
  expect(me).toMatchObject({ kind: 'workload', role: 'agent', agent_id: world.agentId, principal: null });
  const { body: done } = await call(builder, 'fs.read', { path: 'a.txt' });
  expect(done).toMatchObject({ status: 'ok' });
  const { record } = await verifiedReceipt(stack, world, done.operation_id as string, 'decision');
  expect(record).toMatchObject({ agent_id: world.agentId });
  expect(record).not.toHaveProperty('person');
  const held = await hold(builder);
  expect((await builder.post(`/v1/approvals/${held.approval_id as string}/approve`, {})).body.code).toBe('auth.role');
  for (const claims of [{ aud: [url, CLUSTER] }, { exp: Math.floor(Date.now() / 1_000) - 60 }, { iss: server.issuer }])
    expect((await new Api(url, await cluster.token(claims)).get('/v1/whoami')).status).toBe(401);
  const suspend = await world.admin.request('PATCH', `/v1/members/${me.member_id as string}`, { state: 'suspended' });
  expect(suspend.body).toMatchObject({ kind: 'service', state: 'suspended' });
  expect((await builder.get('/v1/whoami')).status).toBe(401);
  const [theirs, another] = [await testCluster(), await makeWorld(url, stack.keys.platformKey, { files: {} })];
  await registerIn(another, { jwks: theirs.jwks });
  const there = new Api(url, await theirs.token());
  expect((await there.get('/v1/whoami')).body.tenant_id).toBe(another.tenantId);
  await platform.must(`/v1/tenants/${another.tenantId}/close`, { reason: 'over' });
  await eventually('the closed tenant opens to no workload', async () =>
    [401, 423].includes((await there.get('/v1/tools')).status),
  );
});

it('the commands of the guide do what it says', async () => {
  await remove();
  const folder = await GuideFolder.open({ ...stack, url });
  const output = await folder.run('how-to/oauth.md', {
    ...folder.variables,
    ISSUER: server.issuer,
    TOKEN: await client.signIn('ann', 'writ:agent'),
    ADMIN_TOKEN: await consent(),
  });
  expect(output).toMatch(/scope="writ:agent"/);
  expect(output).toContain(`"resource":"${url}"`);
  expect(output).toContain('a repository');
  folder.remove();
});

it('votes of a suspended member, and rights that they lent, count for no call until the suspension ends', async () => {
  // Ben becomes a member by a token.
  await remove();
  await register({ person_claim: 'email' });
  expect((await (await as('ben')).get('/v1/approvals')).status).toBe(200);
  const keyOf = async (name: string): Promise<{ api: Api; member: string }> => {
    const body = { name, role: 'operator', principal: `${name}@example.org` };
    const { api_key, member_id } = await world.admin.must('/v1/api-keys', body);
    return { api: new Api(url, api_key as string), member: `/v1/members/${member_id as string}` };
  };
  const [ben, dan, eve] = [await keyOf('ben'), await keyOf('dan'), await keyOf('eve')];
  const members = ['ben', 'dan', 'eve'].map((name) => `${name}@example.org`);
  expect((await world.admin.request('PUT', '/v1/approver-groups', { name: 'voters', members })).status).toBe(200);
  await world.admin.must('/v1/policies', { document: { v: 1, name: 'voted', cedar: VOTED } });
  await world.admin.must('/v1/policies/activate', { policy: 'voted' });
  const lent = { to: 'eve@example.org', note: 'away', expires_at: Date.now() + 3_600_000 };
  const { delegation_id } = await ben.api.must('/v1/approvals/delegations', lent);
  const change = async (state: string): Promise<void> => {
    expect((await world.admin.request('PATCH', ben.member, { state })).body.state).toBe(state);
  };
  const { body: held } = await call(await as('ann', 'writ:agent'), 'fs.write', { path: 'votes/x.txt', content: 'x' });
  const shown = async (): Promise<JsonValue> =>
    (await world.admin.get(`/v1/approvals/${held.approval_id as string}`)).body;
  // A preview that ends between two votes would make the first one void.
  await vi.waitFor(async () => expect(await shown()).toMatchObject({ of: 'effect' }), 20_000);
  const approve = async (by: Api, more: object = {}): Promise<JsonValue> =>
    (await approveShown(by, held.approval_id, { ...more })).body;
  expect(await approve(ben.api)).toMatchObject({ state: 'held', votes: { given: 1, needed: 2 } });
  await change('suspended');
  expect((await shown()).votes).toMatchObject({ given: 0 });
  expect((await approve(eve.api, { delegation_id })).code).toBe('auth.role');
  expect(await approve(dan.api)).toMatchObject({ state: 'held', votes: { given: 1, needed: 2 } });
  await change('active');
  expect((await shown()).votes).toMatchObject({ given: 2 });
  await approve(eve.api);
  await world.until(held.operation_id as string, ['committed']);
});
