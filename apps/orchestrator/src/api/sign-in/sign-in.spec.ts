// SPDX-License-Identifier: Apache-2.0
// Sign-in for sessions that call the API, in a browser, with a real HTTP identity provider.
import { Browser, freePort, type BrowserPage } from '@writ/testing';
import { newId } from '@writ/nest-kit';
import { openTestApi, PLATFORM_KEY, type TestApi, type TestTenant } from '../../specs/test-api.ts';
import { testIdentityProvider, type TestIdentityProvider } from '../../specs/test-identity-provider.ts';

let provider: TestIdentityProvider;
let api: TestApi;
let tenant: TestTenant;
let url: string;
let recorded: Record<string, unknown>[];

beforeAll(async () => {
  provider = await testIdentityProvider();
  const port = await freePort();
  url = `http://127.0.0.1:${String(port)}`;
  api = await openTestApi({ WRIT_PUBLIC_URL: url, issuerAllowed: new Set([provider.place]) }, port);
});
afterAll(async () => {
  await api.close();
  provider.close();
});
beforeEach(async () => {
  provider.reset();
  recorded = [];
  api.kernel.handlers.set('change.record', (_caller, request) => {
    recorded.push(request);
    return { recorded: 'rec_01kdvq8qfwe9gr4v9m1h7e3x2z' };
  });
  api.kernel.handlers.set('api_key.revoke', () => ({ tokens: [], more_tokens: false }));
  tenant = await api.newTenant();
  await register(tenant);
});
afterEach(() => api.ask('DELETE', '/v1/identity-providers/corp', { key: tenant.admin }));

const register = (of: TestTenant, more: object = {}) =>
  api.ask('POST', `/v1/tenants/${of.tenantId}/identity-providers`, {
    key: PLATFORM_KEY,
    body: {
      name: 'corp',
      issuer: provider.issuer.issuer,
      sign_in: { client_id: 'writ' },
      agent_id: of.agentId,
      ...more,
    },
  });
const startAt = (to = '/sign-in', of = tenant.tenantId): string =>
  `${url}/sign-in?${new URLSearchParams({ tenant: of, to }).toString()}`;
/** Goes to the identity provider and back. */
async function signIn(browser = new Browser(), at = startAt()): Promise<{ browser: Browser; page: BrowserPage }> {
  const leaving = await browser.send(await browser.open(at), 'Sign in at corp');
  return { browser, page: await browser.goOn(leaving) };
}
const cookieOf = (browser: Browser): string => browser.cookiesFor(url).replace(/.*writ_session=/, '');
const SAME = { 'sec-fetch-site': 'same-origin' };
const get = (browser: Browser, path: string, headers: Record<string, string> = SAME) =>
  api.ask('GET', path, { headers: { cookie: browser.cookiesFor(url), ...headers } });
async function csrfOf(browser: Browser): Promise<string> {
  const { sign_in } = (await get(browser, '/v1/sign-in')).json as { sign_in: { csrf_token: string } };
  return sign_in.csrf_token;
}
const post = (browser: Browser, path: string, headers: Record<string, string>, body: unknown = {}) =>
  api.ask('POST', path, { headers: { cookie: browser.cookiesFor(url), ...headers }, body });
const AGENT = { name: 'made by a session' };

it('a person signs in, and calls the API as the same caller as with an access token', async () => {
  provider.state.claims = { email: 'ann@example.org' };
  const { browser, page } = await signIn();
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('You are signed in')]);
  const you = await browser.goOn(page);
  expect(you.text).toContain('ann@example.org');
  expect(you.text).toContain('admin, operator, agent, auditor');
  expect(provider.state.asked.get('resource')).toBe(url);
  const { sign_in } = (await get(browser, '/v1/sign-in')).json as { sign_in: Record<string, unknown> };
  expect(sign_in).toMatchObject({
    kind: 'browser',
    provider: 'corp',
    roles: ['admin', 'operator', 'agent', 'auditor'],
    person_id: expect.stringMatching(/^per_/),
  });
  const began = recorded.find(({ verb }) => verb === 'signed_in');
  expect(began).toMatchObject({ subject: sign_in['sign_in_id'], digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
  const made = await post(browser, '/v1/agents', { origin: url, 'writ-csrf': await csrfOf(browser) }, AGENT);
  expect(made.status).toBe(201);
  const credentials = recorded.filter(({ verb }) => verb === 'oauth_credential_created');
  const token = await provider.issuer.token(Date.now(), { claims: { aud: url, scope: 'writ:admin', sub: 'ann-1' } });
  expect((await api.ask('GET', '/v1/api-keys', { key: token })).status).toBe(200);
  // No further credential: the token has that of the session.
  expect(recorded.filter(({ verb }) => verb === 'oauth_credential_created')).toEqual(credentials);
});

it('a session has the roles that the issuer gave, and those of the registration as it is now', async () => {
  provider.state.changes = { accessToken: { claims: { scope: 'writ:operator' } } };
  const { browser } = await signIn();
  expect((await get(browser, '/v1/approvals')).status).toBe(200);
  expect((await get(browser, '/v1/api-keys')).json['code']).toBe('auth.role');
  await register(tenant, { scopes: [{ scope: 'writ:auditor', role: 'auditor' }] });
  expect((await get(browser, '/v1/approvals')).json['code']).toBe('auth.role');
});

it('sessions in force that give nothing are limited for an address, and one that was good is not', async () => {
  const [usual, port] = [[api, url, tenant] as const, await freePort()];
  url = `http://127.0.0.1:${String(port)}`;
  const few = { WRIT_PUBLIC_URL: url, WRIT_AUTH_FAILURES_PER_MINUTE: 1, issuerAllowed: new Set([provider.place]) };
  api = await openTestApi(few, port);
  try {
    api.kernel.handlers.set('change.record', () => ({ recorded: 'rec_01kdvq8qfwe9gr4v9m1h7e3x2z' }));
    tenant = await api.newTenant();
    await register(tenant);
    const good = await signIn();
    expect((await get(good.browser, '/v1/sign-in')).status).toBe(200);
    const useless = await signIn();
    await register(tenant, { scopes: [{ scope: 'writ:other', role: 'auditor' }] });
    const codes = [];
    for (let n = 0; n < 11; n += 1) codes.push((await get(useless.browser, '/v1/api-keys')).json['code']);
    expect(new Set(codes.slice(0, 10))).toEqual(new Set(['auth.role']));
    expect(codes[10]).toBe('rate.limited');
    expect((await get(good.browser, '/v1/api-keys')).json['code']).toBe('auth.role');
  } finally {
    await api.close();
    [api, url, tenant] = usual;
  }
});

it('the cookie is for this host alone, for no script, and for no request of another site', async () => {
  const { browser } = await signIn();
  const [set = ''] = browser.received.filter((cookie) => cookie.startsWith('writ_session='));
  expect(set).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/i);
  expect(set).not.toMatch(/domain/i);
});

it('a request with a cookie and a key is of nobody: it is refused, and nothing is recorded', async () => {
  const { browser } = await signIn();
  const other = await api.newTenant();
  const before = recorded.length;
  for (const [method, path] of [
    ['GET', '/v1/tools'],
    ['POST', '/v1/agents'],
  ] as const) {
    const headers = { cookie: browser.cookiesFor(url), ...SAME, origin: url };
    const answer = await api.ask(method, path, {
      key: other.admin,
      headers,
      ...(method === 'GET' ? {} : { body: AGENT }),
    });
    expect([answer.status, answer.json['code']]).toEqual([400, 'request.malformed']);
  }
  expect(recorded.length).toBe(before);
});

it('the endpoint for clients of MCP takes no cookie', async () => {
  const { browser } = await signIn();
  const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const headers = { accept: 'application/json, text/event-stream', origin: url, 'writ-csrf': await csrfOf(browser) };
  expect((await post(browser, '/mcp', headers, body)).json['code']).toBe('auth.missing');
});

it.each<[string, Record<string, string>]>([
  ['no token', { 'writ-csrf': '' }],
  ['a made-up token', { 'writ-csrf': 'A'.repeat(43) }],
  ['another origin', { origin: 'https://evil.example' }],
  ['a sibling of this host', { origin: 'http://evil.127.0.0.1' }],
  ['an opaque origin', { origin: 'null' }],
])('a change with a cookie and %s is refused, whatever form it has', async (_what, changed) => {
  const { browser } = await signIn();
  const headers = { origin: url, 'writ-csrf': await csrfOf(browser), ...changed };
  const before = recorded.length;
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
    const answer = await post(browser, '/v1/agents', { ...headers, 'content-type': type }, AGENT);
    expect([answer.status, answer.json['code']]).toEqual([403, 'auth.csrf']);
  }
  expect(recorded.length).toBe(before);
});

it('a change without `Origin`, and one with the token of another session or purpose, is refused', async () => {
  const [one, other] = [(await signIn()).browser, (await signIn()).browser];
  const you = await one.open(`${url}/sign-in`);
  const form = you.forms.find(({ button }) => button === 'Sign out')?.fields['token'] ?? '';
  for (const headers of [
    { 'writ-csrf': await csrfOf(one) },
    { origin: url, 'writ-csrf': await csrfOf(other) },
    { origin: url, 'writ-csrf': form },
  ] as Record<string, string>[])
    expect((await post(one, '/v1/agents', headers, AGENT)).json['code']).toBe('auth.csrf');
  expect((await post(one, '/v1/agents', { origin: url, 'writ-csrf': await csrfOf(one) }, AGENT)).status).toBe(201);
});

it.each(['cross-site', 'same-site', 'odd'])('a page of another site (%s) reads nothing with a cookie', async (site) => {
  const { browser } = await signIn();
  expect((await get(browser, '/v1/tools', { 'sec-fetch-site': site })).json['code']).toBe('auth.csrf');
  expect((await get(browser, '/v1/tools', {})).json['code']).toBe('auth.csrf');
  expect((await get(browser, '/v1/tools', { 'sec-fetch-site': 'none' })).status).toBe(200);
});

it('a planted session stays that of its owner: the sign-in of another person begins a new one', async () => {
  provider.state.person = 'mallory';
  const mallory = (await signIn()).browser;
  const [planted, own] = [cookieOf(mallory), await get(mallory, '/v1/sign-in')];
  const ann = new Browser();
  ann.plant(url, 'writ_session', planted);
  provider.state.person = 'ann-1';
  await signIn(ann, `${startAt()}&as=another`);
  expect(provider.state.asked.get('prompt')).toBe('login');
  expect(cookieOf(ann)).not.toBe(planted);
  const session = ((await get(ann, '/v1/sign-in')).json as { sign_in: Record<string, string> }).sign_in;
  expect(session['person_id']).not.toBe((own.json as { sign_in: Record<string, string> }).sign_in['person_id']);
  // Mallory's own session ended with it; in any case it is nobody else's.
  expect((await get(mallory, '/v1/sign-in')).status).toBe(401);
  // An id of a session in a URL, a body or a header of another name counts for nothing.
  const id = session['sign_in_id'] ?? '';
  expect((await api.ask('GET', `/v1/tools?session=${id}`, { headers: SAME })).json['code']).toBe('auth.missing');
});

it('an answer of the provider counts in the browser that was sent there, once, and for its own attempt', async () => {
  const victim = new Browser();
  const begun = async (browser: Browser) => (await browser.send(await browser.open(startAt()), 'Sign in at corp')).next;
  const attacker = new Browser();
  const stopped = await attacker.open((await begun(attacker)) ?? '', `${url}/sign-in/done`);
  const answer = stopped.url;
  // Without an attempt, and with one of its own.
  expect((await victim.open(answer)).text).toContain('You are not signed in');
  await begun(victim);
  expect((await victim.open(answer)).text).toContain('You are not signed in');
  expect(victim.cookiesFor(url)).not.toContain('writ_session=');
  expect((await attacker.open(answer)).text).toContain('You are signed in');
  expect((await attacker.open(answer)).text).toContain('You are not signed in');
  expect(recorded.filter(({ verb }) => verb === 'signed_in')).toHaveLength(1);
});

it('a sign-in for a consent begins no session, and the answer of one provider counts at no other', async () => {
  const browser = new Browser();
  const leaving = await browser.send(await browser.open(startAt()), 'Sign in at corp');
  const answer = new URL((await browser.open(leaving.next ?? '', `${url}/sign-in/done`)).url);
  const other = `${url}/sign-in/done/${newId('identityProvider')}${answer.search}`;
  expect((await browser.open(other)).text).toContain('another identity provider');
  const consent = `${url}/connect/signed-in/${answer.pathname.split('/').at(-1) ?? ''}${answer.search}`;
  expect((await browser.open(consent)).text).toContain('You are not signed in');
  expect(provider.state.presented).toEqual([]);
});

it.each<[string, Parameters<typeof Object.assign>[0]]>([
  ['of another subject', { claims: { sub: 'bob-1' } }],
  ['of another client', { claims: { client_id: 'other' } }],
  ['for another resource', { claims: { aud: 'https://other.example' } }],
  ['of another type', { header: { typ: 'JWT' } }],
  ['without a role', { claims: { scope: 'openid' } }],
  ['that has expired', { claims: { exp: 1_000 } }],
])('an access token %s begins no session', async (_what, accessToken) => {
  provider.state.changes = { accessToken };
  const { browser, page } = await signIn();
  expect([page.status, page.text]).toEqual([400, expect.stringContaining('You are not signed in')]);
  expect(browser.cookiesFor(url)).not.toContain('writ_session');
  expect(recorded.filter(({ verb }) => verb === 'signed_in')).toEqual([]);
});

it('an unknown tenant, and one where nobody signs in, get the same page', async () => {
  const empty = await api.newTenant();
  const pages = await Promise.all(
    [empty.tenantId, newId('tenant'), 'banana'].map((of) => new Browser().open(startAt('/sign-in', of))),
  );
  expect(new Set(pages.map(({ status, text }) => `${String(status)} ${text}`)).size).toBe(1);
  expect(pages[0]?.text).toContain('Nobody can sign in here yet');
});

it('a form of another origin starts no sign-in', async () => {
  const browser = new Browser();
  const page = await browser.open(startAt());
  for (const origin of ['https://evil.example', null])
    expect((await browser.send(page, 'Sign in at corp', { origin })).status).toBe(403);
});

it('a person goes to a place of this site after the sign-in, and to no other', async () => {
  const { page } = await signIn(new Browser(), startAt('/docs/how-to/oauth'));
  expect(page.next).toBe(`${url}/docs/how-to/oauth`);
  for (const to of ['//evil.example', 'https://evil.example', '/\\evil.example', '/v1/tools'])
    expect((await signIn(new Browser(), startAt(to))).page.next).toBe(`${url}/sign-in`);
});

it('a session ends by its person, on the page and by the API, by an administrator, and with the subject', async () => {
  const ended: Browser[] = [];
  const gone = async (browser: Browser): Promise<void> => {
    ended.push(browser);
    expect((await get(browser, '/v1/tools')).json['code']).toBe('auth.invalid');
  };
  const onPage = (await signIn()).browser;
  const held = onPage.cookiesFor(url);
  const out = await onPage.send(await onPage.open(`${url}/sign-in`), 'Sign out');
  expect([out.text, onPage.cookiesFor(url)]).toEqual([expect.stringContaining('You are signed out'), '']);
  expect((await api.ask('GET', '/v1/tools', { headers: { cookie: held, ...SAME } })).status).toBe(401);

  const byApi = (await signIn()).browser;
  const out2 = await post(byApi, '/v1/sign-out', { origin: url, 'writ-csrf': await csrfOf(byApi) });
  expect(out2.headers.get('set-cookie')).toMatch(/^writ_session=; Max-Age=0/);
  await gone(byApi);

  const [own, other] = [(await signIn()).browser, (await signIn()).browser];
  const idOf = async (browser: Browser): Promise<string> =>
    ((await get(browser, '/v1/sign-in')).json as { sign_in: { sign_in_id: string } }).sign_in.sign_in_id;
  const list = (await get(own, '/v1/sign-ins/own')).json as { items: { sign_in_id: string }[] };
  expect(list.items.map(({ sign_in_id }) => sign_in_id)).toContain(await idOf(other));
  provider.state.person = 'bob-1';
  const bob = (await signIn()).browser;
  const bobs = await idOf(bob);
  const headers = { cookie: own.cookiesFor(url), origin: url, 'writ-csrf': await csrfOf(own) };
  expect((await api.ask('DELETE', `/v1/sign-ins/own/${bobs}`, { headers })).json['code']).toBe('not_found');
  expect((await api.ask('DELETE', `/v1/sign-ins/own/${await idOf(other)}`, { headers })).status).toBe(200);
  await gone(other);
  expect((await api.ask('DELETE', `/v1/sign-ins/${bobs}`, { key: tenant.admin })).json).toMatchObject({
    ended_at: expect.any(Number),
  });
  await gone(bob);
  expect(recorded.map(({ verb }) => verb)).toEqual(expect.arrayContaining(['signed_out', 'sign_in_ended']));
  await api.ask('POST', '/v1/identity-providers/corp/denials', { key: tenant.admin, body: { subject: 'ann-1' } });
  await gone(own);
  expect(ended).toHaveLength(4);
});

it('no session begins and none ends where that can not be recorded', async () => {
  const { browser } = await signIn();
  const token = await csrfOf(browser);
  api.kernel.handlers.set('change.record', () => {
    throw new Error('no record');
  });
  expect((await post(browser, '/v1/sign-out', { origin: url, 'writ-csrf': token })).status).toBeGreaterThanOrEqual(500);
  expect((await get(browser, '/v1/tools')).status).toBe(200);
  const other = await signIn().catch(() => null);
  expect(other?.browser.cookiesFor(url) ?? '').not.toContain('writ_session=');
});
