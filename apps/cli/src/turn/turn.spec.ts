// SPDX-License-Identifier: Apache-2.0
import { fakeApi, writ, type FakeApi, type FakeResponse } from '../specs/run-cli.ts';
import { IDS } from '../specs/samples.ts';

const CALL = { call_id: 'a', standing: 'completed', approval_id: null, tool_id: 'fs.list' };
const TURN = {
  turn_id: 't1',
  session_id: 's',
  dialect: 'blocks',
  state: 'ended',
  text: '',
  stop: null,
  problems: [],
  calls: [CALL],
  messages: [{ role: 'user', content: '[TOOL_RESULT:a] status=Completed\u001b[2J' }],
};
const OUTPUT = '[TOOL_CALL:a] {"action":"fs.list"}';

let api: FakeApi;
let said: FakeResponse;
beforeAll(async () => {
  api = await fakeApi(() => said);
});
afterAll(() => api.close());
beforeEach(() => {
  said = { body: TURN };
  api.requests.length = 0;
});

const turn = (stdin: string, ...args: string[]) =>
  writ(['turn', '--dialect', 'blocks', '--token', IDS.token, '--workspace', IDS.workspace, ...args], {
    env: api.env,
    stdin,
  });
const sent = () => JSON.parse(api.requests[0]!.body) as Record<string, unknown>;

test("`writ turn` sends the model's output unchanged, and prints the messages with control characters escaped", async () => {
  const { exit, out, err } = await turn(OUTPUT, '--session', 's', '--turn', 't1', '--wait', '5');
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  expect(out).toMatch(/^\[TOOL_RESULT:a\] status=Completed/);
  expect(out).not.toContain('\u001b');
  expect(sent()).toEqual({
    dialect: 'blocks',
    output: OUTPUT,
    session_id: 's',
    turn_id: 't1',
    capability_token_id: IDS.token,
    workspace_id: IDS.workspace,
  });
  expect(api.requests[0]).toMatchObject({ method: 'POST', url: '/v1/turns?wait=5000' });
});

test('with --json, a turn prints the whole answer as one value, and generates a turn id by default', async () => {
  expect(JSON.parse((await turn(OUTPUT, '--json')).out)).toEqual(TURN);
  expect(sent()['turn_id']).toMatch(/^cli-[0-9a-f-]{36}$/);
});

test('a turn reports a held call with its approval and the next command; a failed call or a problem exits with 1', async () => {
  said = {
    status: 202,
    body: { ...TURN, state: 'held', calls: [{ ...CALL, standing: 'held', approval_id: 'apr_1' }] },
  };
  expect(await turn(OUTPUT, '--session', 's')).toMatchObject({
    exit: 3,
    err: 'held a: waits for apr_1\nheld: send the same output again with --session s --turn t1\n',
  });
  said = { body: { ...TURN, calls: [{ ...CALL, standing: 'denied' }] } };
  expect((await turn(OUTPUT)).exit).toBe(1);
  said = { body: { ...TURN, problems: [{ level: 'call', message: 'no\u0007' }] } };
  expect(await turn(OUTPUT)).toMatchObject({ exit: 1, err: expect.stringMatching(/^call: no[^\u0007]*\n$/) });
});

test('a turn without standard input or a dialect is a usage error', async () => {
  expect((await turn('')).exit).toBe(2);
  expect((await writ(['turn'], { env: api.env, stdin: OUTPUT })).exit).toBe(2);
  expect(api.requests).toEqual([]);
});
