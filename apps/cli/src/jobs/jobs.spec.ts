// SPDX-License-Identifier: Apache-2.0
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';

const JOB = {
  job_id: 'job_1',
  name: 'nightly',
  state: 'active',
  cron: '0 3 * * *',
  time_zone: 'Europe/Berlin',
  due_at: 1_767_225_600_000,
  agent_id: 'agt_1',
  workspace_id: 'wsp_1',
  capability_token_id: 'cap_1',
  run_token_id: 'cap_2',
  tools: ['fs.write'],
  input: 'tidy up\u202e',
  system: null,
  model: 'main',
  dialect: 'native',
  conversation: 'fresh',
  overlap: 'skip',
  missed: 'run_once',
  scheduling_class: 'background',
  rounds_max: 5,
  tokens_max: null,
  cost_max: null,
  created_at: 1,
  created_by: 'key_1',
  changed_at: 1_767_225_600_000,
  changed_by: 'key_1',
};
const START = {
  start_id: 'jst_1',
  job_id: 'job_1',
  due_at: 1_767_225_600_000,
  by_hand: true,
  state: 'skipped',
  reason: 'overlap',
  session_id: null,
  run_id: null,
  created_at: 1,
  started_at: null,
};

let api: FakeApi;
beforeAll(async () => {
  api = await fakeApi(({ url, method }) => {
    if (url.includes('/runs'))
      return method === 'POST' ? { status: 202, body: START } : { body: { items: [START], next_cursor: 'next' } };
    return {
      body: url.startsWith('/v1/jobs?')
        ? { items: [JOB, { ...JOB, state: 'paused', due_at: null }], next_cursor: null }
        : JOB,
    };
  });
});
afterAll(() => api.close());
beforeEach(() => {
  api.requests.length = 0;
});
const run = (...args: string[]) => writ(['job', ...args], { env: api.env });
const bodies = () =>
  api.requests.map(({ method, url, body }) => [method, url, body === '' ? null : (JSON.parse(body) as unknown)]);
const WISH = [
  '--cron',
  '0 3 * * *',
  '--workspace',
  'wsp_1',
  '--token',
  'cap_1',
  '--model',
  'main',
  '--input',
  'tidy up',
];

test('`writ job create` sends exactly the given options', async () => {
  await run(
    'create',
    'nightly',
    ...WISH,
    '--tool',
    'fs.write',
    '--tool',
    'fs.edit',
    '--overlap',
    'queue',
    '--rounds-max',
    '4',
  );
  expect(bodies()).toEqual([
    [
      'POST',
      '/v1/jobs',
      {
        name: 'nightly',
        cron: '0 3 * * *',
        workspace_id: 'wsp_1',
        capability_token_id: 'cap_1',
        model: 'main',
        input: 'tidy up',
        tools: ['fs.write', 'fs.edit'],
        overlap: 'queue',
        rounds_max: 4,
      },
    ],
  ]);
});

test('a job with missing or contradictory options is a usage error', async () => {
  expect((await run('create', 'nightly', ...WISH.slice(2))).err).toContain('`--cron` is needed');
  expect((await run('create', 'nightly', ...WISH, '--input-file', 'x')).exit).toBe(2);
  expect((await run('change', 'job_1', '--tool', 'fs.write', '--only-reads')).exit).toBe(2);
  expect((await run('create', 'nightly', ...WISH, '--overlap', 'maybe')).exit).toBe(2);
  expect((await run('create', 'nightly', ...WISH, '--scheduling-class', 'urgent')).exit).toBe(2);
  expect(api.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('`writ job change` also sends the unchanged settings', async () => {
  await run('change', 'job_1', '--only-reads', '--cron', '@daily');
  expect(bodies().at(-1)).toEqual([
    'PUT',
    '/v1/jobs/job_1',
    {
      name: 'nightly',
      cron: '@daily',
      workspace_id: 'wsp_1',
      capability_token_id: 'cap_1',
      model: 'main',
      input: 'tidy up\u202e',
      time_zone: 'Europe/Berlin',
      tools: [],
      dialect: 'native',
      conversation: 'fresh',
      overlap: 'skip',
      missed: 'run_once',
      scheduling_class: 'background',
      rounds_max: 5,
    },
  ]);
});

test('jobs are listed with their due times, and shown with their tools', async () => {
  expect((await run()).out).toMatch(
    /job_1 +nightly +2026-01-01T00:00:00Z +0 3 \* \* \* \(Europe\/Berlin\) +agt_1 +fs\.write\njob_1 +nightly +paused/,
  );
  const { out } = await run('show', 'job_1');
  expect(out).toMatch(/lists +fs\.write/);
  expect(out).toContain('\\u{202e}');
});

test('a job is started, its runs listed, and it is deleted', async () => {
  await run('run', 'job_1', '--idempotency-key', 'k');
  expect((await run('runs', 'job_1')).out).toMatch(
    /2026-01-01T00:00:00Z +by hand +skipped +overlap[\s\S]*--cursor next/,
  );
  await run('pause', 'job_1');
  await run('resume', 'job_1');
  await run('delete', '../x');
  expect(bodies()).toEqual([
    ['POST', '/v1/jobs/job_1/runs', { idempotency_key: 'k' }],
    ['GET', '/v1/jobs/job_1/runs?limit=50', null],
    ['POST', '/v1/jobs/job_1/pause', {}],
    ['POST', '/v1/jobs/job_1/resume', {}],
    ['DELETE', '/v1/jobs/..%2Fx', null],
  ]);
});
