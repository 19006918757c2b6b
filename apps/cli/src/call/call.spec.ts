// SPDX-License-Identifier: Apache-2.0
import { fakeApi, writ, type FakeApi, type FakeResponse } from '../specs/run-cli.ts';
import { HELD, IDS, REFUSED, RESULT } from '../specs/samples.ts';

let api: FakeApi;
let said: FakeResponse;
beforeAll(async () => {
  api = await fakeApi(() => said);
});
afterAll(() => api.close());
beforeEach(() => {
  said = { body: RESULT };
  api.requests.length = 0;
});

const where = ['--token', IDS.token, '--workspace', IDS.workspace];
const call = (...args: string[]) =>
  writ(['call', 'fs.read', ...where, ...args], { env: api.env, stdin: '{"path":"from stdin"}' });
const sent = () => JSON.parse(api.requests[0]!.body) as Record<string, unknown>;

test("a result shows the tool's output first", async () => {
  const { exit, out, err } = await call('--args', '{"path":"a.txt"}');
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  expect(out).toMatch(/^hello\n\nstatus +ok\noutcome +no_op\n/);
  expect(sent()).toMatchObject({ tool_id: 'fs.read', args: { path: 'a.txt' }, provenance: { client: 'cli' } });
});

test('a call names the session that it belongs to', async () => {
  await call('--session', 's1');
  expect(sent()).toMatchObject({ session_id: 's1' });
});

test('a command of a session shows that it runs, or its exit status where that is not 0', async () => {
  const ended = {
    running: false,
    exit_code: 3,
    output: 'no such file\n',
    truncated_bytes: 0,
    shell: 'open',
    wall_ms: 2,
  };
  said = { body: { ...RESULT, tool_id: 'shell.session', result: ended } };
  expect((await call()).out).toMatch(/^no such file\n\nstatus +ok\nexit code +3\n/);
  said = { body: { ...RESULT, tool_id: 'shell.session', result: { ...ended, running: true, exit_code: null } } };
  expect((await call()).out).toMatch(/^no such file\n\nstatus +ok\nrunning +true\n/);
});

test('arguments can come from standard input', async () => {
  await call('--args', '-');
  expect(sent()['args']).toEqual({ path: 'from stdin' });
});

test.each(['{', '{"a":1,"a":2}', '{"a":1e400}', '@/no/such/file'])(
  'arguments that are %s are refused before anything is sent',
  async (args) => {
    const { exit, err } = await call('--args', args);
    expect(exit).toBe(2);
    expect(err).toMatch(/^error usage: `--args`/);
    expect(api.requests).toEqual([]);
  },
);

test('a call can ask that only its hashes stay, and for no other retention', async () => {
  await call('--retention', 'hashes');
  expect(sent()).toMatchObject({ retention: 'hashes' });
  expect((await call('--retention', 'full')).exit).toBe(2);
});

test('a mutating call gets a generated idempotency key unless one is given', async () => {
  await writ(['call', 'shell.run', ...where], { env: api.env });
  expect(sent()['idempotency_key']).toMatch(/^cli-[0-9a-f-]{36}$/);
  api.requests.length = 0;
  await writ(['call', 'shell.run', ...where, '--key', 'mine'], { env: api.env });
  expect(sent()['idempotency_key']).toBe('mine');
});

test('a refusal exits with 4, shows code and hint, and is one JSON value', async () => {
  said = { body: REFUSED };
  const { exit, out, err } = await call('--json');
  expect(exit).toBe(4);
  expect(JSON.parse(out)).toEqual(REFUSED);
  expect(err).toBe(
    'error token.scope: the capability token does not reach the resource; ask for a root that covers `a.txt`; see docs/errors/token.scope.md\n',
  );
});

test('the decision of a policy in observe mode is shown apart, before the other reasons', async () => {
  said = {
    body: {
      ...RESULT,
      reasons: [
        { code: 'policy.observed', message: 'the policy is observed only; it decides no_go' },
        { code: 'no.reads', message: 'nothing is read here' },
      ],
    },
  };
  const { exit, out } = await call();
  expect(exit).toBe(0);
  expect(out).toMatch(
    /\nobserved +the policy is observed only; it decides no_go\nreasons +no\.reads: nothing is read here\n/,
  );
});

test('a held call exits with 3, and shows how to see its approval', async () => {
  said = { status: 202, body: HELD };
  const { exit, out } = await call('--wait', '5');
  expect(exit).toBe(3);
  expect(out).toContain(`writ approval get ${IDS.approval}`);
  expect(api.requests[0]!.headers['prefer']).toBe('wait=5');
});

test.each([
  ['its proposer runs', { awaits: 'caller' }, 'its proposer runs it, under a permit; see docs/how-to/functions.md'],
  ['somebody else runs', {}, `writ operation watch ${IDS.operation}`],
])('a call that %s says what happens next', async (_who, more, next) => {
  said = { status: 202, body: { ...HELD, state: 'admitted', approval_id: null, ...more } };
  const { exit, out } = await call();
  expect(exit).toBe(3);
  expect(out.match(/^next +(.*)$/m)?.[1]).toBe(next);
});

test("control characters in a tool's output are escaped", async () => {
  said = { body: { ...RESULT, result: { output: '\u001b]0;owned\u0007' } } };
  expect((await call()).out).toContain('\\u{1b}]0;owned\\u{7}');
});

test('a call without a token or a workspace names the missing option', async () => {
  expect(await writ(['call', 'fs.read'], { env: api.env })).toMatchObject({
    exit: 2,
    err: 'error usage: `--token` is missing\n',
  });
});
