// SPDX-License-Identifier: Apache-2.0
// Sign-in with an API key, in a browser.
import { randomBytes } from 'node:crypto';
import { newId } from '@writ/nest-kit';
import { Browser, freePort, type BrowserPage } from '@writ/testing';
import { assert, asyncProperty, oneof, string, stringMatching } from 'fast-check';
import { formatApiKey, hashApiKey } from '../../edge/access/api-key-text.ts';
import { KeySessions } from '../../edge/access/sign-in/key-sessions.ts';
import {
  openTestApi,
  PLATFORM_KEY,
  TEST_CONFIG,
  type TestAnswer,
  type TestApi,
  type TestTenant,
} from '../../specs/test-api.ts';

let api: TestApi;
let tenant: TestTenant;
let url: string;
const opened: TestApi[] = [];

async function open(more: Parameters<typeof openTestApi>[0] = {}): Promise<TestApi> {
  const port = await freePort();
  url = `http://127.0.0.1:${String(port)}`;
  api = await openTestApi({ WRIT_PUBLIC_URL: url, WRIT_KEY_SESSIONS: true, ...more }, port);
  opened.push(api);
  tenant = await api.newTenant();
  return api;
}
beforeEach(() => open());
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

const SAME = { 'sec-fetch-site': 'same-origin' };
const AGENT = { name: 'made by a session' };
const pageTo = (to?: string): string =>
  `${url}/sign-in/key${to === undefined ? '' : `?${new URLSearchParams({ to }).toString()}`}`;
async function enter(key: string, browser = new Browser(), at = pageTo()): Promise<BrowserPage> {
  return await browser.send(await browser.open(at), 'Sign in', { fields: { key } });
}
async function signedIn(key = tenant.admin): Promise<Browser> {
  const browser = new Browser();
  expect((await enter(key, browser)).text).toContain('You are signed in');
  return browser;
}
const ask = (browser: Browser, method: string, path: string, headers: Record<string, string>, body?: unknown) =>
  api.ask(method, path, { headers: { cookie: browser.cookiesFor(url), ...headers }, ...(body ? { body } : {}) });
const get = (browser: Browser, path: string, headers: Record<string, string> = SAME): Promise<TestAnswer> =>
  ask(browser, 'GET', path, headers);
async function csrfOf(browser: Browser): Promise<string> {
  const { key_session } = (await get(browser, '/v1/sign-in')).json as { key_session: { csrf_token: string } };
  return key_session.csrf_token;
}
const withCookie = (text: string, path = '/v1/tools'): Promise<TestAnswer> =>
  api.ask('GET', path, { headers: { cookie: `writ_session=${text}`, ...SAME } });
const cookieOf = (browser: Browser): string => browser.cookiesFor(url).replace(/.*writ_session=/, '');
const idOf = (key: string): string => key.replace(/^writ_([^_]+)_.*/, 'key_$1');

it('a person signs in with an API key, and calls the API as that key', async () => {
  const browser = await signedIn();
  const { sign_in, key_session } = (await get(browser, '/v1/sign-in')).json as Record<string, unknown>;
  expect([sign_in, key_session]).toEqual([null, { csrf_token: expect.any(String), expires_at: expect.any(Number) }]);
  const [byCookie, byKey] = [
    await get(browser, '/v1/whoami'),
    await api.ask('GET', '/v1/whoami', { key: tenant.admin }),
  ];
  expect([byCookie.status, byCookie.json]).toEqual([200, byKey.json]);
  const headers = { origin: url, 'writ-csrf': await csrfOf(browser) };
  expect((await ask(browser, 'POST', '/v1/agents', headers, AGENT)).status).toBe(201);
  expect((await api.ask('GET', '/v1/sign-in', { key: tenant.admin })).json).toEqual({
    sign_in: null,
    key_session: null,
  });
});

it('the role of the key decides, as without a session', async () => {
  const browser = await signedIn(tenant.auditor);
  const headers = { origin: url, 'writ-csrf': await csrfOf(browser) };
  expect((await ask(browser, 'POST', '/v1/agents', headers, AGENT)).json['code']).toBe('auth.role');
});

it('the cookie is for no script and no other site, ends with the session, and does not show the key', async () => {
  const browser = await signedIn();
  const [set = ''] = browser.received;
  expect(set).toMatch(/^writ_session=writ_k_[\w-]+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(Buffer.from(cookieOf(browser).slice(7), 'base64url').toString('latin1')).not.toContain(
    tenant.admin.slice(-43),
  );
  expect(api.lines.join('\n')).not.toContain(tenant.admin.slice(-43));
});

it('a person goes to a place of this site after the sign-in, and to no other', async () => {
  expect((await enter(tenant.admin, new Browser(), pageTo('/console/approvals'))).next).toBe(
    `${url}/console/approvals`,
  );
  for (const to of ['//evil.example', 'https://evil.example', '/v1/tools'])
    expect((await enter(tenant.admin, new Browser(), pageTo(to))).next).toBe(`${url}/sign-in`);
});

it.each<[string, () => string | Promise<string>, string]>([
  ['a made-up key', () => formatApiKey(newId('apiKey'), randomBytes(32)), 'That key is not good'],
  ['another text', () => 'banana', 'That key is not good'],
  ['nothing', () => '', 'That key is not good'],
  ['the platform key', () => PLATFORM_KEY, 'It creates tenants'],
])('%s signs nobody in: the same page says why', async (_what, keyOf, why) => {
  const browser = new Browser();
  const page = await enter(await keyOf(), browser, pageTo('/console/'));
  expect([page.status, page.text]).toEqual([401, expect.stringContaining(why)]);
  expect([page.forms[0]?.fields['to'], browser.cookiesFor(url)]).toEqual(['/console/', '']);
  expect(page.text).not.toContain(PLATFORM_KEY);
});

it('a revoked key ends its sessions at the next request, and signs nobody in', async () => {
  const browser = await signedIn();
  const spare = await api.newKey(tenant.tenantId, 'admin');
  api.kernel.handlers.set('api_key.revoke', () => ({ tokens: [], more_tokens: false }));
  expect((await api.ask('DELETE', `/v1/api-keys/${idOf(tenant.admin)}`, { key: spare })).status).toBeLessThan(300);
  const { status, json } = await get(browser, '/v1/tools');
  expect([status, json['code']]).toEqual([401, 'auth.invalid']);
  expect((await browser.open(`${url}/sign-in`)).url).toBe(`${url}/sign-in/key?to=%2Fsign-in`);
  expect((await enter(tenant.admin)).status).toBe(401);
});

it.each<[string, Record<string, string>]>([
  ['no token', { 'writ-csrf': '' }],
  ['a made-up token', { 'writ-csrf': 'A'.repeat(43) }],
  ['another origin', { origin: 'https://evil.example' }],
  ['an opaque origin', { origin: 'null' }],
])('a change with the cookie and %s is refused', async (_what, changed) => {
  const browser = await signedIn();
  const headers = { origin: url, 'writ-csrf': await csrfOf(browser), ...changed };
  const answer = await ask(browser, 'POST', '/v1/agents', headers, AGENT);
  expect([answer.status, answer.json['code']]).toEqual([403, 'auth.csrf']);
});

it('a change with the token of another session of the same key, or of another purpose, is refused', async () => {
  const [one, other] = [await signedIn(), await signedIn()];
  const form = (await one.open(`${url}/sign-in`)).forms.find(({ button }) => button === 'Sign out');
  for (const token of [await csrfOf(other), form?.fields['token'] ?? ''])
    expect((await ask(one, 'POST', '/v1/agents', { origin: url, 'writ-csrf': token }, AGENT)).json['code']).toBe(
      'auth.csrf',
    );
});

it('of two cookies the first counts, for the caller and for the token alike', async () => {
  const [one, other] = [await signedIn(tenant.auditor), await signedIn(tenant.admin)];
  const cookie = [one, other].map((each) => `writ_session=${cookieOf(each)}`).join('; ');
  const who = await api.ask('GET', '/v1/whoami', { headers: { cookie, ...SAME } });
  expect(who.json['role']).toBe('auditor');
  const change = async (token: string): Promise<unknown> => {
    const headers = { cookie, origin: url, 'writ-csrf': token };
    return (await api.ask('POST', '/v1/agents', { headers, body: AGENT })).json['code'];
  };
  expect(await change(await csrfOf(other))).toBe('auth.csrf');
  expect(await change(await csrfOf(one))).toBe('auth.role');
});

it('a cookie and a key in one request are refused', async () => {
  const headers = { cookie: (await signedIn()).cookiesFor(url), ...SAME };
  const { status, json } = await api.ask('GET', '/v1/tools', { key: tenant.admin, headers });
  expect([status, json['code']]).toEqual([400, 'request.malformed']);
});

it.each(['admin', 'agent'] as const)(
  'the session of a key with the role %s gets no secret in exchange',
  async (role) => {
    const browser = await signedIn(tenant[role]);
    const headers = { origin: url, 'writ-csrf': await csrfOf(browser) };
    const { status, json } = await ask(browser, 'POST', '/v1/api-keys/own/rotate', headers, { overlap_ms: 0 });
    expect([status, json['code'], json['detail']]).toEqual([409, 'conflict', expect.stringContaining('no secret')]);
  },
);

it('a page of another site reads nothing with the cookie, and `/mcp` takes none', async () => {
  const browser = await signedIn();
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, {}])
    expect((await get(browser, '/v1/tools', headers as Record<string, string>)).json['code']).toBe('auth.csrf');
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  expect((await ask(browser, 'POST', '/mcp', { origin: url }, ping)).json['code']).toBe('auth.missing');
});

it('a form of another origin signs nobody in, and signs nobody out', async () => {
  const browser = new Browser();
  const page = await browser.open(pageTo());
  for (const origin of ['https://evil.example', 'null', null])
    expect((await browser.send(page, 'Sign in', { origin, fields: { key: tenant.admin } })).status).toBe(403);
  expect(browser.cookiesFor(url)).toBe('');
  await enter(tenant.admin, browser);
  const you = await browser.open(`${url}/sign-in`);
  expect((await browser.send(you, 'Sign out', { origin: 'https://evil.example' })).status).toBe(403);
  expect((await browser.send(you, 'Sign out', { fields: { token: 'x' } })).status).toBe(403);
  expect((await get(browser, '/v1/tools')).status).toBe(200);
});

it('a session ends on the page and by the API: the browser forgets it', async () => {
  const onPage = await signedIn();
  const you = await onPage.open(`${url}/sign-in`);
  expect(you.text).toContain(idOf(tenant.admin));
  expect((await onPage.send(you, 'Sign out')).text).toContain('You are signed out');
  expect(onPage.cookiesFor(url)).toBe('');
  const byApi = await signedIn();
  const out = await ask(byApi, 'POST', '/v1/sign-out', { origin: url, 'writ-csrf': await csrfOf(byApi) }, {});
  expect([out.status, out.json, out.headers.get('set-cookie')]).toEqual([
    200,
    { ended: null },
    expect.stringMatching(/^writ_session=; Max-Age=0/),
  ]);
});

it('a session ends with its key where the key ends earlier', async () => {
  const id = newId('apiKey');
  const [short, ends] = [formatApiKey(id, randomBytes(32)), Date.now() + 60_000];
  const key = { api_key_id: id, name: 'short', role: 'admin', agent_id: null, created_by: 'spec' } as const;
  await api.keys.create(tenant.tenantId, { ...key, hash: hashApiKey(short), expires_at: ends });
  const browser = await signedIn(short);
  expect(browser.received[0]).toMatch(/Max-Age=(?:60|59);/);
  expect((await get(browser, '/v1/sign-in')).json['key_session']).toMatchObject({ expires_at: ends });
});

it('a session that is over identifies nobody, and neither does one with the platform key', async () => {
  const maxMs = TEST_CONFIG.WRIT_SESSION_MAX_MS;
  const before = (ms: number): KeySessions =>
    new KeySessions({ isOn: true, key: TEST_CONFIG.webhookKey, maxMs, now: () => Date.now() - ms });
  expect((await withCookie(before(maxMs - 60_000).begin(tenant.admin, null).text)).status).toBe(200);
  const { status, json } = await withCookie(before(maxMs).begin(tenant.admin, null).text);
  expect([status, json['code'], json['detail']]).toEqual([401, 'auth.invalid', expect.stringContaining('sign in')]);
  for (const path of ['/v1/tools', '/v1/system', '/v1/tenants'])
    expect((await withCookie(before(0).begin(PLATFORM_KEY, null).text, path)).json['code']).toBe('auth.invalid');
});

it('no text that was not handed out here identifies anybody', async () => {
  const text = oneof(
    string({ unit: stringMatching(/^[!#-+\--:<-[\]-~]$/), minLength: 1, maxLength: 200 }),
    stringMatching(/^writ_k_[A-Za-z0-9_-]{64,300}$/),
  );
  await assert(
    asyncProperty(text, async (each) => {
      const { status, json } = await withCookie(each);
      expect([status, json['code']]).toEqual([401, 'auth.invalid']);
    }),
  );
  // Nor does the key itself, which is no session.
  for (const each of [tenant.admin, PLATFORM_KEY]) expect((await withCookie(each)).json['code']).toBe('auth.invalid');
});

it('keys and texts that are not good count against the address, as keys of programs do', async () => {
  await open({ WRIT_AUTH_FAILURES_PER_MINUTE: 3 });
  const made = () => formatApiKey(newId('apiKey'), randomBytes(32));
  const browser = await signedIn();
  for (let n = 0; n < 2; n += 1) expect((await enter(made())).status).toBe(401);
  expect((await withCookie(`writ_k_${'A'.repeat(80)}`)).status).toBe(401);
  expect((await enter(made())).status).toBe(429);
  expect((await withCookie(`writ_k_${'A'.repeat(80)}`)).json['code']).toBe('rate.limited');
  expect((await api.ask('GET', '/v1/tools', { key: made() })).json['code']).toBe('rate.limited');
  // Whoever was signed in goes on.
  expect((await get(browser, '/v1/tools')).status).toBe(200);
});

it('a page of sign-in offers the key as another way, and leads there where no tenant is named', async () => {
  const named = await new Browser().open(
    `${url}/sign-in?${new URLSearchParams({ tenant: tenant.tenantId }).toString()}`,
  );
  expect([named.status, named.links]).toEqual([409, [`${url}/sign-in/key?to=%2Fsign-in`]]);
  const unnamed = await new Browser().open(`${url}/sign-in?to=/console/`);
  expect([unnamed.status, unnamed.forms[0]?.fields['to']]).toEqual([200, '/console/']);
  // Whoever is signed in goes on.
  const browser = await signedIn();
  expect((await browser.open(`${url}/sign-in?to=/console/x`, `${url}/console`)).url).toBe(`${url}/console/x`);
  const other = await browser.open(`${url}/sign-in?tenant=${newId('tenant')}`);
  expect(other.text).not.toContain('You are signed in');
});

it('turned off, the page is not there, and a cookie of before identifies nobody', async () => {
  const [kept, { admin }] = [cookieOf(await signedIn()), tenant];
  await open({ WRIT_KEY_SESSIONS: false });
  const key = { api_key_id: newId('apiKey'), name: 'x', role: 'admin', agent_id: null, created_by: 'spec' } as const;
  await api.keys.create(tenant.tenantId, { ...key, hash: hashApiKey(admin) });
  expect((await api.ask('GET', '/v1/tools', { key: admin })).status).toBe(200);
  const page = await new Browser().open(pageTo());
  expect([page.status, page.text]).toEqual([404, expect.stringContaining('WRIT_KEY_SESSIONS')]);
  const post = await api.ask('POST', '/sign-in/key', {
    text: new URLSearchParams({ key: admin }).toString(),
    headers: { origin: url, 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect([post.status, post.headers.get('set-cookie')]).toEqual([404, null]);
  expect((await withCookie(kept)).json['code']).toBe('auth.invalid');
  expect((await new Browser().open(`${url}/sign-in`)).text).not.toContain('API key');
});
