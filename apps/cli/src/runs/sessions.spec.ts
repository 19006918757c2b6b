// SPDX-License-Identifier: Apache-2.0
import { fakeApi, problem, writ, type FakeApi, type FakeResponse } from '../specs/run-cli.ts';

const AT = 1_767_225_600_000;
const SESSION = {
  session_id: 'ses_1',
  name: 'tidy\u202e',
  agent_id: 'agt_1',
  workspace_id: 'wsp_1',
  capability_token_id: 'cap_1',
  dialect: 'yips',
  model: 'main',
  forked_from: null,
  spawned_by: { run_id: 'run_9', operation_id: 'op_9' },
  job_id: null,
  created_at: AT,
  created_by: 'key_1',
};
const RUN = {
  run_id: 'run_1',
  session_id: 'ses_1',
  model: 'main',
  state: 'ended',
  stopped: 'end',
  waits_for: [],
  cancel_asked: false,
  error: null,
  events: 3,
  rounds: 1,
  input_tokens: 1,
  cached_tokens: 0,
  output_tokens: 1,
  cost: null,
  created_at: AT,
  created_by: 'key_1',
  started_at: AT,
  ended_at: AT,
};
const EVENTS = [
  {
    seq: 1,
    at: AT,
    kind: 'replied',
    turn: { text: 'I look.', calls: [{ id: 'c', tool_id: 'fs.read', args: {} }], stop: 'tool_use' },
  },
  {
    seq: 2,
    at: AT,
    kind: 'answered',
    round: 1,
    index: 0,
    answer: { text: 'x', standing: 'completed', is_error: false, operation_id: 'op_1' },
  },
  { seq: 3, at: AT, kind: 'of a later version', what: 1 },
  { seq: 4, at: AT, kind: 'ended', stopped: 'end' },
];
const TRANSCRIPT = { v: 1, session: SESSION, runs: [{ run: RUN, input: 'look\u202e\nand tell', events: EVENTS }] };

const LINES = `${JSON.stringify({ line: 'session', v: 1, session: SESSION })}\n${JSON.stringify({ line: 'run', run: RUN, input: 'x'.repeat(100_000) })}\n{"line":"end","runs":1,"events":0}\n`;

let api: FakeApi;
beforeAll(async () => {
  api = await fakeApi(({ url, method }): FakeResponse => {
    if (method === 'DELETE' && url.endsWith('busy')) return problem(409, 'conflict', 'a run of it is at work');
    if (url.endsWith('/transcript.ndjson')) return { body: url.includes('broken') ? LINES.slice(0, -5) : LINES };
    if (url.endsWith('/transcript')) return { body: TRANSCRIPT };
    return { body: url.startsWith('/v1/sessions?') ? { items: [SESSION], next_cursor: null } : SESSION };
  });
});
afterAll(() => api.close());
beforeEach(() => {
  api.requests.length = 0;
});
const run = (...args: string[]) => writ(['session', ...args], { env: api.env });

test('sessions are listed, with --run those of sub-agents, and shown with their origin', async () => {
  expect((await run()).out).toMatch(/ses_1 +tidy\\u\{202e\} +2026-01-01T00:00:00Z +agt_1 +wsp_1 +main\n/);
  await run('list', '--workspace', 'wsp_1', '--run', 'run_9', '--limit', '2');
  expect(api.requests.map(({ url }) => url)).toEqual([
    '/v1/sessions?limit=50',
    '/v1/sessions?limit=2&workspace_id=wsp_1&run_id=run_9',
  ]);
  expect((await run('show', 'ses_1')).out).toMatch(
    /sub-agent of +run_9, call op_9[\s\S]*its runs: writ run list ses_1/,
  );
});

test('a transcript prints inputs and events line by line, with the ids of operations', async () => {
  const { out } = await run('transcript', 'ses_1');
  expect(out.split('\n').map((line) => line.trim())).toEqual([
    'run_1 ended: end',
    '> look\\u{202e}',
    '> and tell',
    '1 2026-01-01T00:00:00Z replied I look. [fs.read]',
    '2 2026-01-01T00:00:00Z answered 1/0 completed op_1',
    '4 2026-01-01T00:00:00Z ended end',
    '',
  ]);
  expect(JSON.parse((await run('transcript', 'ses_1', '--json')).out)).toEqual(TRANSCRIPT);
});

test('a transcript with --ndjson is printed unchanged, and an incomplete one is an error', async () => {
  expect(await run('transcript', 'ses_1', '--ndjson')).toEqual({ exit: 0, out: LINES, err: '' });
  expect(await run('transcript', 'broken', '--ndjson')).toEqual({
    exit: 1,
    out: LINES.slice(0, -5),
    err: 'error answer: the transcript broke off before its last line: ask again\n',
  });
});

test('a session is deleted by `delete` and `rm`, and not while a run is under way', async () => {
  expect([(await run('delete', 'ses_1')).out, (await run('rm', '../x')).out]).toEqual([
    'ses_1 deleted\n',
    'ses_1 deleted\n',
  ]);
  expect(api.requests.map(({ method, url }) => [method, url])).toEqual([
    ['DELETE', '/v1/sessions/ses_1'],
    ['DELETE', '/v1/sessions/..%2Fx'],
  ]);
  expect(await run('rm', 'busy')).toMatchObject({
    exit: 1,
    err: expect.stringContaining('error conflict: a run of it is at work') as string,
  });
});
