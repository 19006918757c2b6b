// SPDX-License-Identifier: Apache-2.0
// An MCP server that acts under the rights of each person, through a whole Writ: people sign in at the identity
// provider of their organisation, consent at the authorization server of the MCP server, and call under their own
// rights. Both servers are real ones (`oidc-provider`); a scripted browser stands for the people's.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import {
  Api,
  makeWorld,
  openFakeInternet,
  startStack,
  verifiedReceipt,
  type FakeInternet,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { answerByFetch, Browser, freePort, type BrowserPage } from '@writ/testing';
import { vi } from 'vitest';
import { AuthorizationServer, PERSON_HEADER, SIGN_IN_CLIENT_ID } from './authorization-server.ts';
import { mcpClient } from './mcp-client.ts';
import { challengeOf, OauthClient } from './oauth-client.ts';
import { runPersonsGuide } from './persons-guide.ts';
import {
  REFUSES,
  UPSTREAM_CLIENT_ID,
  UPSTREAM_ISSUER,
  UPSTREAM_SCOPE,
  UpstreamAuthorization,
} from './upstream-authorization.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

const URL_OF_SERVER = 'https://mcp.outside.example/mcp';
const METADATA_PATH = '/.well-known/oauth-protected-resource/mcp';
const WAIT = { timeout: 60_000, interval: 100 };
/** A token that came less than ten seconds ago is used, however short it is. */
const FRESH_MS = 10_500;

let url: string;
let internet: FakeInternet;
let provider: AuthorizationServer;
let upstream: UpstreamAuthorization;
let stack: Stack;
let world: World;
let client: OauthClient;
let token: string;
/** of the MCP server */
let redirectUri: string;
/** of the definition of `create_issue` */
let digest: string;
/** who created what, as the MCP server knows its callers */
let created: string[] = [];

const INPUT = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] } as const;

/** A server of the official SDK for one caller. */
const handlerFor = (person: string) =>
  createMcpHandler(() => {
    const server = new McpServer({ name: 'tracker', version: '1' });
    const shape = { description: 'Creates an issue.', inputSchema: fromJsonSchema<{ title: string }>(INPUT) };
    server.registerTool('create_issue', shape, ({ title }) => {
      created.push(`${person}: ${title}`);
      return { content: [{ type: 'text', text: `${person} created ${title}` }] };
    });
    return server;
  });

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.headers.host?.startsWith('login.') === true) return await upstream.answer(request, response);
  if (request.url === METADATA_PATH) {
    const metadata = { resource: URL_OF_SERVER, authorization_servers: [UPSTREAM_ISSUER] };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(metadata));
    return;
  }
  const { method, headers } = request;
  const read = { method, headers, body: await text(request) };
  const person = await personOf(headers);
  if (person === null) {
    const challenge = `Bearer resource_metadata="https://mcp.outside.example${METADATA_PATH}"`;
    response.writeHead(401, { 'www-authenticate': challenge }).end();
    return;
  }
  await answerByFetch((asked) => handlerFor(person).fetch(asked), URL_OF_SERVER, read, response);
}

async function personOf({ authorization = '' }: IncomingHttpHeaders): Promise<string | null> {
  const [, value] = /^Bearer (.+)$/.exec(authorization) ?? [];
  return value === undefined ? null : await upstream.personOf(value);
}

beforeAll(async () => {
  const port = String(await freePort());
  url = `http://127.0.0.1:${port}`;
  provider = await AuthorizationServer.open(url);
  upstream = await UpstreamAuthorization.open(URL_OF_SERVER);
  internet = await openFakeInternet((request, response) => void serve(request, response));
  stack = await startStack({
    programs: { executor: [internet.program] },
    env: {
      executor: internet.env,
      orchestrator: {
        WRIT_HTTP_PORT: port,
        WRIT_PUBLIC_URL: url,
        WRIT_AUTHORIZATION_SERVERS: provider.issuer,
        WRIT_ISSUER_ALLOW: provider.place,
      },
    },
  });
  // Work at the authorization server is claimed by two executors.
  await stack.another('executor', internet.env, [internet.program]);
  world = await makeWorld(url, stack.keys.platformKey);
  client = await OauthClient.discover(challengeOf((await new Api(url).get('/v1/tools')).headers));
  const corp = await world.admin.must('/v1/identity-providers', {
    name: 'corp',
    issuer: provider.issuer,
    agent_id: world.agentId,
    sign_in: { client_id: SIGN_IN_CLIENT_ID },
    access_token: await client.signIn('root', 'writ:admin'),
  });
  provider.redirectUris.add(corp.redirect_uri as string);
  const registered = await world.admin.must('/v1/resources', {
    kind: 'mcp_server',
    name: 'tracker',
    settings: {
      transport: 'http',
      url: URL_OF_SERVER,
      credential: { oauth: { client_id: UPSTREAM_CLIENT_ID, scopes: [UPSTREAM_SCOPE] } },
    },
  });
  const { oauth } = (await world.admin.get('/v1/mcp-servers/tracker')).body;
  redirectUri = (oauth as { redirect_uri: string }).redirect_uri;
  upstream.redirectUris.add(redirectUri);
  const grant = {
    kind: 'mcp_server',
    resource_id: registered.resource_id as string,
    right: 'use',
    agent_id: world.agentId,
    clearance: 'autopilot',
  };
  expect((await world.admin.request('PUT', '/v1/resource-grants', grant)).status).toBeLessThan(300);
  token = (
    await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        tools: ['mcp.tracker.*'],
        fs: [],
        net: [{ domain: 'mcp.outside.example', methods: ['POST'] }],
        secrets: [],
        budgets: {},
        not_before: 0,
        expires_at: Date.now() + 3_600_000,
      },
    })
  ).capability_token_id as string;
});
afterAll(async () => {
  await stack?.stop();
  internet?.close();
  await provider?.close();
  await upstream?.close();
});
beforeEach(() => {
  created = [];
  upstream.requests = [];
  upstream.instead = null;
  upstream.accessTokenSeconds = 600;
});

const CONNECTIONS = '/v1/mcp-servers/tracker/connections';
const as = async (person: string, scope = 'writ:agent'): Promise<Api> =>
  new Api(url, await client.signIn(person, scope));
const browserOf = (person: string): Browser =>
  new Browser({ headers: { [PERSON_HEADER]: person }, plays: { [UPSTREAM_ISSUER]: upstream.place } });
/** A link, once an executor has found the authorization server. */
const linkFor = async (api: Api, path = CONNECTIONS): Promise<JsonValue> =>
  await vi.waitFor(async () => {
    const answer = await api.post(path, {});
    expect(answer).toMatchObject({ status: 201 });
    return answer.body;
  }, WAIT);
/** Goes from a link to the authorization server and back. */
async function consent(browser: Browser, link: string): Promise<BrowserPage> {
  const page = await browser.open(link);
  return await browser.goOn(await browser.send(page, 'Continue'));
}
const stateOf = async (api: Api, id: unknown): Promise<JsonValue> =>
  (await api.get(`${CONNECTIONS}/${String(id)}`)).body;
const reached = (api: Api, id: unknown, state: string): Promise<JsonValue> =>
  vi.waitFor(async () => {
    const connection = await stateOf(api, id);
    expect(connection).toMatchObject({ state });
    return connection;
  }, WAIT);
async function connected(person: string): Promise<{ api: Api; id: string }> {
  return await connectedAs(person, await as(person));
}
async function connectedAs(person: string, api: Api, path?: string): Promise<{ api: Api; id: string }> {
  const { connection_id: id, url: link } = await linkFor(api, path);
  await consent(browserOf(person), link as string);
  await reached(api, id, 'connected');
  return { api, id: id as string };
}
/** People whose tokens came a while ago, of a short life. */
const aged = new Map<string, { api: Api; id: string }>();
/** Connects a person, whose token is about to expire. One wait is enough for all tests that need it. */
async function connectedAWhileAgo(person: 'erin' | 'frank'): Promise<{ api: Api; id: string }> {
  if (!aged.has(person)) {
    upstream.accessTokenSeconds = 12;
    await Promise.all(['erin', 'frank'].map(async (name) => aged.set(name, await connected(name))));
    await sleep(FRESH_MS);
    upstream.accessTokenSeconds = 600;
  }
  const connection = aged.get(person)!;
  aged.delete(person);
  return connection;
}
const call = async (api: Api, title: string): Promise<JsonValue> =>
  (
    await api.post('/v1/tool-calls?wait=30000', {
      tool_id: 'mcp.tracker.create_issue',
      args: { title },
      capability_token_id: token,
      workspace_id: world.workspaceId,
      agent_id: world.agentId,
      idempotency_key: crypto.randomUUID(),
    })
  ).body;
const tokenRequests = (type: string): number =>
  upstream.requests.filter(({ form }) => form.get('grant_type') === type).length;

it('an administrator connects so that the tools are listed, and accepts one', async () => {
  const root = await as('root', 'writ:agent writ:admin');
  const { id } = await connectedAs('root', root, '/v1/mcp-servers/tracker/listing-connection');
  await world.admin.must('/v1/mcp-servers/tracker/refresh', {});
  const tool = await vi.waitFor(async () => {
    const [found] = (await world.admin.get('/v1/mcp-servers/tracker/tools')).body.items as JsonValue[];
    expect(found).toMatchObject({ remote_name: 'create_issue', state: 'new' });
    return found!;
  }, WAIT);
  digest = tool.seen.digest as string;
  await world.admin.must('/v1/mcp-servers/tracker/tools/accept', { tools: [{ name: 'create_issue', digest }] });
  expect((await world.admin.get('/v1/mcp-servers/tracker')).body).toMatchObject({
    oauth: { client_id: UPSTREAM_CLIENT_ID, issuer: UPSTREAM_ISSUER, listed_by: id },
  });
});

it('a call of a person who has not consented is refused, and nothing leaves', async () => {
  const refused = await call(await as('ann'), 'first');
  expect(refused).toMatchObject({ status: 'error', error: { code: 'mcp.consent_required' } });
  expect(created).toEqual([]);
});

it('an API key can not connect, and its calls have the rights of nobody', async () => {
  expect((await world.admin.post(CONNECTIONS, {})).body).toMatchObject({ code: 'auth.role' });
  expect(await call(world.agent, 'by a key')).toMatchObject({ error: { code: 'mcp.consent_required' } });
  expect(created).toEqual([]);
});

it('two people each act under their own rights, and nothing shows a token', async () => {
  const [ann, bob] = [await connected('ann'), await connected('bob')];
  const ended = await call(ann.api, 'of Ann');
  expect(ended).toMatchObject({ status: 'ok', tx_outcome: 'committed' });
  expect(await call(bob.api, 'of Bob')).toMatchObject({ status: 'ok' });
  // A later sign-in of the same person, with another role, is the same person.
  expect(await call(await as('ann', 'writ:admin'), 'again')).toMatchObject({ status: 'ok' });
  expect(created).toEqual(['ann: of Ann', 'bob: of Bob', 'ann: again']);
  const { record } = await verifiedReceipt(stack, world, ended.operation_id as string, 'outcome');
  expect(record).toMatchObject({ tool_id: 'mcp.tracker.create_issue', tx_outcome: 'committed' });
  const lists = await Promise.all([ann.api, world.admin].map(async (api) => (await api.get(CONNECTIONS)).text));
  expect(lists[0]).toContain(ann.id);
  const secrets = upstream.requests.flatMap(({ form }) => [...form.values()].filter((value) => value.length > 40));
  for (const secret of secrets) for (const text of [...lists, stack.logs()]) expect(text).not.toContain(secret);
});

it('each sees their own connections, an administrator all of them, and nobody ends those of another', async () => {
  const dora = await as('dora');
  const list = async (api: Api): Promise<JsonValue[]> => (await api.get(CONNECTIONS)).body.items as JsonValue[];
  expect(await list(dora)).toEqual([]);
  const all = await list(await as('root', 'writ:admin'));
  expect(all.filter(({ state }) => state === 'connected').length).toBeGreaterThanOrEqual(3);
  const [one] = all;
  expect((await dora.request('DELETE', `${CONNECTIONS}/${one!.connection_id as string}`)).body.code).toBe('not_found');
  expect((await dora.get(`${CONNECTIONS}/${one!.connection_id as string}`)).body.code).toBe('not_found');
});

it('a client of MCP shows the page to the person of a refused call, which is made anew after the consent', async () => {
  const opened: string[] = [];
  const made = await mcpClient(`${url}/mcp/${token}?server=tracker`, await client.signIn('ivan', 'writ:agent'), {
    open: async (link) => {
      opened.push(link);
      const others = await browserOf('mallory').open(link);
      expect([others.status, others.text]).toEqual([403, expect.stringContaining('for somebody else')]);
      await consent(browserOf('ivan'), link);
      return { action: 'accept' };
    },
  });
  const result = await made.callTool({ name: 'create_issue', arguments: { title: 'by a page' } });
  await made.close();
  expect(result).toMatchObject({ content: [{ type: 'text', text: 'ivan created by a page' }] });
  expect([opened.length, created]).toEqual([1, ['ivan: by a page']]);
  const { body } = await world.admin.get('/v1/operations?tool_id=mcp.tracker.create_issue&limit=2');
  const states = (body.items as JsonValue[]).map(({ state }) => state as unknown);
  expect(states).toEqual(['committed', 'refused']);
});

it('another person at the page sees nothing of the consent, and confirms nothing', async () => {
  const carol = await as('carol');
  const { connection_id: id, url: link } = await linkFor(carol);
  const page = await browserOf('mallory').open(link as string);
  expect([page.status, page.text]).toEqual([403, expect.stringContaining('for somebody else')]);
  expect(page.text).not.toMatch(/tracker|mcp\.outside/);
  expect(await stateOf(carol, id)).toMatchObject({ state: 'asked' });
});

it('what the authorization server answers counts in the session that confirmed, once, and from that issuer', async () => {
  const carol = await as('carol');
  const { connection_id: id, url: link } = await linkFor(carol);
  const own = browserOf('carol');
  const leaving = await own.send(await own.open(link as string), 'Continue');
  // The victim of Carol, who sends the address around, so that she acts under the victim's rights.
  const victim = browserOf('mallory');
  const stopped = await victim.goOn(leaving, redirectUri);
  expect((await victim.open(stopped.url)).status).toBe(404);
  expect(await stateOf(carol, id)).toMatchObject({ state: 'confirmed' });
  // An answer of another issuer fails the consent, and its code is not exchanged.
  const mixed = new URL((await own.goOn(leaving, redirectUri)).url);
  mixed.searchParams.set('iss', 'https://other.example');
  expect((await own.open(mixed.href)).text).toContain('is not connected');
  expect(await stateOf(carol, id)).toMatchObject({ state: 'failed', problem: { code: 'mcp.consent_failed' } });
  mixed.searchParams.set('iss', UPSTREAM_ISSUER);
  expect((await own.open(mixed.href)).status).toBe(404);
  expect(tokenRequests('authorization_code')).toBe(0);
});

it('each server and each registration has a redirect URI of its own, and another one takes no answer', async () => {
  expect(redirectUri).toMatch(new RegExp(`^${url}/connect/done/res_`));
  const { body: list } = await world.admin.get('/v1/identity-providers');
  const [corp] = list.items as JsonValue[];
  expect(corp).toMatchObject({ redirect_uri: `${url}/connect/signed-in/${String(corp!.provider_id)}` });
  const carol = await as('carol');
  const { connection_id: id, url: link } = await linkFor(carol);
  const own = browserOf('carol');
  const page = await own.open(link as string);
  expect(page.text).toContain('login.outside.example');
  const back = new URL((await own.goOn(await own.send(page, 'Continue'), redirectUri)).url);
  // The answer at the redirect URI of another server, as an authorization server of somebody else has it sent.
  const elsewhere = new URL(`${url}/connect/done/res_01kdvq8qfwe9gr4v9m1h7e3x2z${back.search}`);
  expect((await own.open(elsewhere.href)).status).toBe(404);
  expect(tokenRequests('authorization_code')).toBe(0);
  await own.open(back.href);
  await reached(carol, id, 'connected');
});

it('a person who says no is not connected', async () => {
  const api = await as(REFUSES);
  const { connection_id: id, url: link } = await linkFor(api);
  expect((await consent(browserOf(REFUSES), link as string)).text).toContain('is not connected');
  expect(await stateOf(api, id)).toMatchObject({ state: 'failed' });
});

it('a token that is about to expire is renewed once, though many calls wait for it, and the new one is kept', async () => {
  const { api } = await connectedAWhileAgo('erin');
  upstream.requests = [];
  const ended = await Promise.all(['a', 'b', 'c', 'd'].map((title) => call(api, title)));
  for (const each of ended) expect(each).toMatchObject({ error: null, status: 'ok', tx_outcome: 'committed' });
  expect(created.toSorted()).toEqual(['erin: a', 'erin: b', 'erin: c', 'erin: d']);
  expect(tokenRequests('refresh_token')).toBe(1);
  // Rotation: the first refresh token is worth nothing now, and the next renewal has the new one.
  expect(await call(api, 'later')).toMatchObject({ status: 'ok' });
  expect(tokenRequests('refresh_token')).toBe(1);
});

it('whoever was revoked at the authorization server is not called for, and is asked to consent again', async () => {
  const { api, id } = await connectedAWhileAgo('frank');
  await upstream.revokeAll('frank');
  const ended = await call(api, 'too late');
  expect(ended).toMatchObject({ status: 'error' });
  await reached(api, id, 'ended');
  expect(await call(api, 'again')).toMatchObject({ error: { code: 'mcp.consent_required' } });
  expect(created).toEqual([]);
});

it('a connection that its person ends is revoked at the authorization server, and no call uses it', async () => {
  const { api, id } = await connected('gina');
  expect(await call(api, 'before')).toMatchObject({ status: 'ok' });
  expect((await api.request('DELETE', `${CONNECTIONS}/${id}`)).body).toMatchObject({ state: 'ended' });
  expect(await call(api, 'after')).toMatchObject({ error: { code: 'mcp.consent_required' } });
  expect(created).toEqual(['gina: before']);
  await vi.waitFor(() => expect(upstream.requests.some(({ path }) => path === '/token/revocation')).toBe(true), WAIT);
});

it('the connections of a person end with the credentials of the person', async () => {
  const { id } = await connected('hugo');
  await world.admin.must('/v1/identity-providers/corp/denials', { subject: 'hugo' });
  await reached(await as('root', 'writ:admin'), id, 'ended');
  const page = await browserOf('hugo').open(`${url}/connect/${'x'.repeat(43)}`);
  expect(page.status).toBe(404);
});

it('all connections end when the server is registered otherwise', async () => {
  const { body: list } = await world.admin.get('/v1/resources?kind=mcp_server');
  const [resource] = list.items as JsonValue[];
  await world.admin.request('DELETE', `/v1/resources/${resource!.resource_id as string}`);
  const ann = await as('ann');
  expect(await call(ann, 'gone')).toMatchObject({ status: 'error' });
  expect(created).toEqual([]);
});

it('every command of docs/how-to/mcp-persons.md works as the guide describes', async () => {
  // An issuer is registered for one tenant.
  await world.admin.request('DELETE', '/v1/identity-providers/corp');
  const said = await runPersonsGuide({
    ...{ stack: { ...stack, url }, client, provider, upstream, server: URL_OF_SERVER, digest },
    consent: (person, link) => consent(browserOf(person), link),
  });
  expect(said).toMatch(/tracker is listed: 0 accepted, 1 to decide[^]*connected tracker: con_[^]*disconnected con_/);
  expect(created).toEqual(['ann: A leak']);
});
