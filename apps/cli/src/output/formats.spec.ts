// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_CALL_SETTINGS } from '@writ/contract';
import { parse } from 'yaml';
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';
import { APPROVAL, HELD, IDS, OPERATION, RESULT, TOKEN, WORKSPACE } from '../specs/samples.ts';

const LISTS: Readonly<Record<string, unknown>> = {
  '/v1/operations': [OPERATION, HELD],
  '/v1/approvals': [APPROVAL],
  '/v1/capability-tokens': [TOKEN],
  '/v1/workspaces': [WORKSPACE],
  '/v1/secrets': [{ name: 'KEY', version: 1, note: null, created_at: 1, created_by: IDS.key }],
  '/v1/tools': [
    { tool_id: 'fs.read', category: 'read', description: 'reads', version: 1, class: 'inline', mutating: false },
  ],
};
let api: FakeApi;
beforeAll(async () => {
  api = await fakeApi(({ url }) => {
    const path = url.split('?')[0] ?? '';
    if (path === '/v1/tool-calls') return { body: RESULT };
    if (path === '/v1/call-settings')
      return { body: { ...DEFAULT_CALL_SETTINGS, command_ms: null, tool_command_ms: {}, changed_at: null } };
    return { body: LISTS[path] === undefined ? OPERATION : { items: LISTS[path], next_cursor: null } };
  });
});
afterAll(() => api.close());
const run = async (...args: string[]) => await writ(args, { env: api.env });

test('json and yaml print the same value, and --json is -o json', async () => {
  const json = await run('operation', 'list', '-o', 'json');
  expect(await run('operation', 'list', '--json')).toEqual(json);
  const yaml = await run('-o', 'yaml', 'operation', 'list');
  expect(yaml.exit).toBe(0);
  expect(parse(yaml.out)).toEqual(JSON.parse(json.out));
});

test.each([
  [['operation', 'list'], `operation/${IDS.operation}\noperation/${IDS.operation}\n`],
  [['operation', 'get', IDS.operation], `operation/${IDS.operation}\n`],
  [['approval', 'list'], `approval/${IDS.approval}\n`],
  [['token', 'list'], `token/${IDS.token}\n`],
  [['workspace', 'list'], `workspace/${IDS.workspace}\n`],
  [['tool', 'list'], 'tool/fs.read\n'],
  [['secret', 'list'], 'secret/KEY\n'],
  [['call', 'fs.read', '--workspace', IDS.workspace, '--token', IDS.token], `operation/${IDS.operation}\n`],
])('-o name prints noun/id, one a line: %j', async (args, out) => {
  expect(await run(...args, '-o', 'name')).toEqual({ exit: 0, out, err: '' });
});

test('-o name of an answer without a name prints nothing, and says so', async () => {
  expect(await run('settings', 'get', '-o', 'name')).toEqual({
    exit: 0,
    out: '',
    err: 'note: this answer has no name; `-o json` prints all of it\n',
  });
});

test('--quiet prints no text for people, and what -o requests', async () => {
  expect(await run('operation', 'list', '-q')).toEqual({ exit: 0, out: '', err: '' });
  expect((await run('operation', 'list', '-q', '-o', 'name')).out).toContain('operation/');
  expect((await run('operation', 'list', '--quiet', '--json')).out).toContain('"items"');
});

test.each([
  [['-o', 'xml'], /Allowed choices are json, yaml, table, name/],
  [['-o', 'yaml', '--json'], /cannot be used with/],
])('%j is a usage error', async (options, said) => {
  const { exit, out, err } = await run('operation', 'list', ...options);
  expect({ exit, out }).toEqual({ exit: 2, out: '' });
  expect(err).toMatch(said);
});
