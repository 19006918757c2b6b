// SPDX-License-Identifier: Apache-2.0
import { createFixture, type Fixture } from '../../specs/tenant-fixture.ts';
import { openTestApi, type TestApi, type TestTenant } from '../../specs/test-api.ts';

let api: TestApi;
let mine: TestTenant;
let has: Fixture;
beforeAll(async () => {
  api = await openTestApi();
  mine = await api.newTenant();
  has = await createFixture(api, mine);
});
afterAll(() => api.close());

const wish = (more = {}) => ({
  name: 'nightly',
  cron: '0 3 * * *',
  workspace_id: has.workspace_id,
  capability_token_id: has.capability_token_id,
  model: 'recorded',
  input: 'look',
  ...more,
});
const create = (more = {}) => api.ask('POST', '/v1/jobs', { key: mine.admin, body: wish(more) });
const revoked: unknown[] = [];
beforeEach(() => {
  revoked.length = 0;
  api.kernel.handlers.set('token.revoke', (caller, { capability_token_id }) => {
    revoked.push(capability_token_id);
    return api.kernel.find(caller, capability_token_id);
  });
});

it('a job can be created from a few fields; the others have cautious defaults', async () => {
  const { status, json } = await create({ tools: ['fs.write'] });
  expect([status, json]).toMatchObject([
    201,
    {
      time_zone: 'UTC',
      conversation: 'fresh',
      overlap: 'skip',
      missed: 'skip',
      scheduling_class: 'background',
      tools: ['fs.write'],
      agent_id: mine.agentId,
      state: 'active',
    },
  ]);
  const { run_token_id, capability_token_id, due_at } = json as {
    run_token_id: string;
    capability_token_id: string;
    due_at: number;
  };
  expect([run_token_id === capability_token_id, new Date(due_at).toISOString().slice(11)]).toEqual([
    false,
    '03:00:00.000Z',
  ]);
});

it.each([
  [{ cron: '* * * * * *' }, '/cron'],
  [{ time_zone: 'Mars/Olympus' }, '/time_zone'],
  [{ model: 'unheard.of' }, '/model'],
  [{ conversation: 'kept', overlap: 'allow' }, '/overlap'],
  [{ scheduling_class: 'urgent' }, '/scheduling_class'],
])('what makes no sense is refused before the kernel makes a token: %j', async (more, pointer) => {
  let asked = 0;
  const before = api.kernel.handlers.get('token.list_for_job')!;
  api.kernel.handlers.set('token.list_for_job', (...given) => {
    asked += 1;
    return before(...given);
  });
  const { json } = await create(more);
  api.kernel.handlers.set('token.list_for_job', before);
  expect([json, asked]).toMatchObject([{ code: 'request.malformed', pointer }, 0]);
});

it('a job has the scheduling class that its definition names', async () => {
  const { json } = await create({ scheduling_class: 'interactive' });
  expect(json).toMatchObject({ scheduling_class: 'interactive' });
});

it('a changed job gets a new token and the previous one is revoked, as is the token of a deleted job', async () => {
  const { json } = await create();
  const { job_id, run_token_id } = json as { job_id: string; run_token_id: string };
  const changed = (await api.ask('PUT', `/v1/jobs/${job_id}`, { key: mine.admin, body: wish({ tools: ['fs.edit'] }) }))
    .json as { run_token_id: string };
  expect([changed.run_token_id === run_token_id, revoked]).toEqual([false, [run_token_id]]);
  expect((await api.ask('DELETE', `/v1/jobs/${job_id}`, { key: mine.admin })).status).toBe(200);
  expect(revoked).toEqual([run_token_id, changed.run_token_id]);
  expect((await api.ask('GET', `/v1/jobs/${job_id}`, { key: mine.admin })).status).toBe(404);
});

it('the new token of a change is revoked where the job was deleted meanwhile', async () => {
  const { job_id, run_token_id } = (await create()).json as { job_id: string; run_token_id: string };
  const issue = api.kernel.handlers.get('token.list_for_job');
  let made: unknown;
  api.kernel.handlers.set('token.list_for_job', async (caller, request) => {
    await api.jobs.remove(mine.tenantId, job_id, 'key_x');
    const token = (await issue?.(caller, request)) as { capability_token_id: string };
    made = token.capability_token_id;
    return token;
  });
  const { status } = await api.ask('PUT', `/v1/jobs/${job_id}`, { key: mine.admin, body: wish() });
  api.kernel.handlers.set('token.list_for_job', issue as never);
  expect([status, revoked]).toEqual([404, [made]]);
  expect(made).not.toBe(run_token_id);
});

it('a paused job is not due, and a resumed job is due again', async () => {
  const { job_id } = (await create()).json as { job_id: string };
  expect((await api.ask('POST', `/v1/jobs/${job_id}/pause`, { key: mine.operator, body: {} })).json).toMatchObject({
    state: 'paused',
    due_at: null,
  });
  expect((await api.ask('POST', `/v1/jobs/${job_id}/resume`, { key: mine.admin, body: {} })).json).toMatchObject({
    state: 'active',
    due_at: expect.any(Number) as number,
  });
});

it('a job is started once for a key, in the header or in the body, which must not differ', async () => {
  const { job_id } = (await create()).json as { job_id: string };
  const start = (body: object, header?: string) =>
    api.ask('POST', `/v1/jobs/${job_id}/runs`, {
      key: mine.admin,
      body,
      ...(header === undefined ? {} : { headers: { 'idempotency-key': header } }),
    });
  const first = await start({}, 'k');
  expect(first.status).toBe(202);
  for (const again of [
    await start({}, 'k'),
    await start({ idempotency_key: 'k' }),
    await start({ idempotency_key: 'k' }, 'k'),
  ])
    expect(again.json['start_id']).toBe(first.json['start_id']);
  expect((await start({}, 'l')).json['start_id']).not.toBe(first.json['start_id']);
  for (const [body, header] of [
    [{ idempotency_key: 'k' }, 'l'],
    [{}, 'not a key'],
  ] as const)
    expect((await start(body, header)).json).toMatchObject({ code: 'request.malformed' });
});

it("an agent's key sees only its agent's jobs", async () => {
  const { job_id } = (await create()).json as { job_id: string };
  const other = await api.newKey(mine.tenantId, 'agent', 'agt_00000000000000000000000000');
  expect([
    (await api.ask('GET', `/v1/jobs/${job_id}`, { key: mine.agent })).status,
    (await api.ask('GET', `/v1/jobs/${job_id}`, { key: other })).status,
  ]).toEqual([200, 404]);
  expect((await api.ask('GET', `/v1/jobs/${job_id}/runs`, { key: other })).status).toBe(404);
  expect((await api.ask('GET', '/v1/jobs', { key: other })).json).toEqual({ items: [], next_cursor: null });
});
