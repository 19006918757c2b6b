// SPDX-License-Identifier: Apache-2.0
// Programs that a person approves in a browser (RFC 8628), with a real HTTP identity provider.
import { setTimeout as sleep } from 'node:timers/promises';
import { Browser, freePort, type BrowserPage } from '@writ/testing';
import { newId } from '@writ/nest-kit';
import { openTestApi, PLATFORM_KEY, type TestApi, type TestTenant } from '../../specs/test-api.ts';
import { testIdentityProvider, type TestIdentityProvider } from '../../specs/test-identity-provider.ts';
import { DEVICE_GRANT } from './device-flow.ts';

/** Longer than a replica goes on with what it has found. */
const CACHED_MS = 1_100;
/** Longer than a program waits, and than one that was told to wait longer. */
const WAITED_MS = 60_000;

let provider: TestIdentityProvider;
let api: TestApi;
let tenant: TestTenant;
let url: string;
let recorded: Record<string, unknown>[];
/** of whoever asks, so that no test limits another */
let address = 1;

beforeAll(async () => {
  provider = await testIdentityProvider();
  const port = await freePort();
  url = `http://127.0.0.1:${String(port)}`;
  const proxies = { WRIT_TRUSTED_PROXIES: '127.0.0.1' };
  api = await openTestApi({ WRIT_PUBLIC_URL: url, issuerAllowed: new Set([provider.place]), ...proxies }, port);
});
afterAll(async () => {
  await api.close();
  provider.close();
});
beforeEach(async () => {
  provider.reset();
  [recorded, address] = [[], address + 1];
  api.signIns.ahead = 0;
  api.kernel.handlers.set('change.record', (_caller, request) => {
    recorded.push(request);
    return { recorded: 'rec_01kdvq8qfwe9gr4v9m1h7e3x2z' };
  });
  tenant = await api.newTenant();
  await api.ask('POST', `/v1/tenants/${tenant.tenantId}/identity-providers`, {
    key: PLATFORM_KEY,
    body: { name: 'corp', issuer: provider.issuer.issuer, sign_in: { client_id: 'writ' } },
  });
});
afterEach(() => api.ask('DELETE', '/v1/identity-providers/corp', { key: tenant.admin }));

interface Codes {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
}
const from = (): string => `198.51.${String(address >> 8)}.${String(address & 255)}`;
const form = (path: string, fields: Record<string, string> | string) =>
  api.ask('POST', path, {
    text: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': from() },
  });
const ask = async (more: Record<string, string> = {}): Promise<Codes> =>
  (await form('/v1/device-authorizations', { client_id: 'writ-cli', tenant: tenant.tenantId, ...more }))
    .json as unknown as Codes;
const poll = (device_code: string, client_id = 'writ-cli') =>
  form('/v1/oauth/token', { grant_type: DEVICE_GRANT, client_id, device_code });
const errorOf = async (answer: ReturnType<typeof poll>) => [(await answer).status, (await answer).json['error']];
/** Moves the clock of the database, and waits until nothing is cached any more. */
async function later(ms = WAITED_MS): Promise<void> {
  api.signIns.ahead += ms;
  await sleep(CACHED_MS);
}
/** A browser at the page of the code. */
async function at(link: string, browser = new Browser()): Promise<{ browser: Browser; page: BrowserPage }> {
  const first = await browser.open(link);
  if (!first.forms.some(({ button }) => button.includes('Sign in at'))) return { browser, page: first };
  const arrived = await browser.goOn(await browser.send(first, 'Sign in at corp'));
  return { browser, page: await browser.goOn(arrived) };
}
/** A program's session. */
async function approved(): Promise<{ text: string; browser: Browser }> {
  const codes = await ask();
  const { browser, page } = await at(codes.verification_uri_complete);
  await browser.send(page, 'Approve');
  return { text: (await poll(codes.device_code)).json['access_token'] as string, browser };
}

it('a person compares the code, sees who asks, and approves; the program then calls the API as the person', async () => {
  const codes = await ask();
  expect(codes).toMatchObject({
    expires_in: 600,
    interval: 5,
    user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
  });
  expect(await errorOf(poll(codes.device_code))).toEqual([400, 'authorization_pending']);
  const { browser, page } = await at(codes.verification_uri_complete);
  for (const text of [codes.user_code, 'writ-cli', from(), 'Compare the code']) expect(page.text).toContain(text);
  expect((await browser.send(page, 'Approve')).text).toContain('The program is signed in');
  await later();
  const answer = await poll(codes.device_code);
  const text = answer.json['access_token'] as string;
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(answer.json).toMatchObject({ token_type: 'Bearer', refresh_token: text });
  const { sign_in } = (await api.ask('GET', '/v1/sign-in', { key: text })).json as { sign_in: object };
  expect(sign_in).toMatchObject({ kind: 'device', client: 'writ-cli', csrf_token: null });
  expect((await api.ask('POST', '/v1/agents', { key: text, body: { name: 'mine' } })).status).toBe(201);
  expect(recorded.map(({ verb }) => verb)).toEqual(expect.arrayContaining(['device_approved', 'signed_in']));
  // A code is good once.
  await later();
  expect(await errorOf(poll(codes.device_code))).toEqual([400, 'invalid_grant']);
});

it('a program whose person denies gets nothing', async () => {
  const codes = await ask();
  const { browser, page } = await at(codes.verification_uri_complete);
  expect((await browser.send(page, 'Deny')).text).toContain('You denied it');
  await later();
  expect(await errorOf(poll(codes.device_code))).toEqual([400, 'access_denied']);
  expect((await browser.open(codes.verification_uri_complete)).status).toBe(404);
});

it('a program gets nothing once the session in which it was approved has ended', async () => {
  const codes = await ask();
  const { browser, page } = await at(codes.verification_uri_complete);
  await browser.send(page, 'Approve');
  await browser.send(await browser.open(`${url}/sign-in`), 'Sign out');
  recorded = [];
  expect(await errorOf(poll(codes.device_code))).toEqual([400, 'access_denied']);
  await later();
  expect(await errorOf(poll(codes.device_code))).toEqual([400, 'access_denied']);
  expect(recorded.map(({ verb }) => verb)).not.toContain('signed_in');
});

it('a code of another client, a changed one, and one of another deployment are refused', async () => {
  const codes = await ask();
  const { browser, page } = await at(codes.verification_uri_complete);
  await browser.send(page, 'Approve');
  expect(await errorOf(poll(codes.device_code, 'other'))).toEqual([400, 'invalid_grant']);
  const moved = codes.device_code.replace(/^writ_d_.{26}/, `writ_d_${newId('tenant').slice(4)}`);
  for (const code of [moved, `${codes.device_code}x`, 'A'.repeat(120)])
    expect(await errorOf(poll(code))).toEqual([400, 'invalid_grant']);
  // The text of a session, and the codes, are no credentials of anything else.
  expect((await api.ask('GET', '/v1/tools', { key: codes.device_code })).status).toBe(401);
});

it('a program that asks too early is told so, and must wait longer from then on', async () => {
  const codes = await ask();
  expect(await errorOf(poll(codes.device_code))).toEqual([400, 'authorization_pending']);
  expect(await errorOf(poll(codes.device_code))).toEqual([400, 'slow_down']);
  await later();
  expect(await errorOf(poll(codes.device_code))).toEqual([400, 'authorization_pending']);
  await later(600_000);
  expect(await errorOf(poll(codes.device_code))).toEqual([400, 'expired_token']);
});

it.each<[string, { fields?: Record<string, string>; origin?: string | null }]>([
  ['no token', { fields: { token: '' } }],
  ['the token of another code', { fields: { user_code: 'BBBB-CCCC' } }],
  ['another origin', { origin: 'https://evil.example' }],
  ['no origin', { origin: null }],
])('a form with %s approves nothing', async (_what, changes) => {
  const codes = await ask();
  const { browser, page } = await at(codes.verification_uri_complete);
  const { fields = {} } = page.forms.find(({ button }) => button.includes('Approve'))!;
  const answer = await browser.send(page, 'Approve', { ...changes, fields: { ...fields, ...changes.fields } });
  expect(answer.status).toBe(403);
  expect(await errorOf(poll(codes.device_code))).toEqual([400, 'authorization_pending']);
});

it('who signed in longer than five minutes ago signs in again before approving', async () => {
  const codes = await ask();
  const { browser, page } = await at(codes.verification_uri_complete);
  await later(300_000);
  expect((await browser.send(page, 'Approve')).status).toBe(403);
  expect((await browser.open(codes.verification_uri_complete)).text).toContain('Sign in at corp');
  const again = await at(codes.verification_uri_complete, browser);
  expect((await browser.send(again.page, 'Approve')).status).toBe(200);
});

it('people of another tenant can neither see nor approve a code', async () => {
  const codes = await ask();
  const other = await api.newTenant();
  const theirs = codes.verification_uri_complete.replace(tenant.tenantId, other.tenantId);
  expect((await new Browser().open(theirs)).text).toContain('Nobody can sign in here yet');
  const { browser } = await at(codes.verification_uri_complete);
  expect((await browser.open(theirs)).text).not.toContain('Compare');
});

it('nothing is stored for a tenant that is unknown, or where nobody signs in, and both are answered alike', async () => {
  const stored = vi.spyOn(api.deviceAuthorizations, 'create');
  const answers = [];
  for (const of of [newId('tenant'), (await api.newTenant()).tenantId]) {
    const answer = await form('/v1/device-authorizations', { client_id: 'writ-cli', tenant: of });
    answers.push([answer.status, answer.json]);
  }
  expect(answers[0]).toEqual([400, { error: 'invalid_request', error_description: expect.stringContaining('tenant') }]);
  expect(answers[1]).toEqual(answers[0]);
  expect(stored).not.toHaveBeenCalled();
  stored.mockRestore();
});

it('wrong codes are limited for the session, and a mistyped form of the right one is read', async () => {
  const codes = await ask();
  const { browser } = await at(codes.verification_uri_complete);
  const typed = codes.user_code.toLowerCase().replace('-', ' ');
  const link = (code: string): string => `${codes.verification_uri}&user_code=${encodeURIComponent(code)}`;
  expect((await browser.open(link(typed))).text).toContain(codes.user_code);
  for (let n = 0; n < 5; n += 1) expect((await browser.open(link('BBBB-BBBB'))).status).toBe(404);
  expect((await browser.open(link(codes.user_code))).status).toBe(429);
});

it('a session of a program is renewed, and its old text is good until the new one is used', async () => {
  const { text } = await approved();
  const renew = (refresh_token: string) => form('/v1/oauth/token', { grant_type: 'refresh_token', refresh_token });
  const next = (await renew(text)).json['access_token'] as string;
  expect(next).not.toBe(text);
  for (const each of [text, next]) expect((await api.ask('GET', '/v1/tools', { key: each })).status).toBe(200);
  await later(31_000);
  expect((await api.ask('GET', '/v1/tools', { key: text })).status).toBe(401);
  // The old text is a copy that somebody uses: the session is over for both.
  expect((await api.ask('GET', '/v1/tools', { key: next })).status).toBe(401);
  expect(await errorOf(renew(next))).toEqual([400, 'invalid_grant']);
  expect(recorded.map(({ verb }) => verb)).toContain('session_reused');
});

it('the text of a browser is no bearer, and that of a program no cookie', async () => {
  const { text, browser } = await approved();
  const cookie = browser.cookiesFor(url).replace(/.*writ_session=/, '');
  expect((await api.ask('GET', '/v1/tools', { key: cookie })).status).toBe(401);
  const headers = { cookie: `writ_session=${text}`, 'sec-fetch-site': 'same-origin' };
  expect((await api.ask('GET', '/v1/tools', { headers })).status).toBe(401);
  expect((await api.ask('POST', '/v1/sign-out', { key: text, body: {} })).json).toMatchObject({
    ended: { kind: 'device', ended_at: expect.any(Number) },
  });
  expect((await api.ask('GET', '/v1/tools', { key: text })).status).toBe(401);
});

it.each<[string, Record<string, string> | string, string]>([
  ['of an unknown grant', { grant_type: 'password' }, 'unsupported_grant_type'],
  ['without a grant', {}, 'invalid_request'],
  ['without a code', { grant_type: DEVICE_GRANT, client_id: 'x' }, 'invalid_request'],
  ['with a parameter twice', 'grant_type=password&grant_type=password', 'invalid_request'],
  ['with an odd client', { grant_type: DEVICE_GRANT, client_id: '<b>', device_code: 'x' }, 'invalid_request'],
])('a request for a token %s gets an error as OAuth defines it', async (_what, fields, error) => {
  expect(await errorOf(form('/v1/oauth/token', fields))).toEqual([400, error]);
});

it('programs of one address that ask too often wait', async () => {
  const statuses = [];
  for (let n = 0; n < 31; n += 1)
    statuses.push((await form('/v1/device-authorizations', { client_id: 'x', tenant: tenant.tenantId })).status);
  expect([statuses.slice(0, 30).every((status) => status === 200), statuses[30]]).toEqual([true, 429]);
});

it('a browser that the provider lets in without asking anybody approves nothing', async () => {
  const codes = await ask();
  // It signed in for something else, and the provider remembers the person.
  const browser = new Browser();
  const start = await browser.open(`${url}/sign-in?tenant=${tenant.tenantId}`);
  await browser.goOn(await browser.send(start, 'Sign in at corp'));
  const page = await browser.open(codes.verification_uri_complete);
  expect(page.text).toContain('Sign in at corp');
  // It is asked for a person who was there minutes ago, and answers for one who wasn't, or doesn't say.
  for (const auth_time of [Math.floor(Date.now() / 1_000) - 3_600, undefined]) {
    provider.state.changes = { idToken: { claims: { auth_time } } };
    const answer = await browser.goOn(await browser.send(page, 'Sign in at corp'));
    expect(answer.text).toContain('You are not signed in');
  }
  expect(provider.state.asked.get('max_age')).toBe('300');
  expect((await browser.open(codes.verification_uri_complete)).text).not.toContain('Compare the code');
  provider.state.changes = {};
  expect((await at(codes.verification_uri_complete, browser)).page.text).toContain('Compare the code');
});
