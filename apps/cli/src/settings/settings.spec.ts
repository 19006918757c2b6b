// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_CALL_SETTINGS } from '@writ/contract';
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';

const SETTINGS = { ...DEFAULT_CALL_SETTINGS, command_ms: null, tool_command_ms: {} };

let api: FakeApi;
beforeAll(async () => {
  api = await fakeApi(({ method, body }) => ({
    body:
      method === 'GET'
        ? { ...SETTINGS, changed_at: null }
        : { ...SETTINGS, ...(JSON.parse(body) as object), changed_at: 1 },
  }));
});
afterAll(() => api.close());
beforeEach(() => {
  api.requests.length = 0;
});
const run = (...args: string[]) => writ(['settings', ...args], { env: api.env });

test('the settings are shown', async () => {
  const { exit, out } = await run();
  expect(exit).toBe(0);
  expect(out).toMatch(
    /calls may reach +\/workspace\ncalls never reach +\*\*\/\.ssh, \*\*\/\.gnupg, etc\/shadow, etc\/passwd\noutput of commands +200000 bytes at most\ntime of commands +as their tools and profiles say\nset +never/,
  );
});

test.each([
  [['--deny', '**/.ssh', 'keys'], { denied_paths: ['**/.ssh', 'keys'] }, /calls never reach +\*\*\/\.ssh, keys/],
  [['--deny-nothing'], { denied_paths: [] }, /calls never reach +nothing is denied/],
  [['--allow', 'src', 'docs'], { allowed_paths: ['src', 'docs'] }, /calls may reach +src, docs/],
  [['--command-ms', '3600000'], { command_ms: 3_600_000 }, /time of commands +3600000 ms at most/],
  [['--command-ms', 'own'], { command_ms: null }, /time of commands +as their tools and profiles say/],
  [
    ['--tool-ms', 'mk8.run=1000', '--tool-ms', 'shell.run=2000'],
    { tool_command_ms: { 'mk8.run': 1_000, 'shell.run': 2_000 } },
    /time of shell\.run +2000 ms at most/,
  ],
  [['--no-tool-ms'], { tool_command_ms: {} }, /set +/],
  [['--output-bytes', '1048576'], { output_bytes: 1_048_576 }, /output of commands +1048576 bytes at most/],
])('%j sends only what it names', async (args, body, shown) => {
  const { exit, out } = await run('set', ...args);
  expect([exit, api.requests.map((each) => [each.method, each.url, JSON.parse(each.body)])]).toEqual([
    0,
    [['PATCH', '/v1/call-settings', body]],
  ]);
  expect(out).toMatch(shown);
});

test.each([
  [[]],
  [['--deny', 'a', '--deny-nothing']],
  [['--output-bytes', '1023']],
  [['--output-bytes', '1048577']],
  [['--output-bytes', '1e5']],
  [['--command-ms', '999']],
  [['--command-ms', '43200001']],
  [['--tool-ms', 'shell.run']],
])('%j is refused before anything is sent', async (args) => {
  expect((await run('set', ...args)).exit).toBe(2);
  expect(api.requests).toEqual([]);
});
