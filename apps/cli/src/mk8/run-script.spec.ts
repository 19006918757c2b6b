// SPDX-License-Identifier: Apache-2.0
import { fakeApi, writ, type FakeApi, type FakeResponse } from '../specs/run-cli.ts';
import { HELD, IDS, REFUSED, RESULT } from '../specs/samples.ts';

let api: FakeApi;
let answers: FakeResponse[];
beforeAll(async () => {
  api = await fakeApi(() => (answers.length > 1 ? answers.shift()! : answers[0]!));
});
afterAll(() => api.close());
beforeEach(() => {
  api.requests.length = 0;
});

const SCRIPT = '{"operations":[{"verb":"Echo","args":["hello"]}]}';
const step = (more: object) => ({
  verb: 'Echo',
  pointer: '/operations/0',
  status: 'ok',
  attempts: 1,
  duration_ms: 2,
  output: 'hello',
  error: null,
  ...more,
});
const report = {
  status: 'completed',
  all_succeeded: true,
  steps: [step({}), step({ status: 'failed', output: '', error: 'no\nand why' })],
  cleanup: [step({ output: 'cleaned' })],
  clipboard: 'copied',
  duration_ms: 5,
  omitted_steps: 3,
};
const run = (...args: string[]) =>
  writ(['mk8', 'run', '-', '--token', IDS.token, '--workspace', IDS.workspace, ...args], {
    env: api.env,
    stdin: SCRIPT,
  });
const sent = () => api.requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>);

test('a script is sent unchanged, and each step is shown with its output', async () => {
  answers = [{ body: { ...RESULT, result: report } }];
  const { exit, out, err } = await run('--sandbox', 'builds');
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  expect(sent()).toMatchObject([
    {
      tool_id: 'mk8.run',
      args: { script: SCRIPT, sandbox: 'builds' },
      idempotency_key: expect.stringMatching(/^cli-/) as unknown,
    },
  ]);
  expect(out).toMatch(
    /1 +Echo +ok +1 +2 +hello\n *2 +Echo +failed +1 +2 +no…[\s\S]*cleaned[\s\S]*clipboard:\ncopied[\s\S]*3 more steps are not shown[\s\S]*status +ok/,
  );
});

test('a long script is requested again with the same key until it ends', async () => {
  answers = [{ body: { ...HELD, state: 'performing', approval_id: null } }, { body: { ...RESULT, result: report } }];
  expect((await run()).exit).toBe(0);
  const keys = sent().map((body) => body['idempotency_key']);
  expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
});

test('a held script exits with 3, and a refused one with 4', async () => {
  answers = [{ body: HELD }];
  expect(await run()).toMatchObject({ exit: 3, out: expect.stringContaining('held') as unknown });
  answers = [{ body: REFUSED }];
  expect(await run('--dry-run')).toMatchObject({ exit: 4, err: expect.stringMatching(/^error /) as unknown });
  expect(sent().at(-1)).toMatchObject({ dry_run: true });
});

test("a dry run shows the script's possible effects", async () => {
  const foreseen = {
    status: 'dry_run',
    sandbox: { name: 'builds', digest: 'd'.repeat(64) },
    steps: 3,
    cleanup: 0,
    category: 'write',
    reads: [''],
    writes: ['made/\u001b[2Jb.txt'],
    deletes: [],
    hosts: ['a.example'],
    requests: [{ method: 'GET', url: 'http://a.example/' }],
    templates: ['git.status'],
    open: ['/operations/2/args/0'],
    omitted: 7,
  };
  answers = [{ body: { ...RESULT, tx_outcome: 'no_op', result: foreseen } }];
  const { exit, out } = await run('--dry-run', '--sandbox', 'builds');
  expect(exit).toBe(0);
  expect(out).toMatch(
    /category +write\n *reads +\$WORKSPACE\n[\s\S]*hosts +a\.example\n[\s\S]*commands +git\.status\n[\s\S]*known when it runs +\/operations\/2\/args\/0\n[\s\S]*sandbox +builds \(d{64}\)[\s\S]*steps +3[\s\S]*not shown +7[\s\S]*status +ok/,
  );
  expect(out).not.toContain('\u001b');
});

test('a script without a workspace is a usage error', async () => {
  expect((await writ(['mk8', 'run', '-', '--token', IDS.token], { env: api.env, stdin: SCRIPT })).exit).toBe(2);
  expect(api.requests).toEqual([]);
});
