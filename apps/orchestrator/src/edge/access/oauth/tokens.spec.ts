// SPDX-License-Identifier: Apache-2.0
// Access tokens through the API, with an issuer on this machine.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Fault } from '@writ/contract';
import { openTestApi, PLATFORM_KEY, problem, type TestApi, type TestTenant } from '../../../specs/test-api.ts';
import { testIssuer, type TestIssuer, type TokenChanges } from '../../../specs/test-issuer.ts';

const RESOURCE = 'https://writ.example.org';
let server: Server;
let issuer: TestIssuer;
let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  server = createServer((request, response) => {
    issuer
      .fetchDocument(`${issuer.issuer}${request.url ?? ''}`)
      .then((text) => response.end(text))
      .catch(() => response.writeHead(404).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const place = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  issuer = await testIssuer(`http://${place}`);
  api = await openTestApi({
    WRIT_PUBLIC_URL: RESOURCE,
    authorizationServers: [issuer.issuer],
    issuerAllowed: new Set([place]),
  });
  api.kernel.handlers.set('change.record', () => ({ recorded: 'rec_01kdvq8qfwe9gr4v9m1h7e3x2z' }));
  api.kernel.handlers.set('api_key.revoke', () => ({ tokens: [], more_tokens: false }));
});
afterAll(async () => {
  await api.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(async () => {
  tenant = await api.newTenant();
});
afterEach(async () => {
  await api.ask('DELETE', '/v1/identity-providers/corp', { key: tenant.admin });
});

interface Settings {
  readonly tenant_claim?: string;
  readonly tenant_value?: string;
  readonly [member: string]: unknown;
}
/** Sends the registration as it is. */
const put = (body: object, of = tenant) =>
  api.ask('POST', '/v1/identity-providers', { key: of.admin, body: { name: 'corp', issuer: issuer.issuer, ...body } });
/** Of an administrator at the issuer. */
const consent = (claims: object = {}) => token({ claims: { sub: 'root', scope: 'writ:admin', ...claims } });
const register = async (more: Settings = {}, of = tenant) => {
  const { tenant_claim: claim, tenant_value } = more;
  const access_token = await consent(claim === undefined ? {} : { [claim]: tenant_value });
  return await put({ access_token, ...more }, of);
};
const token = (changes: TokenChanges = {}) => issuer.token(Date.now(), changes);
const tools = async (key: string) => await api.ask('GET', '/v1/tools', { key });

it('the metadata name the resource, for the API and for `/mcp`', async () => {
  const metadata = await api.ask('GET', '/.well-known/oauth-protected-resource');
  expect(metadata.json).toMatchObject({ resource: RESOURCE, authorization_servers: [issuer.issuer] });
  const mcp = await api.ask('GET', '/.well-known/oauth-protected-resource/mcp');
  expect(mcp.json).toMatchObject({ resource: `${RESOURCE}/mcp`, bearer_methods_supported: ['header'] });
});

it('a request without a token is answered with where to get one', async () => {
  const { headers, json } = await api.ask('GET', '/v1/tools');
  expect(json).toEqual(problem('auth.missing', 401));
  expect(headers.get('www-authenticate')).toBe(
    `Bearer realm="writ", scope="writ:agent", resource_metadata="${RESOURCE}/.well-known/oauth-protected-resource"`,
  );
});

it('a token of an issuer that nobody registered is refused', async () => {
  expect((await tools(await token())).json).toEqual(problem('auth.invalid', 401));
});

it('a token of a registered issuer has the role of its scope, and is asked for more where that is too little', async () => {
  expect((await register()).status).toBe(200);
  const operator = await token();
  expect((await tools(operator)).status).toBe(200);
  const refused = await api.ask('GET', '/v1/api-keys', { key: operator });
  expect(refused.json).toEqual(problem('auth.insufficient_scope', 403));
  expect(refused.headers.get('www-authenticate')).toMatch(/error="insufficient_scope", scope="writ:admin"/);
  const admin = await token({ claims: { scope: 'writ:operator writ:admin' } });
  expect((await api.ask('GET', '/v1/api-keys', { key: admin })).status).toBe(200);
});

it('a token for `/mcp` alone is refused elsewhere', async () => {
  await register();
  expect((await tools(await token({ claims: { aud: `${RESOURCE}/mcp` } }))).json).toEqual(problem('auth.invalid', 401));
});

it.each(['/mcp', '/a/mcp', '/mcp/a', '/', '?a', 'x'])(
  'the audience of `%s` below the public URL is refused',
  async (below) => {
    const answer = await register({ audience: `${RESOURCE}${below}` });
    expect(answer.json).toEqual(problem('request.malformed', 400));
  },
);

it.each<readonly [string, object, string]>([
  ['none', { access_token: undefined }, 'it is missing'],
  ['an API key', { access_token: 'writ_key' }, 'no signed JWT'],
  ['another audience', { aud: 'https://other.example' }, '`aud`'],
  ['the audience of `/mcp`', { aud: `${RESOURCE}/mcp` }, '`aud`'],
  ['another scope', { scope: 'writ:operator' }, 'no role `admin`'],
  ['another tenant', { org: 'b' }, '`org`'],
  ['the past', { exp: 1_000 }, '`exp`'],
])(
  'an issuer is not registered with a token of %s',
  async (_what, { access_token, ...claims }: { access_token?: string }, why) => {
    const body = { tenant_claim: 'org', tenant_value: 'a' };
    const isText = _what === 'none' || access_token !== undefined;
    const refused = await put({
      ...body,
      access_token: isText ? access_token : await consent({ org: 'a', ...claims }),
    });
    expect(refused.json).toEqual(problem('request.malformed', 400));
    expect(refused.text).toContain(why);
    expect(refused.text).toContain('as an administrator');
    expect((await put({ ...body, access_token: await consent({ org: 'a' }) })).status).toBe(200);
  },
);

it('whoever can not get a token of an issuer does not get its people by registering it first', async () => {
  const hostile = await api.newTenant();
  const other = await testIssuer('https://login.example.net');
  const foreign = await other.token(Date.now(), { claims: { scope: 'writ:admin' } });
  const forged = await other.token(Date.now(), { claims: { scope: 'writ:admin', iss: issuer.issuer } });
  for (const access_token of [undefined, foreign, forged])
    expect((await put({ access_token }, hostile)).json).toEqual(problem('request.malformed', 400));
  expect((await register()).status).toBe(200);
  expect((await tools(await token())).status).toBe(200);
});

it('other scopes need a token that gives `admin` under them, and another agent needs none', async () => {
  await register();
  const scopes = [{ scope: 'own', role: 'admin' }];
  expect((await put({ scopes })).json).toEqual(problem('request.malformed', 400));
  expect((await register({ scopes })).json).toEqual(problem('request.malformed', 400));
  expect((await put({ scopes, access_token: await consent({ scope: 'own' }) })).json).toMatchObject({ scopes });
  expect((await put({ scopes, agent_id: tenant.agentId })).json).toMatchObject({ agent_id: tenant.agentId });
});

it('the platform key registers an issuer without a token', async () => {
  const body = { name: 'corp', issuer: issuer.issuer };
  const path = `/v1/tenants/${tenant.tenantId}/identity-providers`;
  expect((await api.ask('POST', path, { key: tenant.admin, body })).json).toEqual(problem('auth.role', 403));
  expect((await api.ask('POST', path, { key: PLATFORM_KEY, body })).json).toMatchObject({ created_by: 'platform' });
  expect(api.kernel.requests.at(-1)).toMatchObject({ request: { verb: 'identity_provider_put', by_platform: true } });
  expect((await tools(await token())).status).toBe(200);
});

it('one issuer serves several tenants only by a claim of each', async () => {
  const other = await api.newTenant();
  await register({ tenant_claim: 'org', tenant_value: 'a' });
  expect((await register({}, other)).json).toEqual(problem('conflict', 409));
  expect((await register({ tenant_claim: 'team', tenant_value: 'b' }, other)).json).toEqual(problem('conflict', 409));
  expect((await register({ tenant_claim: 'org', tenant_value: 'a' }, other)).json).toEqual(problem('conflict', 409));
  expect((await register({ tenant_claim: 'org', tenant_value: 'b' }, other)).status).toBe(200);
  const admin = { scope: 'writ:admin' };
  for (const [org, of] of [
    ['a', tenant],
    ['b', other],
  ] as const) {
    const listed = await api.ask('GET', '/v1/api-keys', { key: await token({ claims: { ...admin, org } }) });
    const keys = (await api.ask('GET', '/v1/api-keys', { key: of.admin })).json;
    expect(listed.json).toEqual(keys);
  }
  for (const org of ['c', undefined, ['a'], 7])
    expect((await tools(await token({ claims: { ...admin, org } }))).json).toEqual(problem('auth.invalid', 401));
  await api.ask('DELETE', '/v1/identity-providers/corp', { key: other.admin });
});

it('a removed issuer, a denied subject and a denied token are refused at once', async () => {
  await register();
  const [one, same, other] = [
    await token({ claims: { jti: 'one' } }),
    await token(),
    await token({ claims: { sub: 'bob-2' } }),
  ];
  for (const each of [one, same, other]) expect((await tools(each)).status).toBe(200);
  const deny = (body: object) => api.ask('POST', '/v1/identity-providers/corp/denials', { key: tenant.admin, body });
  expect((await deny({ jti: 'one' })).json).toMatchObject({ revoked: [] });
  expect([(await tools(one)).status, (await tools(same)).status]).toEqual([401, 200]);
  expect((await deny({ subject: 'ann-1' })).json).toMatchObject({ revoked: [expect.stringMatching(/^key_/)] });
  expect([(await tools(same)).status, (await tools(other)).status]).toEqual([401, 200]);
  expect((await deny({})).json).toEqual(problem('request.malformed', 400));
  const removed = await api.ask('DELETE', '/v1/identity-providers/corp', { key: tenant.admin });
  expect(removed.json).toMatchObject({ revoked: [expect.stringMatching(/^key_/)], more: false });
  expect((await tools(other)).status).toBe(401);
});

it('a credential that was revoked as a key stays revoked', async () => {
  await register();
  const text = await token();
  await tools(text);
  const { items } = (await api.ask('GET', '/v1/api-keys', { key: tenant.admin })).json as {
    items: { api_key_id: string; name: string }[];
  };
  const made = items.find(({ name }) => name === 'token of corp');
  await api.ask('DELETE', `/v1/api-keys/${String(made?.api_key_id)}`, { key: tenant.admin });
  expect((await tools(text)).status).toBe(401);
  expect((await tools(await token())).status).toBe(401);
});

it('a call carries the pseudonym of its person, the same for a key and a token of one person', async () => {
  await register({ person_claim: 'email', agent_id: tenant.agentId });
  const claims = { scope: 'writ:agent', email: 'Ann@Example.org', email_verified: true };
  const key = await api.ask('POST', '/v1/api-keys', {
    key: tenant.admin,
    body: { name: 'ann', role: 'operator', principal: 'ann@example.org' },
  });
  expect((await tools(await token({ claims }))).status).toBe(200);
  expect((await tools(key.json['api_key'] as string)).status).toBe(200);
  const found = await api.ask('GET', '/v1/persons?principal=ann@example.org', { key: tenant.admin });
  expect(found.json).toMatchObject({ person_id: expect.stringMatching(/^per_/) });
  const path = `/v1/persons/${String(found.json['person_id'])}`;
  expect((await api.ask('DELETE', path, { key: tenant.admin })).json).toMatchObject({ forgotten: true });
  expect((await api.ask('DELETE', path, { key: tenant.admin })).json).toEqual(problem('not_found', 404));
  for (const wrong of [{ email: undefined }, { email: 7 }, { email: 'not a name' }, { email_verified: false }])
    expect((await tools(await token({ claims: { ...claims, ...wrong } }))).status).toBe(401);
});

it('an issuer that redirects its keys is unavailable, and the answer says when to try again', async () => {
  const other = createServer((request, response) => {
    if (request.url === '/jwks') response.writeHead(302, { location: `${issuer.issuer}/jwks` }).end();
    else response.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/jwks` }));
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const place = `127.0.0.1:${String((other.address() as AddressInfo).port)}`;
  const url = `http://${place}`;
  const another = await openTestApi({ WRIT_PUBLIC_URL: RESOURCE, issuerAllowed: new Set([place]) });
  another.kernel.handlers.set('change.record', () => ({ recorded: 'rec_01kdvq8qfwe9gr4v9m1h7e3x2z' }));
  const of = await another.newTenant();
  const body = { name: 'corp', issuer: url };
  await another.ask('POST', `/v1/tenants/${of.tenantId}/identity-providers`, { key: PLATFORM_KEY, body });
  const answer = await another.ask('GET', '/v1/tools', { key: await token({ claims: { iss: url } }) });
  expect(answer.json).toEqual(problem('auth.issuer_unavailable', 503));
  expect(answer.headers.get('retry-after')).toBe('1');
  await another.close();
  other.closeAllConnections();
  other.close();
});

it('forgetting a person without a name revokes the credentials, and a new pseudonym begins anew', async () => {
  await register();
  const text = await token();
  expect((await tools(text)).status).toBe(200);
  const query = `/v1/persons?issuer=${encodeURIComponent(issuer.issuer)}&subject=ann-1`;
  const { person_id } = (await api.ask('GET', query, { key: tenant.admin })).json;
  const path = `/v1/persons/${String(person_id)}`;
  // Where the kernel can't end the calls of a credential, the person isn't forgotten.
  const revoke = api.kernel.handlers.get('api_key.revoke');
  api.kernel.handlers.set('api_key.revoke', () => {
    throw new Fault('deadline');
  });
  expect((await api.ask('DELETE', path, { key: tenant.admin })).status).toBeGreaterThan(499);
  expect((await api.ask('GET', query, { key: tenant.admin })).json).toMatchObject({ person_id });
  if (revoke !== undefined) api.kernel.handlers.set('api_key.revoke', revoke);
  const forgotten = await api.ask('DELETE', path, { key: tenant.admin });
  expect(forgotten.json).toEqual({
    person_id,
    forgotten: true,
    revoked: [expect.stringMatching(/^key_/)],
    more: false,
  });
  expect((await api.ask('GET', query, { key: tenant.admin })).json).toEqual(problem('not_found', 404));
  expect((await tools(text)).status).toBe(200);
  expect((await api.ask('GET', query, { key: tenant.admin })).json['person_id']).not.toBe(person_id);
  // Another tenant can't forget it.
  const other = await api.newTenant();
  expect((await api.ask('DELETE', path, { key: other.admin })).json).toEqual(problem('not_found', 404));
});

it('tokens that may be valid are limited for an address too, apart from invalid ones', async () => {
  const small = await openTestApi({
    WRIT_PUBLIC_URL: RESOURCE,
    WRIT_AUTH_FAILURES_PER_MINUTE: 1,
    issuerAllowed: new Set([new URL(issuer.issuer).host]),
  });
  small.kernel.handlers.set('change.record', () => ({ recorded: 'rec_01kdvq8qfwe9gr4v9m1h7e3x2z' }));
  const of = await small.newTenant();
  const body = { name: 'corp', issuer: issuer.issuer };
  await small.ask('POST', `/v1/tenants/${of.tenantId}/identity-providers`, { key: PLATFORM_KEY, body });
  const ask = async (scope: string) =>
    await small.ask('GET', '/v1/api-keys', { key: await token({ claims: { scope } }) });
  for (let n = 0; n < 10; n += 1) expect((await ask('none')).json).toEqual(problem('auth.insufficient_scope', 403));
  expect((await ask('none')).json).toEqual(problem('rate.limited', 429));
  expect((await small.ask('GET', '/v1/api-keys', { key: of.admin })).status).toBe(200);
  await small.close();
});
