// SPDX-License-Identifier: Apache-2.0
// Invitations through the API and a scripted browser, with a real HTTP identity provider.
import { Fault } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { Browser, freePort, type BrowserPage } from '@writ/testing';
import { openTestApi, PLATFORM_KEY, problem, type TestApi, type TestTenant } from '../../specs/test-api.ts';
import { testIdentityProvider, type TestIdentityProvider } from '../../specs/test-identity-provider.ts';

let provider: TestIdentityProvider;
let api: TestApi;
let tenant: TestTenant;
let url: string;
let recorded: Record<string, unknown>[];
/** the verbs of records that the kernel refuses */
let refused: Set<string>;

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
  [recorded, refused] = [[], new Set()];
  api.kernel.handlers.set('change.record', (_caller, request) => {
    if (refused.has(String(request['verb']))) throw new Fault('tenant.closed');
    recorded.push(request);
    return { recorded: newId('record') };
  });
  api.kernel.handlers.set('api_key.revoke', () => ({ tokens: [], more_tokens: false }));
  tenant = await api.newTenant();
  await register();
  as('ann-1', 'ann@example.org');
});
afterEach(() => ask('DELETE', '/v1/identity-providers/corp'));

/**
 * Who sits at the browser. The issuer gives them no role.
 * @param verification what the issuer claims of the address beside it
 */
function as(person: string, email: string, verification: object = { email_verified: true }): void {
  provider.state.person = person;
  provider.state.claims = { email, ...verification };
  provider.state.changes = { accessToken: { claims: { scope: 'openid' } } };
}
const register = (more: object = {}, of = tenant) =>
  api.ask('POST', `/v1/tenants/${of.tenantId}/identity-providers`, {
    key: PLATFORM_KEY,
    body: { name: 'corp', issuer: provider.issuer.issuer, sign_in: { client_id: 'writ' }, ...more },
  });
const ask = (method: string, path: string, body?: object, key = tenant.admin) =>
  api.ask(method, path, { key, ...(body === undefined ? {} : { body }) });
const invite = async (more: object = { email: 'ann@example.org' }, key = tenant.admin) =>
  (await ask('POST', '/v1/invitations', { role: 'auditor', ...more }, key)).json as Record<string, string>;
async function take(link = '', browser = new Browser()): Promise<{ browser: Browser; page: BrowserPage }> {
  const leaving = await browser.send(await browser.open(link), 'Sign in at corp');
  return { browser, page: await browser.goOn(leaving) };
}
const isIn = async (link?: string): Promise<boolean> => (await take(link)).page.text.includes('You are signed in');
const get = (browser: Browser, path: string) =>
  api.ask('GET', path, { headers: { cookie: browser.cookiesFor(url), 'sec-fetch-site': 'same-origin' } });
const members = async () => (await ask('GET', '/v1/members')).json['items'] as Record<string, unknown>[];
const stateOf = async ({ invitation_id = '' }) => (await ask('GET', `/v1/invitations/${invitation_id}`)).json['state'];

it('an invited person signs in by the link, and is a member with the role that the invitation gives', async () => {
  expect(await isIn(`${url}/sign-in?tenant=${tenant.tenantId}`)).toBe(false);
  const made = await invite({ email: 'Ann@Example.org' });
  expect(made).toMatchObject({
    ...{ state: 'open', role: 'auditor', email: 'ann@example.org', subject: null, provider: null, member_id: null },
    link: expect.stringMatching(`^${url}/sign-in/invitation\\?code=writ_i_`),
  });
  const { browser, page } = await take(made['link']);
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('You are signed in')]);
  expect(provider.state.asked.get('scope')?.split(' ')).toContain('email');
  expect((await browser.goOn(page)).text).toContain('auditor');
  expect((await get(browser, '/v1/approvals')).status).toBe(200);
  expect((await get(browser, '/v1/api-keys')).json['code']).toBe('auth.role');
  const [member] = await members();
  expect(member).toMatchObject({ kind: 'person', role: 'auditor', state: 'active', subject: 'ann-1' });
  expect((await ask('GET', `/v1/invitations/${made['invitation_id']}`)).json).toMatchObject({
    state: 'accepted',
    member_id: member?.['member_id'],
  });
  // From now on they sign in as everybody else.
  expect(await isIn(`${url}/sign-in?tenant=${tenant.tenantId}`)).toBe(true);
});

it('each step is recorded before it takes effect, and names nobody', async () => {
  const { link, invitation_id = '' } = await invite();
  await take(link);
  const second = await invite();
  await ask('DELETE', `/v1/invitations/${second['invitation_id']}`);
  const verbs = recorded.filter(({ verb }) => /^invitation_/.test(String(verb)));
  expect(verbs.map(({ verb, subject }) => [verb, subject])).toEqual([
    ['invitation_created', invitation_id],
    ['invitation_accepted', invitation_id],
    ['invitation_created', second['invitation_id']],
    ['invitation_revoked', second['invitation_id']],
  ]);
  expect(JSON.stringify(recorded)).not.toContain('ann');
  expect(api.lines.join('\n')).not.toContain(link?.split('code=')[1]);
});

it('the link is good once, and for the person whom it names: a stolen one gives nothing', async () => {
  const { link } = await invite();
  for (const [email, verification] of [
    ['mallory@example.org', { email_verified: true }],
    ['ann@example.org', { email_verified: false }],
    ['ann@example.org', { email_verified: null }],
    ['ann@example.org', {}],
    ['ann@example.org.evil.example', { email_verified: true }],
  ] as const) {
    as('mallory', email, verification);
    expect([email, verification, await isIn(link)]).toEqual([email, verification, false]);
  }
  expect(await members()).toEqual([]);
  // Whoever tries leaves no pseudonym behind.
  const personOf = async (subject: string) =>
    (await ask('GET', `/v1/persons?issuer=${encodeURIComponent(provider.issuer.issuer)}&subject=${subject}`)).status;
  expect(await personOf('mallory')).toBe(404);
  as('ann-1', 'ann@example.org');
  expect(await isIn(link)).toBe(true);
  expect(await personOf('ann-1')).toBe(200);
  const { page } = await take(link);
  expect(page.text).toContain('You are not signed in');
  as('ann-2', 'ann@example.org');
  expect(await isIn(link)).toBe(false);
});

it('an access token verifies the address where the ID token has none, and never one that this leaves unverified', async () => {
  const { link } = await invite();
  const verified = { accessToken: { claims: { scope: 'openid', email: 'ann@example.org', email_verified: true } } };
  as('mallory', 'ann@example.org', { email_verified: false });
  provider.state.changes = verified;
  expect(await isIn(link)).toBe(false);
  provider.state.claims = {};
  expect(await isIn(link)).toBe(true);
});

it('an invitation for a subject is for nobody else with the address, nor for the subject at another provider', async () => {
  const { link, email, subject } = await invite({ subject: 'ann-1', provider: 'corp' });
  expect([email, subject]).toEqual([null, 'ann-1']);
  as('ann-2', 'ann@example.org');
  expect(await isIn(link)).toBe(false);
  as('ann-1', 'other@example.org', { email_verified: false });
  expect(await isIn(link)).toBe(true);
});

it('a code that is unknown, revoked, expired or of somebody else is answered with the same page', async () => {
  const [{ link = '' }, revoked, late] = [await invite(), await invite(), await invite()];
  await ask('DELETE', `/v1/invitations/${revoked['invitation_id']}`);
  const unknown = `${link.slice(0, -4)}AAAA`;
  const pages = [];
  for (const each of [unknown, revoked['link'], link]) {
    as('mallory', 'mallory@example.org');
    pages.push((await take(each)).page);
  }
  const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 8 * 24 * 3_600_000);
  expect(await stateOf(late)).toBe('expired');
  now.mockRestore();
  expect(new Set(pages.map(({ status, text }) => `${String(status)} ${text}`)).size).toBe(1);
  expect(pages[0]?.text).toContain('The invitation is not good');
  const opened = await Promise.all([unknown, link].map(async (each) => (await new Browser().open(each)).status));
  expect(opened).toEqual([200, 200]);
  expect((await new Browser().open(`${url}/sign-in/invitation?code=x`)).status).toBe(400);
});

it('where the kernel records nothing, as for a closed tenant, nobody becomes a member', async () => {
  const made = await invite();
  refused.add('invitation_accepted');
  expect(await isIn(made['link'])).toBe(false);
  expect([await members(), await stateOf(made)]).toEqual([[], 'open']);
  refused = new Set(['invitation_created']);
  expect((await ask('POST', '/v1/invitations', { role: 'auditor', email: 'b@c' })).json['code']).toBe('tenant.closed');
  expect(((await ask('GET', '/v1/invitations')).json['items'] as unknown[]).length).toBe(1);
});

it('only an administrator invites, and no key with scopes does: nobody gives more than they have', async () => {
  const body = { role: 'admin', email: 'ann@example.org' };
  for (const key of [tenant.operator, tenant.auditor, tenant.agent])
    expect((await ask('POST', '/v1/invitations', body, key)).json).toEqual(problem('auth.role', 403));
  const scopes = (scope: string) =>
    ask('POST', '/v1/api-keys', { name: 'x', role: 'admin', scopes: [scope] }).then(({ json }) => json);
  expect((await scopes('invitations:write'))['code']).toBe('request.malformed');
  const reader = String((await scopes('invitations:read'))['api_key']);
  expect((await ask('GET', '/v1/invitations', undefined, reader)).status).toBe(200);
  expect((await ask('POST', '/v1/invitations', body, reader)).json['code']).toBe('auth.insufficient_scope');
});

it('the invitations of an administrator who is suspended, or whose key is revoked, are good for nothing', async () => {
  const key = (await ask('POST', '/v1/api-keys', { name: 'x', role: 'admin' })).json as Record<string, string>;
  const made = await invite({ email: 'ann@example.org' }, key['api_key']);
  await ask('DELETE', `/v1/api-keys/${key['api_key_id']}`);
  expect(await isIn(made['link'])).toBe(false);
  as('boss', 'boss@example.org');
  const { browser } = await take((await invite({ email: 'boss@example.org', role: 'admin' }))['link']);
  const session = { cookie: browser.cookiesFor(url), origin: url };
  const { sign_in } = (await get(browser, '/v1/sign-in')).json as { sign_in: { csrf_token: string } };
  const headers = { ...session, 'writ-csrf': sign_in.csrf_token };
  const body = { role: 'admin', email: 'ann@example.org' };
  const theirs = (await api.ask('POST', '/v1/invitations', { headers, body })).json as Record<string, string>;
  expect(theirs['state']).toBe('open');
  const [boss] = await members();
  await ask('PATCH', `/v1/members/${String(boss?.['member_id'])}`, { role: 'operator' });
  expect(await stateOf(theirs)).toBe('revoked');
  as('ann-1', 'ann@example.org');
  expect(await isIn(theirs['link'])).toBe(false);
});

it('a member who was suspended or denied comes back by no invitation', async () => {
  await take((await invite())['link']);
  const [ann] = await members();
  await ask('PATCH', `/v1/members/${String(ann?.['member_id'])}`, { state: 'suspended' });
  expect(await isIn((await invite())['link'])).toBe(false);
  await ask('PATCH', `/v1/members/${String(ann?.['member_id'])}`, { state: 'active' });
  await ask('POST', '/v1/identity-providers/corp/denials', { subject: 'ann-1' });
  expect(await isIn((await invite())['link'])).toBe(false);
});

it('only administrators read who is invited', async () => {
  const { invitation_id } = await invite();
  const path = `/v1/invitations/${invitation_id}`;
  expect((await ask('GET', path)).json).toMatchObject({ email: 'ann@example.org' });
  expect((await ask('GET', path, undefined, tenant.auditor)).json).toMatchObject({ email: null, subject: null });
  expect((await ask('GET', '/v1/invitations', undefined, tenant.auditor)).text).not.toContain('ann@');
  expect((await ask('GET', path, undefined, (await api.newTenant()).admin)).json).toEqual(problem('not_found', 404));
});

it.each<readonly [string, object]>([
  ['neither an address nor a subject', {}],
  ['both', { email: 'a@b', subject: 'x', provider: 'corp' }],
  ['a subject without its provider', { subject: 'x' }],
  ['another provider', { email: 'a@b', provider: 'other' }],
  ['an address of other letters', { email: 'ann@exämple.org' }],
  ['a role that nobody has', { email: 'a@b', role: 'worker' }],
  ['a role of an agent, where the provider names none', { email: 'a@b', role: 'agent' }],
  ['an end in the past', { email: 'a@b', expires_at: 1 }],
  ['an end in a month', { email: 'a@b', expires_at: Date.now() + 31 * 24 * 3_600_000 }],
])('an invitation with %s is refused', async (_what, body) => {
  expect((await invite(body))['code']).toBe('request.malformed');
});

it('nobody is invited where nobody can sign in', async () => {
  const other = await api.newTenant();
  expect((await ask('POST', '/v1/invitations', { role: 'auditor', email: 'a@b' }, other.admin)).json['code']).toBe(
    'conflict',
  );
});
