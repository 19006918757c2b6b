// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import { newSession } from '../../specs/session-steps.ts';
import { erasureOf } from '../../specs/fake-views.ts';
import { openTestApi, type TestApi } from '../../specs/test-api.ts';

let api: TestApi;
let tenant: Awaited<ReturnType<TestApi['newTenant']>>;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
});
afterAll(() => api.close());

const erase = (body: unknown, key = tenant.admin) => api.ask('POST', '/v1/erasures', { key, body });
const asked = () => api.kernel.requests.at(-1);

test('a completed erasure answers 200, one in progress 202, and both have its path', async () => {
  const done = await erase({ session_id: 'ses-1', reason_code: 'asked' });
  expect([done.status, done.json['state'], done.headers.get('location')]).toEqual([
    200,
    'done',
    `/v1/erasures/${String(done.json['erasure_id'])}`,
  ]);
  expect(asked()).toMatchObject({
    verb: 'erasure.begin',
    request: { operation_id: null, session_id: 'ses-1', subject: null, before: null, reason_code: 'asked' },
  });
  const erasure_id = newId('erasure');
  const begins = api.kernel.handlers.get('erasure.begin')!;
  api.kernel.handlers.set('erasure.begin', () => erasureOf(erasure_id, { state: 'running', finished_at: null }));
  const going = await erase({ before: '2026-01-31T09:30:00Z', reason_code: 'asked' });
  expect([going.status, going.headers.get('location')]).toEqual([202, `/v1/erasures/${erasure_id}`]);
  expect(asked()).toMatchObject({ request: { before: Date.UTC(2026, 0, 31, 9, 30) } });
  api.kernel.handlers.set('erasure.begin', begins);
});

test('a dry run requests only a plan from the kernel', async () => {
  const { status, json } = await erase({ session_id: 'ses-1', reason_code: 'asked', dry_run: true });
  expect([status, json]).toEqual([200, { dry_run: true, operations: 1, unfinished: 0, more: false, sessions: 0 }]);
  expect(asked()).toMatchObject({ verb: 'erasure.plan' });
});

test.each([
  [{ session_id: 'ses-1' }],
  [{ session_id: 'with blanks in it', reason_code: 'asked' }],
  [{ session_id: 'ses-1', reason_code: 'Because he asked' }],
  [{ subject: 'Ann Example', reason_code: 'asked' }],
  [{ before: 'yesterday', reason_code: 'asked' }],
  [{ before: '2026-13-31T09:30:00Z', reason_code: 'asked' }],
  [{ before: '2026-01-31T09:30:00+01:00', reason_code: 'asked' }],
  [{ session_id: 'ses-1', reason_code: 'asked', surprise: 1 }],
])('%j is refused by the API', async (body) => {
  const before = api.kernel.requests.length;
  expect((await erase(body)).json['code']).toBe('request.malformed');
  expect(api.kernel.requests).toHaveLength(before);
});

test('retention is set as a whole, within its bounds', async () => {
  const set = (body: unknown) => api.ask('PUT', '/v1/retention', { key: tenant.admin, body });
  expect(await set({ payload_days: 30, output_days: null })).toMatchObject({
    status: 200,
    json: { payload_days: 30, output_days: null },
  });
  expect((await set({ payload_days: null, output_days: null, payload_mode: 'hashes' })).json).toMatchObject({
    payload_mode: 'hashes',
    requests_mode: 'full',
  });
  for (const wrong of [
    {},
    { payload_days: 30 },
    { payload_days: 0, output_days: null },
    { payload_days: 4000, output_days: null },
    { payload_days: null, output_days: 366 },
    { payload_days: '1', output_days: null },
    { payload_days: null, output_days: null, payload_mode: 'none' },
    { payload_days: null, output_days: null, requests_mode: 'hashes' },
  ]) {
    expect([wrong, (await set(wrong)).json['code']]).toEqual([wrong, 'request.malformed']);
  }
});

describe('texts of sessions', () => {
  const make = async (): Promise<string> =>
    (
      await api.runs.sessions.create(
        tenant.tenantId,
        newSession({ content: { system: null, base: [], data_subject: 'crm/42' } }),
        100,
      )
    ).session_id;
  const read = (id: string) => api.ask('GET', `/v1/sessions/${id}`, { key: tenant.admin });

  test('are deleted after the kernel has recorded it, with the erased or deleted session', async () => {
    for (const gone of [
      (id: string) => erase({ session_id: id, reason_code: 'asked' }),
      (id: string) => api.ask('DELETE', `/v1/sessions/${id}`, { key: tenant.admin }),
    ]) {
      const id = await make();
      const { status, text } = await read(id);
      expect([status, text.includes('crm/42')]).toEqual([200, false]);
      expect((await gone(id)).status).toBe(200);
      expect(api.kernel.reportedRounds.at(-1)).toMatchObject({
        round: 1,
        session_ids: [id],
        run_ids: [],
        fork_ids: [],
      });
      expect([(await read(id)).status, api.kernel.orders]).toEqual([404, []]);
    }
  });

  test("remain while the kernel can't record their erasure, and are deleted later", async () => {
    const id = await make();
    api.kernel.isUnavailable = true;
    expect((await api.ask('DELETE', `/v1/sessions/${id}`, { key: tenant.admin })).status).toBe(200);
    expect((await read(id)).status).toBe(200);
    api.kernel.isUnavailable = false;
    await api.eraseTexts();
    expect((await read(id)).status).toBe(404);
  });
});
