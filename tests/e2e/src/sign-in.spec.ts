// SPDX-License-Identifier: Apache-2.0
// Sign-in sessions through a whole Writ, with real identity providers (`oidc-provider`) and two replicas. A scripted
// browser stands for the people's.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Api,
  approveShown,
  makeWorld,
  Observer,
  startStack,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { Browser, freePort, type BrowserPage } from '@writ/testing';
import { vi } from 'vitest';
import { AuthorizationServer, PERSON_HEADER, SIGN_IN_CLIENT_ID } from './authorization-server.ts';
import { GuideFolder } from './guide.ts';
import { challengeOf, OauthClient } from './oauth-client.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/** How long a replica goes on with what it has found. */
const CACHED_MS = 1_000;
/** How often a stream without events looks whether its reader may still read. */
const HEARTBEAT_MS = 15_000;
const SAME = { 'sec-fetch-site': 'same-origin' };

let url: string;
/** of the second replica */
let other: string;
let stack: Stack;
let world: World;
let server: AuthorizationServer;
let client: OauthClient;
let observer: Observer;
/** every secret that a test has seen: none may be in a log, a table or a record */
const secrets: string[] = [];

beforeAll(async () => {
  const [port, second] = [String(await freePort()), String(await freePort())];
  url = `http://127.0.0.1:${port}`;
  other = `http://127.0.0.1:${second}`;
  server = await AuthorizationServer.open(url);
  const env = {
    WRIT_HTTP_PORT: port,
    WRIT_PUBLIC_URL: url,
    WRIT_AUTHORIZATION_SERVERS: server.issuer,
    WRIT_ISSUER_ALLOW: server.place,
  };
  stack = await startStack({ env: { orchestrator: env } });
  await stack.another('orchestrator', { ...env, WRIT_HTTP_PORT: second });
  world = await makeWorld(url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  observer = new Observer(stack);
  client = await OauthClient.discover(challengeOf((await new Api(url).get('/v1/tools')).headers));
  await register();
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
  await server?.close();
});

async function register(of = world): Promise<void> {
  const corp = await of.admin.must('/v1/identity-providers', {
    name: 'corp',
    issuer: server.issuer,
    agent_id: of.agentId,
    person_claim: 'email',
    sign_in: { client_id: SIGN_IN_CLIENT_ID },
    access_token: await client.signIn('root', 'writ:admin'),
  });
  server.redirectUris.add(corp.session_redirect_uri as string);
}
const browserOf = (person: string): Browser => new Browser({ headers: { [PERSON_HEADER]: person } });
const startAt = (): string => `${url}/sign-in?tenant=${world.tenantId}`;
async function signIn(person: string, browser = browserOf(person), at = startAt()): Promise<Browser> {
  const arrived = await browser.goOn(await browser.send(await browser.open(at), 'Sign in at corp'));
  expect(arrived.text).toContain('You are signed in');
  await browser.goOn(arrived);
  secrets.push(cookieOf(browser));
  return browser;
}
const cookieOf = (browser: Browser): string => /writ_session=([^;]+)/.exec(browser.cookiesFor(url))?.[1] ?? '';
const get = (browser: Browser, path: string, at = url): ReturnType<Api['get']> =>
  new Api(at).get(path, { cookie: browser.cookiesFor(url), ...SAME });
async function post(browser: Browser, path: string, body: unknown = {}): ReturnType<Api['post']> {
  const { csrf_token } = (await get(browser, '/v1/sign-in')).body.sign_in as JsonValue;
  return await new Api(url).post(path, body, {
    cookie: browser.cookiesFor(url),
    origin: url,
    'writ-csrf': csrf_token as string,
  });
}
/** A call by a session of role `agent`. */
const call = (browser: Browser, tool_id: string, args: unknown) =>
  post(browser, '/v1/tool-calls?wait=30000', {
    ...{ tool_id, args, capability_token_id: world.tokenId, workspace_id: world.workspaceId },
    idempotency_key: randomUUID(),
  });
const form = async (path: string, fields: Record<string, string>, at = url): Promise<JsonValue> =>
  await (await fetch(`${at}${path}`, { method: 'POST', body: new URLSearchParams(fields) })).json();
/** A program that a person approved. */
async function program(person: string): Promise<{ api: Api; text: string; page: BrowserPage }> {
  const codes = await form('/v1/device-authorizations', { client_id: 'cli', tenant: world.tenantId });
  const browser = await signIn(person, browserOf(person), codes.verification_uri_complete as string);
  const page = await browser.open(codes.verification_uri_complete as string);
  await browser.send(page, 'Approve');
  const grant = { grant_type: DEVICE_GRANT, client_id: 'cli', device_code: codes.device_code as string };
  const text = (await form('/v1/oauth/token', grant)).access_token as string;
  secrets.push(text, codes.device_code as string, codes.user_code as string);
  return { api: new Api(url, text), text, page };
}

it('a person signs in in a browser, proposes a call, and can not approve it by an access token of their own', async () => {
  const ann = await signIn('ann');
  expect((await get(ann, '/v1/sign-in')).body.sign_in).toMatchObject({ kind: 'browser', provider: 'corp' });
  const dir = `dir-${randomUUID()}`;
  await call(ann, 'fs.write', { path: `${dir}/x.txt`, content: 'x' });
  const { body: held } = await call(ann, 'shell.run', { command: `rm -rf ${dir}` });
  expect(held.state).toBe('held');
  const token = new Api(url, await client.signIn('ann', 'writ:operator'));
  expect((await approveShown(token, held.approval_id as string, {})).body.code).toBe('approval.own_call');
  const bob = (await program('bob')).api;
  expect((await approveShown(bob, held.approval_id as string, {})).status).toBe(200);
  await world.until(held.operation_id as string, ['committed']);
});

it('a group of the issuer gives its role to sessions and to tokens, until the mapping ends at every replica', async () => {
  const groups = [{ group: 'Writ Auditors', role: 'auditor' }];
  const map = async (mapping: object): Promise<void> => {
    const named = { name: 'corp', issuer: server.issuer };
    const access_token = await client.signIn('root', 'writ:admin');
    // A mapping that gives other roles needs an administrator at the issuer.
    const alone = await world.admin.post('/v1/identity-providers', { ...named, ...mapping });
    expect(alone.body).toMatchObject({ code: 'request.malformed', pointer: '/access_token' });
    await world.admin.must('/v1/identity-providers', { ...named, ...mapping, access_token });
  };
  await map({ groups_claim: 'groups', groups });
  for (const person of ['gina', 'gus']) server.scopesOf.set(person, 'openid');
  server.groupsOf.set('gina', ['everyone', 'Writ Auditors']);
  server.groupsOf.set('gus', 'Writ Auditors');
  const gina = await signIn('gina');
  expect((await get(gina, '/v1/sign-in')).body.sign_in.roles).toEqual(['auditor']);
  const token = new Api(url, await client.signIn('gina', 'openid'));
  expect((await token.get('/v1/approvals')).status).toBe(200);
  expect((await token.get('/v1/api-keys')).body.code).toBe('auth.insufficient_scope');
  const gus = browserOf('gus');
  const page = await gus.goOn(await gus.send(await gus.open(startAt()), 'Sign in at corp'));
  expect(page.text).toContain('You are not signed in');
  await map({ groups_claim: null, groups: [] });
  await sleep(CACHED_MS);
  for (const at of [url, other]) expect((await get(gina, '/v1/approvals', at)).body.code).toBe('auth.role');
  expect((await token.get('/v1/approvals')).body.code).toBe('auth.insufficient_scope');
});

it('a suspended member is out at every replica with sessions, programs, tokens and keys, until they are active again', async () => {
  const mia = await signIn('mia');
  const { api: tool } = await program('mia');
  const token = new Api(url, await client.signIn('mia', 'writ:operator'));
  const key = { name: 'mia', role: 'auditor', principal: 'mia@example.org' };
  const { api_key, member_id } = await world.admin.must('/v1/api-keys', key);
  expect(member_id).toMatch(/^mbr_/);
  expect((await world.admin.get(`/v1/members/${member_id as string}`)).body).toMatchObject({
    ...{ kind: 'person', name: 'mia@example.org', issuer: server.issuer, subject: 'mia', state: 'active' },
  });
  const patch = async (body: object) =>
    (await world.admin.request('PATCH', `/v1/members/${member_id as string}`, body)).status;
  const ways = (at: string) => [
    get(mia, '/v1/approvals', at),
    new Api(at, tool.key).get('/v1/approvals'),
    new Api(at, token.key).get('/v1/approvals'),
    new Api(at, api_key as string).get('/v1/approvals'),
  ];
  const statuses = async () => (await Promise.all([url, other].flatMap(ways))).map(({ status }) => status);
  expect(await statuses()).toEqual(Array(8).fill(200));
  expect(await patch({ state: 'suspended', role: 'admin' })).toBe(200);
  await sleep(CACHED_MS);
  expect(await statuses()).toEqual(Array(8).fill(401));
  const page = await browserOf('mia').open(startAt());
  expect(page.text).toContain('Sign in');
  expect((await world.admin.post('/v1/api-keys', key)).body.code).toBe('conflict');
  // A member's role counts when nothing else gives it.
  await patch({ state: 'active' });
  await sleep(CACHED_MS);
  expect((await get(mia, '/v1/api-keys', other)).status).toBe(200);
  await patch({ role: null });
});

it('a service account proposes calls, and approves none of them', async () => {
  const { member_id } = await world.admin.must('/v1/members', { name: 'robot' });
  const { api_key } = await world.admin.must('/v1/api-keys', { name: 'robot', role: 'admin', member_id });
  const robot = new Api(url, api_key as string);
  const ann = await signIn('ann');
  const dir = `dir-${randomUUID()}`;
  await call(ann, 'fs.write', { path: `${dir}/x.txt`, content: 'x' });
  const { body: held } = await call(ann, 'shell.run', { command: `rm -rf ${dir}` });
  for (const decision of ['approve', 'deny'])
    expect((await robot.post(`/v1/approvals/${held.approval_id as string}/${decision}`, {})).body.code).toBe(
      'auth.role',
    );
  expect((await world.admin.get(`/v1/operations/${held.operation_id as string}`)).body.state).toBe('held');
});

it('an offboarded member is out at every replica for good: sessions, programs, tokens, keys, lent rights and votes', async () => {
  const olga = await signIn('olga');
  const { api: tool } = await program('olga');
  const token = new Api(url, await client.signIn('olga', 'writ:operator'));
  const own = { name: 'olga', role: 'operator', principal: 'olga@example.org' };
  const { api_key, member_id } = await world.admin.must('/v1/api-keys', own);
  const lent = { to: 'olga@example.org', note: 'away', expires_at: Date.now() + 3_600_000 };
  const delegation = await world.admin.must('/v1/approvals/delegations', lent);
  const ways = (at: string) => [
    get(olga, '/v1/approvals', at),
    ...[tool.key, token.key, api_key as string].map((key) => new Api(at, key).get('/v1/approvals')),
  ];
  const statuses = async () => (await Promise.all([url, other].flatMap(ways))).map(({ status }) => status);
  expect(await statuses()).toEqual(Array(8).fill(200));
  const ended = await world.admin.must(`/v1/members/${member_id as string}/offboard`, { reason: 'left' });
  expect(ended).toMatchObject({ member: { state: 'offboarded' }, delegations: 1, more: false });
  expect((ended.revoked as string[]).length).toBeGreaterThan(1);
  await sleep(CACHED_MS);
  expect(await statuses()).toEqual(Array(8).fill(401));
  const { items } = (await world.admin.get('/v1/approvals/delegations')).body;
  const revoked = (items as JsonValue[]).find(({ delegation_id }) => delegation_id === delegation.delegation_id);
  expect(revoked?.state).toBe('revoked');
  const again = await browserOf('olga').open(startAt());
  const page = await browserOf('olga')
    .goOn(await browserOf('olga').send(again, 'Sign in at corp'))
    .catch(() => null);
  expect(page?.text ?? '').not.toContain('You are signed in');
  expect((await world.admin.post('/v1/api-keys', own)).body.code).toBe('conflict');
  const back = await world.admin.request('PATCH', `/v1/members/${member_id as string}`, { state: 'active' });
  expect(back.body.code).toBe('conflict');
});

it('an invited person becomes a member by the link, once, at every replica; a stolen or revoked link gives nothing', async () => {
  for (const person of ['ivy', 'moe']) server.scopesOf.set(person, 'openid');
  const invite = async (): Promise<JsonValue> =>
    await world.admin.must('/v1/invitations', { email: 'ivy@example.org', role: 'auditor' });
  const take = async (person: string, { link }: JsonValue) => {
    const browser = browserOf(person);
    const page = await browser.goOn(await browser.send(await browser.open(link as string), 'Sign in at corp'));
    return { browser, isIn: page.text.includes('You are signed in') };
  };
  const [made, revoked] = [await invite(), await invite()];
  for (const { link } of [made, revoked]) secrets.push((link as string).split('code=')[1] ?? '');
  await world.admin.request('DELETE', `/v1/invitations/${revoked.invitation_id as string}`);
  expect([(await take('moe', made)).isIn, (await take('ivy', revoked)).isIn]).toEqual([false, false]);
  const { browser: ivy, isIn } = await take('ivy', made);
  expect(isIn).toBe(true);
  for (const at of [url, other]) expect((await get(ivy, '/v1/approvals', at)).status).toBe(200);
  expect((await get(ivy, '/v1/api-keys')).body.code).toBe('auth.role');
  expect((await take('ivy', made)).isIn).toBe(false);
  const read = (await world.admin.get(`/v1/invitations/${made.invitation_id as string}`)).body;
  expect(read).toMatchObject({ state: 'accepted', member_id: expect.stringMatching(/^mbr_/) });
  const member = (await world.admin.get(`/v1/members/${read.member_id as string}`)).body;
  expect(member).toMatchObject({ role: 'auditor', subject: 'ivy', name: 'ivy@example.org' });
  await world.admin.must(`/v1/members/${read.member_id as string}/offboard`, { reason: 'left' });
  expect((await take('ivy', await invite())).isIn).toBe(false);
});

it('a session has the rights that the issuer gave, and no others', async () => {
  server.scopesOf.set('carl', 'writ:auditor');
  const carl = await signIn('carl');
  expect((await get(carl, '/v1/sign-in')).body.sign_in.roles).toEqual(['auditor']);
  expect((await get(carl, '/v1/approvals')).status).toBe(200);
  expect((await get(carl, '/v1/api-keys')).body.code).toBe('auth.role');
  server.scopesOf.set('nemo', 'openid');
  const browser = browserOf('nemo');
  const page = await browser.goOn(await browser.send(await browser.open(startAt()), 'Sign in at corp'));
  expect(page.text).toContain('You are not signed in');
  expect(browser.cookiesFor(url)).not.toContain('writ_session=');
});

it('a session that ends at one replica is refused at the other within a second, and its streams end', async () => {
  const [ann, cli] = [await signIn('ann'), await program('ann')];
  const stream = new AbortController();
  const open = async (headers: Record<string, string>): Promise<() => Promise<boolean>> => {
    const answer = await fetch(`${other}/v1/events`, { headers, signal: stream.signal });
    expect(answer.status).toBe(200);
    const ended = answer.text().then(
      () => true,
      () => true,
    );
    return async () => await Promise.race([ended, sleep(HEARTBEAT_MS + 5_000).then(() => false)]);
  };
  const ended = [
    await open({ cookie: ann.cookiesFor(url), ...SAME }),
    await open({ authorization: `Bearer ${cli.text}` }),
  ];
  expect((await get(ann, '/v1/tools', other)).status).toBe(200);
  const { items } = (await get(ann, '/v1/sign-ins/own')).body;
  for (const { sign_in_id, ended_at } of items as JsonValue[])
    if (ended_at === null) await world.admin.request('DELETE', `/v1/sign-ins/${sign_in_id as string}`);
  await sleep(CACHED_MS);
  expect((await get(ann, '/v1/tools', other)).status).toBe(401);
  expect((await new Api(other, cli.text).get('/v1/tools')).status).toBe(401);
  for (const each of ended) expect(await each()).toBe(true);
  stream.abort();
});

it('a denied person has no session any more at any replica, and a program that was approved gets none', async () => {
  const cli = await program('mallory');
  const codes = await form('/v1/device-authorizations', { client_id: 'late', tenant: world.tenantId });
  const link = codes.verification_uri_complete as string;
  // Whoever signed in for something else is asked again: the issuer may have remembered the browser.
  const mallory = await signIn('mallory');
  expect((await mallory.open(link)).text).toContain('Sign in first');
  await signIn('mallory', mallory, link);
  const page = await mallory.open(link);
  await mallory.send(page, 'Approve');
  await world.admin.must('/v1/identity-providers/corp/denials', { subject: 'mallory' });
  await sleep(CACHED_MS);
  for (const at of [url, other]) {
    expect((await get(mallory, '/v1/tools', at)).status).toBe(401);
    expect((await new Api(at, cli.text).get('/v1/tools')).status).toBe(401);
  }
  const grant = { grant_type: DEVICE_GRANT, client_id: 'late', device_code: codes.device_code as string };
  const { access_token, error } = await form('/v1/oauth/token', grant);
  if (access_token === undefined) expect(error).toBe('access_denied');
  else expect((await new Api(url, access_token as string).get('/v1/tools')).status).toBe(401);
  const browser = browserOf('mallory');
  const again = await browser.goOn(await browser.send(await browser.open(startAt()), 'Sign in at corp'));
  expect(again.text).toContain('does not let you in');
});

it('the answer of one issuer begins no session at the redirect URI of another', async () => {
  const rival = await AuthorizationServer.open(url);
  try {
    const browser = browserOf('ann');
    const leaving = await browser.send(await browser.open(startAt()), 'Sign in at corp');
    const answer = new URL((await browser.open(leaving.next ?? '', `${url}/sign-in/done`)).url);
    const rivals = new URL(answer);
    rivals.searchParams.set('iss', rival.issuer);
    expect((await browser.open(rivals.href)).text).toContain('You are not signed in');
    expect(browser.cookiesFor(url)).not.toContain('writ_session=');
  } finally {
    await rival.close();
  }
});

it('twenty requests at once renew a session together, and a text that was replaced ends it', async () => {
  const { text } = await program('ann');
  const renew = (refresh_token: string, at = url): Promise<JsonValue> =>
    form('/v1/oauth/token', { grant_type: 'refresh_token', refresh_token }, at);
  const renewed = await Promise.all(Array.from({ length: 20 }, (_, n) => renew(text, n % 2 === 0 ? url : other)));
  const texts = new Set(renewed.map(({ access_token }) => access_token as string));
  expect(texts.size).toBe(1);
  const [next = ''] = texts;
  secrets.push(next);
  expect((await new Api(other, next).get('/v1/tools')).status).toBe(200);
  // The database's clock decides how long the old one is good.
  await observer.rows('UPDATE orchestrator.sign_in_session SET before_until = 0 WHERE before_until IS NOT NULL', []);
  await sleep(CACHED_MS);
  expect((await new Api(url, text).get('/v1/tools')).status).toBe(401);
  await sleep(CACHED_MS);
  for (const at of [url, other]) expect((await new Api(at, next).get('/v1/tools')).status).toBe(401);
});

it('the commands of the guide do what it says', async () => {
  await world.admin.request('DELETE', '/v1/identity-providers/corp');
  const folder = await GuideFolder.open({ ...stack, url });
  const admin = new Api(url, folder.variables.WRIT_API_KEY);
  const approve = async (link: string): Promise<void> => {
    const { items } = (await admin.get('/v1/identity-providers')).body;
    server.redirectUris.add((items as JsonValue[])[0]!.session_redirect_uri as string);
    const browser = await signIn('ann', browserOf('ann'), link);
    await browser.send(await browser.open(link), 'Approve');
  };
  const variables = {
    ...folder.variables,
    ISSUER: server.issuer,
    TENANT: folder.tenantId,
    ADMIN_TOKEN: await client.signIn('root', 'writ:admin'),
  };
  const output = await folder.run('how-to/sign-in.md', variables, (line) => {
    if (line.startsWith(`${url}/sign-in/device`)) void approve(line);
  });
  expect(output).toContain('redirect URI of sessions');
  expect(output).toContain('device');
  folder.remove();
});

it('no secret of a sign-in is in a log, a table or a record', async () => {
  expect(secrets.length).toBeGreaterThan(8);
  const logs = stack.logs();
  const tables = JSON.stringify(
    await Promise.all(
      ['orchestrator.sign_in_session', 'orchestrator.device_authorization', 'kernel.outbox'].map((table) =>
        observer.rows(`SELECT t::text FROM ${table} t`, []),
      ),
    ),
  );
  for (const secret of secrets) {
    expect([secret, logs.includes(secret)]).toEqual([secret, false]);
    expect([secret, tables.includes(secret)]).toEqual([secret, false]);
  }
  for (const name of ['ann@example.org', 'carl@example.org'])
    expect([name, tables.includes(name)]).toEqual([name, false]);
});

it('the commands of the guide to members do what it says', async () => {
  const folder = await GuideFolder.open({ ...stack, url });
  const output = await folder.run('how-to/members.md', { ...folder.variables });
  expect(output).toMatch(/state +suspended/);
  folder.remove();
});
