// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CALL, fakeRuns, RUN_ID, type FakeRuns } from '../specs/fake-runs.ts';
import { fakeApi, problem, writ, type FakeApi, type FakeResponse } from '../specs/run-cli.ts';
import { IDS } from '../specs/samples.ts';

const AT = 1_767_225_600_000;
const RUN = {
  run_id: 'run_1',
  session_id: 'ses_1',
  model: 'main',
  state: 'waiting',
  stopped: null,
  waits_for: ['op_1'],
  cancel_asked: false,
  error: null,
  events: 3,
  rounds: 2,
  input_tokens: 10,
  cached_tokens: 0,
  output_tokens: 5,
  cost: 7,
  created_at: AT,
  created_by: 'key_1',
  started_at: AT,
  ended_at: null,
};
const ENDED = {
  ...RUN,
  state: 'ended',
  stopped: 'model_failed',
  waits_for: [],
  error: { fault: 'model.away', message: 'no\u202e answer' },
  ended_at: AT,
};
const SESSION = {
  session_id: 'ses_2',
  name: null,
  agent_id: 'agt_1',
  workspace_id: 'wsp_1',
  capability_token_id: 'cap_1',
  dialect: 'native',
  model: 'main',
  forked_from: { run_id: 'run_1', after: 2 },
  spawned_by: null,
  job_id: null,
  created_at: AT,
  created_by: 'key_1',
};
const answer = (mode: string, ...rules: string[]) => ({
  verdict: 'x',
  mode,
  decided: mode,
  rule_ids: rules,
  reasons: [],
});
const CALLS = [
  {
    run_id: 'run_1',
    round: 1,
    index: 0,
    tool_id: 'fs.read',
    operation_id: 'op_1',
    was: answer('autopilot', 'all'),
    would_be: answer('autopilot', 'all'),
    why_not: null,
  },
  {
    run_id: 'run_1',
    round: 1,
    index: 1,
    tool_id: 'fs.write',
    operation_id: 'op_2',
    was: null,
    would_be: null,
    why_not: 'the arguments of the call were erased',
  },
  {
    run_id: 'run_2',
    round: 1,
    index: 0,
    tool_id: 'fs.write',
    operation_id: 'op_3',
    was: answer('autopilot', 'all'),
    would_be: answer('no_go', 'no.x'),
    why_not: null,
  },
];
const page = (items: readonly object[], next_cursor: string | null, parts_at: object | null, refused: number) => ({
  run_id: 'run_1',
  candidate: { policy_hash: '0'.repeat(64), name: 'team', enforcement: 'enforce' },
  next_cursor,
  parts_at,
  counts: { examined: items.length, skipped: 0, changed: refused, would_be: { admitted: 1, held: 0, refused } },
  items,
});

const REPLIED = { text: 'I look.', calls: [], stop: 'end' };
const EVENTS = [
  { seq: 1, at: AT, kind: 'replied', turn: REPLIED },
  { seq: 2, at: AT, kind: 'ended', stopped: 'end' },
];

let api: FakeApi;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'writ-runs-'));
  writeFileSync(join(folder, 'team.json'), JSON.stringify({ v: 1, name: 'team', cedar_file: 'rules.cedar' }));
  writeFileSync(join(folder, 'rules.cedar'), 'permit (principal, action, resource);');
  api = await fakeApi(({ url, method, body }): FakeResponse => {
    if (url.endsWith('/transcript'))
      return {
        body: {
          v: 1,
          session: SESSION,
          runs: [
            { run: { ...RUN, run_id: 'run_0' }, input: 'other', events: [] },
            { run: RUN, input: 'look', events: EVENTS },
          ],
        },
      };
    if (url.startsWith('/v1/sessions/')) return { body: { items: [RUN, ENDED], next_cursor: 'next' } };
    if (url.startsWith('/v1/runs/none')) return problem(404, 'not_found', 'there is no such thing');
    if (url.endsWith('/replay'))
      return {
        body:
          (JSON.parse(body) as { cursor?: string }).cursor === undefined
            ? page(CALLS.slice(0, 2), 'c', null, 0)
            : page(CALLS.slice(2), null, { run_id: 'run_2', round: 1, index: 0 }, 1),
      };
    if (url.endsWith('/fork')) return { status: 201, body: SESSION };
    return { body: method === 'POST' || url.includes('ended') ? ENDED : RUN };
  });
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  api.requests.length = 0;
});
const run = (...args: string[]) => writ(['run', ...args], { env: api.env, cwd: folder });
const bodies = () =>
  api.requests.map(({ method, url, body }) => [method, url, body === '' ? null : (JSON.parse(body) as unknown)]);

test('the runs of a session are listed with their states, and one is shown with its wait or its error', async () => {
  expect((await run('list', 'ses_1')).out).toMatch(
    /run_1 +waiting +2026-01-01T00:00:00Z +2 +15 +main\nrun_1 +ended: model_failed[\s\S]*more: writ run list ses_1 --cursor next/,
  );
  expect((await run('show', 'run_1')).out).toMatch(/waits for +op_1[\s\S]*cost +7 millionths/);
  expect((await run('show', 'ended')).out).toContain('model.away: no\\u{202e} answer');
  expect(JSON.parse((await run('show', 'run_1', '--json')).out)).toEqual(RUN);
  expect(api.requests[0]?.url).toBe('/v1/sessions/ses_1/runs?limit=50');
});

test('a run is cancelled and forked, and unknown runs and wrong usage are errors', async () => {
  expect((await run('cancel', 'run_1')).out).toBe('run_1 has ended: model_failed\n');
  expect((await run('fork', 'run_1', '--after', '2', '--name', 'other')).out).toMatch(
    /ses_2[\s\S]*run_1, after event 2/,
  );
  expect(bodies()).toEqual([
    ['POST', '/v1/runs/run_1/cancel', {}],
    ['POST', '/v1/runs/run_1/fork', { after: 2, name: 'other' }],
  ]);
  expect(await run('show', 'none')).toMatchObject({
    exit: 5,
    err: 'error not_found: there is no such thing (GET /v1/runs/none); see docs/errors/not_found.md\n',
  });
  for (const args of [['fork', 'run_1'], ['list'], ['fork', 'run_1', '--after', 'x']])
    expect((await run(...args)).exit).toBe(2);
});

test("a replay joins its pages, and shows each call's new decision and where the runs diverge", async () => {
  const { out } = await run('replay', 'run_1', '--policy', 'team@2');
  expect(out).toMatch(/looked at +3\n/);
  expect(out).toMatch(/would be +2 admitted, 0 held, 1 refused\nparts at +run_2 1\/0\n/);
  expect(out).toMatch(
    /\n1\/0 +fs\.read +autopilot +op_1\n1\/1 +fs\.write +the arguments of the call were erased +op_2\nrun_2 1\/0 +fs\.write +autopilot → no_go +no\.x +op_3\n/,
  );
  expect(bodies()).toEqual([
    ['POST', '/v1/runs/run_1/replay', { policy: 'team@2' }],
    ['POST', '/v1/runs/run_1/replay', { policy: 'team@2', cursor: 'c' }],
  ]);
  expect(JSON.parse((await run('replay', 'run_1', '--json')).out)).toMatchObject({
    parts_at: { run_id: 'run_2' },
    items: CALLS,
  });
});

test('a replay reads a set and its rules from a file, and a missing file is an error', async () => {
  await run('replay', 'run_1', '--policy', 'team.json');
  expect(bodies()[0]?.[2]).toEqual({
    document: { v: 1, name: 'team', cedar: 'permit (principal, action, resource);' },
  });
  api.requests.length = 0;
  expect(await run('replay', 'run_1', '--policy', './none')).toMatchObject({
    exit: 2,
    err: expect.stringContaining("can't be read (ENOENT)") as string,
  });
  expect(api.requests).toEqual([]);
});

test('`writ run record` prints a transcript that can be played', async () => {
  expect(JSON.parse((await run('record', 'run_1')).out)).toEqual({
    v: 1,
    model: 'main',
    prompt: 'look',
    turns: [REPLIED],
  });
});

describe('`writ run events`', () => {
  let runs: FakeRuns;
  afterEach(() => runs.close());
  const events = (...args: string[]) => writ(['run', 'events', RUN_ID, ...args], { env: runs.env });

  it('prints each event once up to the end of the run, over broken connections', async () => {
    runs = await fakeRuns({
      stopped: null,
      streams: [
        (one) => {
          one
            .replied('I write\u202e it.', [CALL])
            .live('text', { round: 2, text: 'piece' })
            .durable('answered', {
              round: 1,
              index: 0,
              answer: { text: '', standing: 'completed', is_error: false, operation_id: IDS.operation },
            });
          setImmediate(() => one.break());
        },
        (one) => {
          expect(one.resumedAfter).toBe('2');
          one
            .durable(
              'answered',
              { round: 1, index: 0, answer: { text: '', standing: 'completed', is_error: false } },
              2,
            )
            .replied('Done.')
            .end();
        },
      ],
    });
    const { out } = await events();
    expect(out.split('\n').map((line) => line.trim())).toEqual([
      '1 1970-01-01T00:00:00Z replied I write\\u{202e} it. [fs.write]',
      `2 1970-01-01T00:00:00Z answered 1/0 completed ${IDS.operation}`,
      '3 1970-01-01T00:00:00Z replied Done.',
      '4 1970-01-01T00:00:00Z ended end',
      '',
    ]);
  });

  it('starts after the event that --after names, and prints lines of JSON with --json', async () => {
    let resumed: string | undefined;
    runs = await fakeRuns({
      stopped: null,
      streams: [
        (one) => {
          resumed = one.resumedAfter;
          one.durable('resumed', {}, 8).end();
        },
      ],
    });
    const { out } = await events('--after', '7', '--json');
    expect([
      resumed,
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ]).toEqual([
      '7',
      [
        { seq: 8, at: 0, kind: 'resumed' },
        { seq: 9, at: 0, kind: 'ended', stopped: 'end' },
      ],
    ]);
  });

  it('prints nothing after the last event of an ended run', async () => {
    runs = await fakeRuns({ streams: [] });
    expect(await events('--after', '0')).toEqual({ exit: 0, out: '', err: '' });
    expect(runs.requests.map(({ route: what }) => what)).toEqual([`GET /v1/runs/${RUN_ID}`]);
  });
});
