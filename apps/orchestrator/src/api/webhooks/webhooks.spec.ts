// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { openTestApi, problem, type TestApi, type TestTenant } from '../../specs/test-api.ts';

let api: TestApi;
let tenant: TestTenant;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  tenant = await api.newTenant();
  api.kernel.requests.length = 0;
  api.kernel.handlers.set('change.record', () => ({ recorded: 'rec_01kdvq8qfwe9gr4v9m1h7e3x2z' }));
});

const WISH = {
  name: 'ops',
  url: 'https://example.com/hooks',
  events: ['operation.ambiguous', 'approval.pending', 'approval.pending'],
};
const ask = (method: string, path: string, body?: object, key = tenant.admin) =>
  api.ask(method, path, { key, ...(body === undefined ? {} : { body }) });
const create = async () => (await ask('POST', '/v1/webhooks', WISH)).json as { webhook_id: string; secret: string };
const records = () =>
  api.kernel.requests
    .filter(({ verb }) => verb === 'change.record')
    .map(({ request }) => [request['verb'], request['subject']]);

it('a webhook is recorded first, and its secret is shown once', async () => {
  const { status, json } = await ask('POST', '/v1/webhooks', WISH);
  expect(status).toBe(201);
  expect(json).toMatchObject({
    name: 'ops',
    url: 'https://example.com/hooks',
    events: ['approval.pending', 'operation.ambiguous'],
    state: 'active',
    disabled_reason: null,
    failing_since: null,
  });
  const { secret, ...shown } = json;
  expect(secret).toMatch(/^whsec_/);
  expect(records()).toEqual([['webhook_created', json['webhook_id']]]);
  for (const key of [tenant.admin, tenant.operator, tenant.auditor])
    expect((await ask('GET', `/v1/webhooks/${String(json['webhook_id'])}`, undefined, key)).json).toEqual(shown);
  expect((await ask('GET', '/v1/webhooks')).json).toEqual({ items: [shown], next_cursor: null });
  expect(api.lines.join('')).not.toContain(secret);
});

it('a webhook is not created, changed, deleted or rotated if that can not be recorded', async () => {
  const { webhook_id } = await create();
  const before = (await ask('GET', `/v1/webhooks/${webhook_id}`)).json;
  api.kernel.handlers.set('change.record', () => {
    throw new Fault('record.backlog');
  });
  for (const [method, path, body] of [
    ['POST', '/v1/webhooks', WISH],
    ['PUT', `/v1/webhooks/${webhook_id}`, { ...WISH, state: 'disabled' }],
    ['DELETE', `/v1/webhooks/${webhook_id}`, undefined],
    ['POST', `/v1/webhooks/${webhook_id}/secret`, {}],
  ] as const)
    expect((await ask(method, path, body)).json).toEqual(problem('record.backlog', 503));
  expect((await ask('GET', '/v1/webhooks')).json).toEqual({ items: [before], next_cursor: null });
});

it('changes, rotations and deletions of a webhook are recorded, each with its verb', async () => {
  const { webhook_id, secret } = await create();
  expect(
    (await ask('PUT', `/v1/webhooks/${webhook_id}`, { ...WISH, events: ['approval.denied'], state: 'disabled' })).json,
  ).toMatchObject({ events: ['approval.denied'], state: 'disabled', disabled_reason: 'asked' });
  const rotated = await ask('POST', `/v1/webhooks/${webhook_id}/secret`, { overlap_ms: 60_000 });
  expect(rotated.json).toMatchObject({
    secret: expect.stringMatching(/^whsec_/) as string,
    old_until: expect.any(Number) as number,
  });
  expect(rotated.json['secret']).not.toBe(secret);
  expect((await ask('DELETE', `/v1/webhooks/${webhook_id}`)).status).toBe(200);
  expect((await ask('GET', `/v1/webhooks/${webhook_id}`)).json).toEqual(problem('not_found', 404));
  expect(records()).toEqual([
    ['webhook_created', webhook_id],
    ['webhook_changed', webhook_id],
    ['webhook_secret_rotated', webhook_id],
    ['webhook_deleted', webhook_id],
  ]);
});

it.each([
  'http://example.com/',
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://[::ffff:10.0.0.1]/',
  'https://user:pw@example.com/',
  'ftp://example.com/',
  'nonsense',
])('a webhook at %s is none', async (url) => {
  expect((await ask('POST', '/v1/webhooks', { ...WISH, url })).json).toMatchObject({
    code: 'request.malformed',
    pointer: '/url',
  });
  expect(records()).toEqual([]);
  const { webhook_id } = await create();
  expect((await ask('PUT', `/v1/webhooks/${webhook_id}`, { ...WISH, url, state: 'active' })).json).toMatchObject({
    code: 'request.malformed',
    pointer: '/url',
  });
});

it('a webhook subscribes only to known kinds, and a tenant has at most ten webhooks', async () => {
  for (const events of [[], ['approval.nothing'], ['webhook.ping'], ['*']])
    expect((await ask('POST', '/v1/webhooks', { ...WISH, events })).json).toEqual(problem('request.malformed', 400));
  for (let n = 0; n < 10; n++) expect((await ask('POST', '/v1/webhooks', WISH)).status).toBe(201);
  expect((await ask('POST', '/v1/webhooks', WISH)).json).toEqual(problem('limit.exceeded', 422));
});

it('a ping is an ordinary delivery: listed, redelivered, and refused for a disabled webhook', async () => {
  const { webhook_id } = await create();
  const ping = await ask('POST', `/v1/webhooks/${webhook_id}/ping`, {}, tenant.operator);
  expect([ping.status, ping.json]).toMatchObject([
    202,
    { webhook_id, kind: 'webhook.ping', state: 'pending', attempts: 0 },
  ]);
  expect(JSON.parse(api.hooks.sent[0]!.body)).toEqual({
    type: 'webhook.ping',
    timestamp: expect.stringMatching(/^\d{4}-/) as string,
    data: { webhook_id },
  });
  expect(
    (await ask('GET', `/v1/webhooks/${webhook_id}/deliveries?state=pending`, undefined, tenant.auditor)).json,
  ).toEqual({ items: [ping.json], next_cursor: null });
  expect((await ask('GET', `/v1/webhooks/${webhook_id}/deliveries?state=failed`)).json).toEqual({
    items: [],
    next_cursor: null,
  });
  const again = `/v1/webhooks/${webhook_id}/deliveries/${String(ping.json['delivery_id'])}/redeliver`;
  expect((await ask('POST', again, {}, tenant.operator)).json).toMatchObject({
    message_id: ping.json['message_id'],
    state: 'pending',
  });
  await ask('PUT', `/v1/webhooks/${webhook_id}`, { ...WISH, state: 'disabled' });
  for (const path of [again, `/v1/webhooks/${webhook_id}/ping`])
    expect((await ask('POST', path, {})).json).toEqual(problem('conflict', 409));
});
