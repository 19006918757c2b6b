// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { openTestApi, problem, type TestApi, type TestTenant } from '../../specs/test-api.ts';

let api: TestApi;
let tenant: TestTenant;
beforeAll(async () => {
  api = await openTestApi({ WRIT_PUBLIC_URL: 'https://writ.example.org' });
});
afterAll(() => api.close());
beforeEach(async () => {
  tenant = await api.newTenant();
  api.kernel.requests.length = 0;
  api.kernel.handlers.set('change.record', () => ({ recorded: 'rec_01kdvq8qfwe9gr4v9m1h7e3x2z' }));
});

const TOKEN = 'xoxb-very-secret';
const SLACK = { conversation: 'C0123456789', bot_token: TOKEN };
const WISH = { name: 'on call', kind: 'slack', slack: SLACK };
const ask = (method: string, path: string, body?: object, key = tenant.admin, headers = {}) =>
  api.ask(method, path, { key, headers, ...(body === undefined ? {} : { body }) });
const create = async () => String((await ask('POST', '/v1/channels', WISH)).json['channel_id']);
const records = () =>
  api.kernel.requests
    .filter(({ verb }) => verb === 'change.record')
    .map(({ request }) => [request['verb'], request['subject']]);

it('a channel is recorded, shown to readers, and its token never is', async () => {
  const { status, json } = await ask('POST', '/v1/channels', WISH);
  expect([status, json]).toEqual([
    201,
    expect.objectContaining({
      ...{ name: 'on call', kind: 'slack', state: 'active', last_error: null },
      slack: { conversation: 'C0123456789', api_url: 'https://slack.com/api' },
    }),
  ]);
  const path = `/v1/channels/${String(json['channel_id'])}`;
  for (const key of [tenant.admin, tenant.operator, tenant.auditor])
    expect((await ask('GET', path, undefined, key)).json).toEqual(json);
  expect((await ask('GET', '/v1/channels')).json).toEqual({ items: [json], next_cursor: null });
  const changed = await ask('PATCH', path, { state: 'disabled', slack: { conversation: 'C9876543210' } });
  expect(changed.json).toMatchObject({ name: 'on call', state: 'disabled', slack: { conversation: 'C9876543210' } });
  expect((await ask('DELETE', path)).status).toBe(200);
  expect((await ask('GET', path)).json).toEqual(problem('not_found', 404));
  expect(records().map(([verb]) => verb)).toEqual(['channel_created', 'channel_changed', 'channel_deleted']);
  expect(JSON.stringify([json, changed.json, api.lines])).not.toContain(TOKEN);
  expect(api.channels.kept).toEqual([]);
});

it('a token is stored encrypted', async () => {
  await create();
  expect(api.channels.kept[0]?.bot_token.toString('latin1')).not.toContain(TOKEN);
  expect(api.channels.kept[0]?.bot_token.length).toBeGreaterThan(TOKEN.length);
});

it('a channel is not created, changed or deleted if that can not be recorded', async () => {
  const path = `/v1/channels/${await create()}`;
  const before = (await ask('GET', path)).json;
  api.kernel.handlers.set('change.record', () => {
    throw new Fault('record.backlog');
  });
  for (const [method, at, body] of [
    ['POST', '/v1/channels', WISH],
    ['PATCH', path, { name: 'x' }],
    ['DELETE', path, undefined],
  ] as const)
    expect((await ask(method, at, body)).json).toEqual(problem('record.backlog', 503));
  expect((await ask('GET', '/v1/channels')).json).toEqual({ items: [before], next_cursor: null });
});

it('a stored token never goes to another URL: a change of the URL takes the token, too', async () => {
  const path = `/v1/channels/${await create()}`;
  api.kernel.requests.length = 0;
  const theirs = 'https://attacker.example.org/api';
  expect(await ask('PATCH', path, { slack: { api_url: theirs } })).toMatchObject({
    status: 400,
    json: { pointer: '/slack/bot_token' },
  });
  expect(records()).toEqual([]);
  expect((await ask('PATCH', path, { slack: { api_url: 'https://slack.com/api/' } })).status).toBe(200);
  const moved = await ask('PATCH', path, { slack: { api_url: `${theirs}/`, bot_token: 'xoxb-another-one' } });
  expect(moved.json['slack']).toEqual({ conversation: 'C0123456789', api_url: theirs });
});

it('a change that is conditional on another state of the channel is refused without a record', async () => {
  const path = `/v1/channels/${await create()}`;
  api.kernel.requests.length = 0;
  const other = { 'if-match': `"${'0'.repeat(64)}"` };
  for (const [method, body] of [
    ['PATCH', { name: 'x' }],
    ['DELETE', undefined],
  ] as const)
    expect((await ask(method, path, body, tenant.admin, other)).json).toEqual(problem('precondition.failed', 412));
  expect(records()).toEqual([]);
});

it.each([
  ['a private address', { api_url: 'https://127.0.0.1/api' }],
  ['plain HTTP', { api_url: 'http://slack.com/api' }],
  ['a query', { api_url: 'https://slack.com/api?x=1' }],
  ['a name for a conversation', { conversation: '#general' }],
  ["a user's token", { bot_token: 'xoxp-of-somebody' }],
  ['a token with a line break', { bot_token: 'xoxb-abcdefgh\r\nx: y' }],
])('a channel with %s is refused', async (_what, over) => {
  expect((await ask('POST', '/v1/channels', { ...WISH, slack: { ...SLACK, ...over } })).status).toBe(400);
  expect(records()).toEqual([]);
});

it('a tenant has ten channels at most', async () => {
  for (let n = 0; n < 10; n++) await create();
  expect((await ask('POST', '/v1/channels', WISH)).json).toEqual(problem('limit.exceeded', 422));
});

it.each([
  ['a public URL', {}],
  ['the console', { WRIT_PUBLIC_URL: 'https://writ.example.org', WRIT_CONSOLE: false }],
])('a channel is refused without %s, to which messages would lead', async (_what, config) => {
  const bare = await openTestApi(config);
  bare.kernel.handlers.set('change.record', () => ({ recorded: 'rec_01kdvq8qfwe9gr4v9m1h7e3x2z' }));
  const { admin: key } = await bare.newTenant();
  const answer = await bare.ask('POST', '/v1/channels', { key, body: WISH });
  expect(answer.json).toEqual(problem('conflict', 409));
  expect(answer.json['detail']).toContain('WRIT_PUBLIC_URL');
  await bare.close();
});

describe('a channel of the kind `webhook`', () => {
  const HOOK = { name: 'pager', kind: 'webhook', webhook: { url: 'https://hooks.example.org/a?b=c' } };

  it('shows its secret once, where it is created, and keeps it when its URL changes', async () => {
    const { status, json } = await ask('POST', '/v1/channels', HOOK);
    expect([status, json['kind'], json['slack']]).toEqual([201, 'webhook', undefined]);
    const { secret } = json['webhook'] as { secret: string };
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const path = `/v1/channels/${String(json['channel_id'])}`;
    expect((await ask('GET', path)).json['webhook']).toEqual({ url: 'https://hooks.example.org/a?b=c' });
    const moved = await ask('PATCH', path, { webhook: { url: 'https://other.example.org/' } });
    expect(moved.json['webhook']).toEqual({ url: 'https://other.example.org/' });
    expect(JSON.stringify([api.channels.kept, api.lines])).not.toContain(secret);
  });

  it.each(['http://hooks.example.org/', 'https://127.0.0.1/', 'https://a:b@hooks.example.org/', 'no URL'])(
    'is refused with the URL %s',
    async (url) => {
      const answer = await ask('POST', '/v1/channels', { ...HOOK, webhook: { url } });
      expect(answer).toMatchObject({ status: 400, json: { pointer: '/webhook/url' } });
      expect(records()).toEqual([]);
    },
  );

  it('has the settings of its kind, and of no other', async () => {
    const refused = async (method: string, path: string, body: object, pointer: string) => {
      api.kernel.requests.length = 0;
      expect(await ask(method, path, body)).toMatchObject({ status: 400, json: { pointer } });
      expect(records()).toEqual([]);
    };
    await refused('POST', '/v1/channels', { ...HOOK, slack: SLACK }, '/slack');
    await refused('POST', '/v1/channels', { name: 'x', kind: 'webhook' }, '/webhook');
    await refused('POST', '/v1/channels', { ...WISH, webhook: HOOK.webhook }, '/webhook');
    const path = `/v1/channels/${String((await ask('POST', '/v1/channels', HOOK)).json['channel_id'])}`;
    await refused('PATCH', path, { slack: { conversation: 'C9876543210' } }, '/slack');
    await refused('PATCH', path, { slack: {}, webhook: HOOK.webhook }, '/webhook');
  });
});

it('of the URL of a workflow of Teams, only the origin is ever shown', async () => {
  const url = 'https://prod-1.logic.example.com:8443/workflows/w0rkfl0w?api-version=1&sig=s1gnature';
  const { status, json } = await ask('POST', '/v1/channels', { name: 'ops', kind: 'teams', teams: { url } });
  expect([status, json['teams']]).toEqual([201, { origin: 'https://prod-1.logic.example.com:8443' }]);
  const path = `/v1/channels/${String(json['channel_id'])}`;
  const moved = await ask('PATCH', path, { teams: { url: 'https://other.example.com/w0rkfl0w?sig=s1gnature' } });
  expect(moved.json['teams']).toEqual({ origin: 'https://other.example.com' });
  const refused = await ask('PATCH', path, { teams: { url: 'https://127.0.0.1/w0rkfl0w?sig=s1gnature' } });
  expect(refused).toMatchObject({ status: 400, json: { pointer: '/teams/url' } });
  const seen = JSON.stringify([json, moved.json, refused.json, api.channels.kept, api.lines]);
  expect(seen).not.toMatch(/s1gnature|w0rkfl0w/);
});

describe('a channel of the kind `email`', () => {
  const SERVER = { host: 'smtp.example.org', port: 465, tls: 'implicit', username: 'writ' };
  const EMAIL = { ...SERVER, password: 'p4ss-w0rd', from: 'writ@example.org', to: ['ops@example.org'] };
  const createMail = (over: object = {}) =>
    ask('POST', '/v1/channels', { name: 'ops', kind: 'email', email: { ...EMAIL, ...over } });

  it('shows everything but its password, which is stored encrypted', async () => {
    const { status, json } = await createMail();
    const { password, ...view } = EMAIL;
    expect([status, json['email']]).toEqual([201, view]);
    const open = await createMail({ username: undefined, password: undefined });
    expect(open.json['email']).toEqual({ ...view, username: null });
    expect(JSON.stringify([json, api.channels.kept, api.lines])).not.toContain(password);
  });

  it.each([
    ['host', { host: '127.0.0.1' }, '/email/host'],
    ['host with a path', { host: 'a.test/b' }, '/email/host'],
    ['port', { port: 0 }, '/email/port'],
    ['connection without TLS', { tls: 'none' }, '/email/tls'],
    ['username without a password', { password: undefined }, '/email/password'],
    ['password without a username', { username: undefined }, '/email/password'],
    ['line break in the password', { password: 'a\r\nb' }, '/email/password'],
    ['sender with a header', { from: 'a@example.org\r\nBcc: e@evil.test' }, '/email/from'],
    ['address with a name', { to: ['Ops <ops@example.org>'] }, '/email/to/0'],
    ['address twice', { to: ['a@example.org', 'a@example.org'] }, '/email/to'],
    ['list of no address', { to: [] }, '/email/to'],
    ['list of too many', { to: Array.from({ length: 21 }, (_each, n) => `a${n}@example.org`) }, '/email/to'],
  ])('is refused with a wrong %s', async (_what, over, pointer) => {
    expect(await createMail(over)).toMatchObject({ status: 400, json: { pointer } });
    expect(records()).toEqual([]);
  });

  it('never sends a stored password to another server, or in another way', async () => {
    const path = `/v1/channels/${String((await createMail()).json['channel_id'])}`;
    api.kernel.requests.length = 0;
    for (const over of [{ host: 'evil.example.org' }, { port: 587 }, { tls: 'starttls' }, { username: 'x' }])
      expect(await ask('PATCH', path, { email: over })).toMatchObject({
        ...{ status: 400, json: { pointer: '/email/password' } },
      });
    const plain = await ask('PATCH', path, { email: { tls: 'none', password: 'an0ther' } });
    expect(plain).toMatchObject({ status: 400, json: { pointer: '/email/tls' } });
    expect(records()).toEqual([]);
    const to = ['lead@example.org'];
    expect((await ask('PATCH', path, { email: { ...SERVER, to } })).json['email']).toMatchObject({ ...SERVER, to });
    const moved = await ask('PATCH', path, { email: { host: 'other.example.org', password: 'an0ther' } });
    expect(moved.json['email']).toMatchObject({ host: 'other.example.org', port: 465, to });
  });
});
