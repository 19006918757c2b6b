// SPDX-License-Identifier: Apache-2.0
import { NOTICE_KINDS } from '@writ/contract';
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';

const WEBHOOK = {
  webhook_id: 'whk_1',
  name: 'ops',
  url: 'https://example.com/hooks',
  events: ['approval.pending'],
  state: 'active',
  disabled_reason: null as string | null,
  failing_since: null,
  old_until: null,
  created_at: 1_767_225_600_000,
  created_by: 'key_1',
  updated_at: 1,
};
const DELIVERY = {
  delivery_id: 'dlv_1',
  webhook_id: 'whk_1',
  message_id: 'ntc_1',
  kind: 'approval.pending',
  state: 'pending',
  attempts: 2,
  next_at: 1_767_225_600_000,
  last_status: 500,
  last_error: 'status: no success\u202e',
  created_at: 1_767_225_600_000,
  delivered_at: null,
};

let api: FakeApi;
beforeAll(async () => {
  api = await fakeApi(({ url, method }) => {
    if (url.includes('/deliveries?')) return { body: { items: [DELIVERY], next_cursor: null } };
    if (url.includes('/deliveries/') || url.endsWith('/ping')) return { status: 202, body: DELIVERY };
    if (url.startsWith('/v1/webhooks?'))
      return { body: { items: [{ ...WEBHOOK, state: 'disabled', disabled_reason: 'gone' }], next_cursor: null } };
    return { body: method === 'POST' ? { ...WEBHOOK, secret: 'whsec_AAAA' } : WEBHOOK };
  });
});
afterAll(() => api.close());
beforeEach(() => {
  api.requests.length = 0;
});
const run = (...args: string[]) => writ(['webhooks', ...args], { env: api.env });
const bodies = () =>
  api.requests.map(({ method, url, body }) => [method, url, body === '' ? null : (JSON.parse(body) as unknown)]);

test('a new webhook gets all events by default, and its secret is shown', async () => {
  const { out } = await run('create', 'ops', '--target', 'https://example.com/hooks');
  expect(out).toContain('whsec_AAAA');
  await run(
    'create',
    'ops',
    '--target',
    'https://example.com/hooks',
    '--event',
    'approval.pending',
    '--event',
    'operation.ambiguous',
  );
  expect(bodies()).toEqual([
    [
      'POST',
      '/v1/webhooks',
      { name: 'ops', url: 'https://example.com/hooks', events: [...NOTICE_KINDS, 'run.finished'] },
    ],
    [
      'POST',
      '/v1/webhooks',
      { name: 'ops', url: 'https://example.com/hooks', events: ['approval.pending', 'operation.ambiguous'] },
    ],
  ]);
});

test('the list of webhooks shows disabled ones with the reason', async () => {
  expect((await run()).out).toMatch(/whk_1 +ops +https:\/\/example\.com\/hooks +disabled +gone/);
});

test('an update of a webhook changes only what options name', async () => {
  await run('update', 'whk_1', '--disable');
  expect(bodies()).toEqual([
    ['GET', '/v1/webhooks/whk_1', null],
    [
      'PUT',
      '/v1/webhooks/whk_1',
      { name: 'ops', url: 'https://example.com/hooks', events: ['approval.pending'], state: 'disabled' },
    ],
  ]);
  expect((await run('update', 'whk_1', '--disable', '--enable')).exit).toBe(2);
});

test("a webhook's secret is rotated with an overlap in hours", async () => {
  expect((await run('rotate-secret', 'whk_1', '--overlap-hours', '2')).out).toContain('whsec_AAAA');
  expect(bodies()).toEqual([['POST', '/v1/webhooks/whk_1/secret', { overlap_ms: 7_200_000 }]]);
});

test('deliveries are listed with their errors, a webhook is pinged, and a message is sent again', async () => {
  expect((await run('deliveries', 'whk_1', '--state', 'pending')).out).toMatch(
    /dlv_1 +approval\.pending +pending +2 +2026-01-01T00:00:00Z +status: no success\\u\{202e\}/,
  );
  await run('ping', 'whk_1');
  await run('redeliver', 'whk_1', 'dlv_1');
  expect(api.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /v1/webhooks/whk_1/deliveries?state=pending&limit=50',
    'POST /v1/webhooks/whk_1/ping',
    'POST /v1/webhooks/whk_1/deliveries/dlv_1/redeliver',
  ]);
});

test('a webhook is deleted by its id, as one segment of the path', async () => {
  expect((await run('delete', '../api-keys/x')).out).toContain('whk_1 deleted');
  expect(api.requests[0]).toMatchObject({ method: 'DELETE', url: '/v1/webhooks/..%2Fapi-keys%2Fx' });
});
