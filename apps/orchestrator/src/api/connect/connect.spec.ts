// SPDX-License-Identifier: Apache-2.0
// The pages of a consent, in a browser, with a real HTTP identity provider and a kernel that answers by the contract.
import { createHash } from 'node:crypto';
import { Browser, freePort, type BrowserPage } from '@writ/testing';
import { IdentityHashes } from '../../edge/access/oauth/person-links.ts';
import { FakeConsents } from '../../specs/fake-consents.ts';
import { openTestApi, PLATFORM_KEY, TEST_CONFIG, type TestApi, type TestTenant } from '../../specs/test-api.ts';
import { testIdentityProvider, type TestIdentityProvider } from '../../specs/test-identity-provider.ts';

const hashes = new IdentityHashes(TEST_CONFIG.webhookKey);
/** Nothing listens there. */
const UPSTREAM = 'https://upstream.example/authorize';

/** More than the tests cause that don't guess. */
const FAILURES = 100;

let provider: TestIdentityProvider;
let api: TestApi;
let consents: FakeConsents;
let tenant: TestTenant;
let url: string;

beforeAll(async () => {
  provider = await testIdentityProvider();
  const port = await freePort();
  url = `http://127.0.0.1:${String(port)}`;
  api = await openTestApi(
    {
      WRIT_PUBLIC_URL: url,
      WRIT_AUTH_FAILURES_PER_MINUTE: FAILURES,
      issuerAllowed: new Set([provider.place]),
      // The test that guesses has an address of its own, so that it limits no other.
      WRIT_TRUSTED_PROXIES: '127.0.0.1',
    },
    port,
  );
  consents = new FakeConsents();
  await consents.serve(api.bus);
  api.kernel.handlers.set('change.record', () => ({ recorded: 'rec_01kdvq8qfwe9gr4v9m1h7e3x2z' }));
});
afterAll(async () => {
  await api.close();
  provider.close();
});
beforeEach(async () => {
  provider.reset();
  tenant = await api.newTenant();
  await register(tenant);
});
afterEach(() => remove());

const register = (of: TestTenant, more: object = {}) =>
  api.ask('POST', `/v1/tenants/${of.tenantId}/identity-providers`, {
    key: PLATFORM_KEY,
    body: { name: 'corp', issuer: provider.issuer.issuer, sign_in: { client_id: 'writ' }, ...more },
  });
const remove = (of = tenant, name = 'corp') => api.ask('DELETE', `/v1/identity-providers/${name}`, { key: of.admin });
const subjectOf = (person: string, of = tenant): string =>
  hashes.of('subject', of.tenantId, provider.issuer.issuer, person).toString('hex');
const ask = (person = 'ann-1', more: Parameters<FakeConsents['ask']>[2] = {}): string =>
  consents.ask(tenant.tenantId, subjectOf(person), more);
const linkOf = (handle: string): string => `${url}/connect/${handle}`;
/** A browser at the consent that it confirmed: at the way to the authorization server. */
async function confirmed(handle: string, browser = new Browser()): Promise<{ browser: Browser; state: string }> {
  const page = await browser.open(linkOf(handle));
  const leaving = await browser.send(page, 'Continue');
  expect(leaving.next).toMatch(new RegExp(`^${UPSTREAM}`));
  return { browser, state: new URL(leaving.next ?? '').searchParams.get('state') ?? '' };
}
/** The redirect URI of the consent that was confirmed last. */
const uri = (): string => consents.confirmed.at(-1)?.redirect_uri ?? '';
const back = (browser: Browser, parameters: Record<string, string>, at = uri()): Promise<BrowserPage> =>
  browser.open(`${at}?${new URLSearchParams(parameters).toString()}`);

it('a person signs in, sees what is asked for, confirms, and comes back connected', async () => {
  provider.state.claims = { email: 'ann@example.org' };
  const handle = ask();
  const browser = new Browser();
  const page = await browser.open(linkOf(handle));
  expect([page.status, page.url]).toEqual([200, linkOf(handle)]);
  for (const text of ['ann@example.org', 'github', 'mcp.example.org', 'issues:read', 'upstream.example'])
    expect(page.text).toContain(text);
  expect(page.text).toContain(`<bdi>ann@example.org</bdi>, as <bdi>${provider.place}</bdi> says`);
  const leaving = await browser.send(page, 'Continue');
  expect([leaving.status, leaving.headers.get('location')]).toEqual([200, null]);
  const state = new URL(leaving.next ?? '').searchParams.get('state') ?? '';
  expect(consents.confirmed.at(-1)).toMatchObject({
    handle,
    subject_hash: subjectOf('ann-1'),
    redirect_uri: `${url}/connect/done/${consents.viewOf(handle).resource_id}`,
    session_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const fetching = await back(browser, { state, code: 'a-code', iss: 'https://upstream.example' });
  expect(consents.codes.at(-1)).toBe('a-code');
  // The code is in no address that stays.
  expect(fetching.url).toMatch(/\/connect\/status\/con_/);
  expect([fetching.next, fetching.text]).toEqual([fetching.url, expect.stringContaining('is being connected')]);
  consents.set(handle, 'connected');
  const ended = await browser.goOn(fetching);
  expect([ended.text, ended.next]).toEqual([expect.stringContaining('github is connected'), null]);
});

it('every page has no script, loads nothing, is in no frame, is not stored, and its style is the one that it allows', async () => {
  const handle = ask();
  const browser = new Browser();
  const page = await browser.open(linkOf(handle));
  const pages = [page, await browser.send(page, 'Continue'), await new Browser().open(linkOf('x'.repeat(43)))];
  for (const { headers, text } of pages) {
    const policy = headers.get('content-security-policy') ?? '';
    for (const part of ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"])
      expect(policy).toContain(part);
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(text) ?? [];
    expect(policy).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    expect(policy).not.toMatch(/script-src|unsafe/);
    expect(text).not.toMatch(/<script|<img|<link|javascript:/i);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    // `no-referrer` would make browsers send `Origin: null` with our own forms.
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(text).toMatch(/<html lang="en">.*<meta name="viewport".*<title>.+<\/title>.*<main>\s*<h1>/s);
  }
});

it('cookies are for this host alone on HTTPS, and none is readable by scripts', async () => {
  const browser = new Browser();
  await browser.open(linkOf(ask()));
  expect(browser.received.filter((cookie) => !/max-age=0/i.test(cookie))).toHaveLength(2);
  for (const cookie of browser.received)
    expect(cookie).toMatch(/; HttpOnly.*; SameSite=Lax|; SameSite=Lax.*; HttpOnly/i);
});

it('names that other sides choose are texts of the page', async () => {
  provider.state.claims = { name: '<img src=x onerror=alert(1)>' };
  const scopes = ['"><script>', "'onmouseover='x"];
  const { text } = await new Browser().open(linkOf(ask('ann-1', { scopes })));
  expect(text).not.toMatch(/<img|<script|'onmouse/);
  expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;');
  const handle = ask();
  const { browser, state } = await confirmed(handle);
  const failed = await back(browser, { state, error: 'access_denied', iss: 'https://upstream.example' });
  expect(failed.text).toContain('the person said no &lt;b&gt;');
  expect(consents.errors.at(-1)).toBe('access_denied');
});

it('another person sees neither what is asked for nor a way to confirm it, and can sign in as somebody else', async () => {
  const handle = ask('bob-1');
  const browser = new Browser();
  const page = await browser.open(linkOf(handle));
  expect([page.status, page.text]).toEqual([403, expect.stringContaining('for somebody else')]);
  expect(page.text).not.toMatch(/github|issues:read|mcp\.example/);
  expect(page.forms.map(({ button }) => button)).toEqual(['Sign out']);
  provider.state.person = 'bob-1';
  const bob = await browser.open(page.links.find((link) => link.includes('as=another')) ?? '');
  expect(provider.state.asked.get('prompt')).toBe('login');
  expect(bob.forms.some(({ button }) => button.includes('Continue'))).toBe(true);
});

it('a form of another person confirms nothing, even with the address of the consent', async () => {
  const [mine, theirs] = [ask(), ask('bob-1')];
  const browser = new Browser();
  const page = await browser.open(linkOf(mine));
  const count = consents.confirmed.length;
  const form = page.forms.find(({ button }) => button.includes('Continue'))!;
  const forged = { ...page, forms: [{ ...form, action: linkOf(theirs) }] };
  expect((await browser.send(forged, 'Continue')).status).toBe(403);
  expect(consents.confirmed).toHaveLength(count);
});

it.each<[string, { fields?: Record<string, string>; origin?: string | null }]>([
  ['no token', { fields: { token: '' } }],
  ['another token', { fields: { token: 'A'.repeat(43) } }],
  ['another origin', { origin: 'https://evil.example' }],
  ['an opaque origin', { origin: 'null' }],
  ['no origin', { origin: null }],
])('a form with %s confirms nothing', async (_what, changes) => {
  const browser = new Browser();
  const page = await browser.open(linkOf(ask()));
  const count = consents.confirmed.length;
  const answer = await browser.send(page, 'Continue', changes);
  expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('Nothing happened')]);
  expect(consents.confirmed).toHaveLength(count);
});

it('what an authorization server answers counts in the browser that confirmed, once', async () => {
  const handle = ask();
  const { browser, state } = await confirmed(handle);
  const count = consents.codes.length;
  const answer = { state, code: 'stolen', iss: 'https://upstream.example' };
  // The victim of a person who sends the address of the authorization server around.
  const other = new Browser();
  expect((await back(other, answer)).status).toBe(404);
  await other.open(linkOf(ask()));
  expect((await back(other, answer)).status).toBe(404);
  expect(consents.codes).toHaveLength(count);
  const counted = await back(browser, { ...answer, code: 'own' });
  expect(counted.url).toContain('/connect/status/');
  expect((await back(browser, answer)).status).toBe(404);
  expect(consents.codes.slice(count)).toEqual(['own']);
  // How far it is, nobody else learns.
  expect((await other.open(counted.url)).status).toBe(404);
});

it('an answer counts at the redirect URI of its own server, and at no other', async () => {
  const { browser, state } = await confirmed(ask());
  const [own, count] = [uri(), consents.codes.length];
  const other = consents.viewOf(ask()).resource_id;
  for (const at of [`${url}/connect/done/${other}`, `${url}/connect/done/x`, `${url}/connect/done`])
    expect((await back(browser, { state, code: 'of another server' }, at)).status).toBe(404);
  expect(consents.codes).toHaveLength(count);
  expect((await back(browser, { state, code: 'own' }, own)).url).toContain('/connect/status/');
  expect(consents.codes.slice(count)).toEqual(['own']);
});

it('the page names whose it is, who says who is signed in, and the host that the browser goes to', async () => {
  provider.state.claims = { email: 'victim@corp.example' };
  const handle = ask('ann-1', { tenant_name: 'Mallory & Sons', place: 'login.honest.example' });
  const { text, forms } = await new Browser().open(linkOf(handle));
  expect(text).toContain('<bdi>Mallory &amp; Sons</bdi>');
  expect(text).toContain(`<bdi>victim@corp.example</bdi>, as <bdi>${provider.place}</bdi> says`);
  expect(forms.some(({ button }) => button.includes('login.honest.example'))).toBe(true);
  expect(text).toContain('<bdi>login.honest.example</bdi>, where the authorization server <bdi>upstream.example</bdi>');
});

it('an answer at the redirect URI of another registration signs nobody in, and is sent nowhere', async () => {
  const other = await register(tenant, { name: 'partners', issuer: 'https://partners.example' });
  const browser = new Browser();
  const stopped = await browser.open(`${linkOf(ask())}?provider=corp`, `${url}/connect/signed-in`);
  const answer = new URL(stopped.url);
  answer.pathname = `/connect/signed-in/${String(other.json['provider_id'])}`;
  const page = await browser.open(answer.href);
  expect([page.status, page.text]).toEqual([400, expect.stringContaining('another identity provider')]);
  expect(provider.state.presented).toEqual([]);
  await remove(tenant, 'partners');
});

it('an attempt to sign in is exchanged once, whatever code comes', async () => {
  const browser = new Browser();
  const stopped = await browser.open(linkOf(ask()), `${url}/connect/signed-in`);
  const [, attempt = ''] = /writ_sign_in=([^;]+)/.exec(browser.cookiesFor(url)) ?? [];
  const answer = new URL(stopped.url);
  const statuses: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    answer.searchParams.set('code', `guess-${String(n)}`);
    browser.plant(url, 'writ_sign_in', attempt);
    statuses.push((await browser.open(answer.href)).status);
  }
  expect(statuses).toEqual([400, 400, 400, 400, 400]);
  expect(provider.state.presented).toEqual(['guess-0']);
});

it('an address that guesses locks out nobody who has a session, or is signing in', async () => {
  const headers = { 'x-forwarded-for': '203.0.113.8' };
  const [handle, signedIn, signingIn] = [ask(), new Browser({ headers }), new Browser({ headers })];
  await signedIn.open(linkOf(handle));
  const stopped = await signingIn.open(linkOf(handle), `${url}/connect/signed-in`);
  for (let n = 0; n < FAILURES; n += 1) await fetch(linkOf('y'.repeat(43)), { headers });
  expect((await new Browser({ headers }).open(linkOf(handle))).status).toBe(429);
  expect((await new Browser({ headers }).open(stopped.url)).status).toBe(429);
  const { browser, state } = await confirmed(handle, signedIn);
  expect((await back(browser, { state, code: 'c' })).url).toContain('/connect/status/');
  consents.set(handle, 'asked');
  expect((await signingIn.open(stopped.url)).status).toBe(200);
});

it('a session that began after the confirmation does not finish it', async () => {
  const handle = ask();
  const { browser, state } = await confirmed(handle);
  await browser.open(`${linkOf(handle)}?as=another`);
  expect((await back(browser, { state, code: 'c' })).status).toBe(404);
});

it.each<[string, string]>([
  ['two states', 'state=STATE&state=x&code=c'],
  ['two codes', 'state=STATE&code=a&code=b'],
  ['no state', 'code=c'],
  ['a state of another form', 'state=<b>&code=c'],
])('an answer with %s is none', async (_what, query) => {
  const { browser, state } = await confirmed(ask());
  const count = consents.codes.length;
  const page = await browser.open(`${uri()}?${query.replace('STATE', state)}`);
  expect([page.status, consents.codes.length]).toEqual([404, count]);
});

it.each<[string, string, string]>([
  ['no code', '', 'no_code'],
  ['a code that is too long', `&code=${'x'.repeat(4_000)}`, 'no_code'],
  ['an error of other characters', `&error=${encodeURIComponent('ä\n')}`, 'unreadable'],
])('an answer with %s fails the consent', async (_what, rest, error) => {
  const { browser, state } = await confirmed(ask());
  const page = await browser.open(`${uri()}?state=${state}${rest}`);
  expect([page.status, consents.errors.at(-1)]).toEqual([200, error]);
});

it('a prepared cookie opens no session, and a new sign-in makes a new one', async () => {
  const [handle, attacker, victim] = [ask(), new Browser(), new Browser()];
  await attacker.open(linkOf(handle));
  const [, prepared = ''] = /writ_connect=([^;]+)/.exec(attacker.cookiesFor(url)) ?? [];
  expect(prepared).not.toBe('');
  provider.state.person = 'bob-1';
  const bob = ask('bob-1');
  victim.plant(url, 'writ_connect', prepared);
  await victim.open(linkOf(bob));
  await victim.open(`${linkOf(bob)}?as=another`);
  expect(victim.cookiesFor(url)).not.toContain(prepared);
  // The session that was prepared has ended with the new sign-in.
  provider.state.person = 'nobody';
  const hops = attacker.visited.length;
  await attacker.open(linkOf(handle));
  expect(attacker.visited.slice(hops).some((each) => each.includes('/authorize'))).toBe(true);
});

it('an answer of the identity provider in another browser signs nobody in there (login CSRF)', async () => {
  const attacker = new Browser();
  const stopped = await attacker.open(linkOf(ask()), `${url}/connect/signed-in`);
  const victim = new Browser();
  const page = await victim.open(stopped.url);
  expect([page.status, page.text]).toEqual([400, expect.stringContaining('did not begin the sign-in')]);
  expect(victim.cookiesFor(url)).not.toContain('writ_connect');
  expect(provider.state.exchanged).toEqual([]);
});

it('whoever signs out has no session any more', async () => {
  const handle = ask();
  const browser = new Browser();
  const page = await browser.open(linkOf(handle));
  const before = browser.cookiesFor(url);
  const out = await browser.send(page, 'Sign out');
  expect(out.text).toContain('You are signed out');
  expect(browser.cookiesFor(url)).toBe('');
  const [, old = ''] = /writ_connect=([^;]+)/.exec(before) ?? [];
  browser.plant(url, 'writ_connect', old);
  expect((await browser.send(page, 'Continue')).status).toBe(403);
  const other = await browser.open(linkOf(handle));
  expect((await browser.send(other, 'Sign out', { origin: 'https://evil.example' })).status).toBe(403);
  expect(browser.cookiesFor(url)).not.toBe('');
});

it('a session of one tenant is none in another', async () => {
  const browser = new Browser();
  await browser.open(linkOf(ask()));
  const other = await api.newTenant();
  const handle = consents.ask(other.tenantId, subjectOf('ann-1', other));
  expect((await browser.open(linkOf(handle))).text).toContain('Nobody can sign in here yet');
});

it('with several providers the page asks where, unless the link names one', async () => {
  await register(tenant, { name: 'partners', issuer: 'https://partners.example', audience: `${url}/partners` });
  const handle = ask();
  const page = await new Browser().open(linkOf(handle));
  expect([page.text, page.links]).toEqual([
    expect.stringContaining('Where do you sign in?'),
    [`${linkOf(handle)}?provider=corp`, `${linkOf(handle)}?provider=partners`],
  ]);
  const named = await new Browser().open(`${linkOf(handle)}?provider=corp`);
  expect(named.forms.some(({ button }) => button.includes('Continue'))).toBe(true);
  await remove(tenant, 'partners');
});

it('an unknown link, a malformed one and a link of the past have the same page, and guessing ends', async () => {
  const texts = new Set<string>();
  for (const handle of ['x'.repeat(43), 'short', '%3Cscript%3E', 'x'.repeat(500)]) {
    const page = await new Browser().open(linkOf(handle));
    expect(page.status).toBe(404);
    texts.add(page.text);
  }
  expect(texts.size).toBe(1);
  const statuses: number[] = [];
  const headers = { 'x-forwarded-for': '203.0.113.7' };
  for (let n = 0; n < FAILURES + 5; n += 1) statuses.push((await fetch(linkOf('y'.repeat(43)), { headers })).status);
  expect([statuses[0], statuses.at(-1)]).toEqual([404, 429]);
});

it('no line of the log has a link, a code, a state or a cookie', async () => {
  const handle = ask();
  const { browser, state } = await confirmed(handle);
  await back(browser, { state, code: 'code-of-a-person', iss: 'https://upstream.example' });
  await new Browser().open(linkOf('z'.repeat(43)));
  const log = api.lines.join('\n');
  expect(log).toContain('/connect/:handle');
  for (const secret of [handle, state, 'code-of-a-person', ...browser.cookiesFor(url).split('=').slice(1)])
    expect(log).not.toContain(secret);
});
