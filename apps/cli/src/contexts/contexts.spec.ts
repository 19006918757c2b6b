// SPDX-License-Identifier: Apache-2.0
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeApi, writ, type CliResult, type FakeApi } from '../specs/run-cli.ts';
import { IDS, RESULT } from '../specs/samples.ts';

let api: FakeApi;
let other: FakeApi;
let dir: string;
const answer = ({ url }: { url: string }) => ({
  body: url.includes('tool-calls') ? RESULT : { items: [], next_cursor: null },
});
beforeAll(async () => {
  api = await fakeApi(answer);
  other = await fakeApi(answer);
});
afterAll(async () => {
  await api.close();
  await other.close();
});
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-contexts-'));
  api.requests.length = 0;
  other.requests.length = 0;
});
afterEach(() => rmSync(dir, { recursive: true }));

const file = (): string => join(dir, 'config', 'writ', 'config.json');
const stored = (): { current?: string | null; contexts: Record<string, Record<string, unknown>> } =>
  JSON.parse(readFileSync(file(), 'utf8')) as ReturnType<typeof stored>;

interface Run {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}
const run = async (args: readonly string[], { stdin = '', env = {} }: Run = {}): Promise<CliResult> =>
  await writ(args, { cwd: dir, stdin, env: { XDG_CONFIG_HOME: join(dir, 'config'), ...env } });
const create = async (name: string, url = api.url, ...args: string[]): Promise<CliResult> =>
  await run(['context', 'create', name, '--url', url, ...args], { stdin: `key-of-${name}\n` });

test('a context has an address with a key and defaults, and the first one is used', async () => {
  const made = await create('work', api.url, '--workspace', IDS.workspace, '--token', IDS.token, '--agent', IDS.agent);
  expect({ ...made, out: '' }).toEqual({ exit: 0, out: '', err: '' });
  expect(made.out).not.toContain('key-of-work');
  expect((await run(['call', 'fs.read'])).exit).toBe(0);
  expect(api.requests[0]).toMatchObject({ key: 'Bearer key-of-work', url: '/v1/tool-calls' });
  expect(JSON.parse(api.requests[0]!.body)).toMatchObject({
    workspace_id: IDS.workspace,
    capability_token_id: IDS.token,
    agent_id: IDS.agent,
  });
});

test('the file with the keys is for its owner alone, and one that is not is refused', async () => {
  await create('work');
  expect([statSync(file()).mode & 0o777, statSync(join(dir, 'config', 'writ')).mode & 0o777]).toEqual([0o600, 0o700]);
  // What a crash left behind must not lend its mode.
  writeFileSync(`${file()}.next`, '', { mode: 0o644 });
  await create('home');
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  chmodSync(file(), 0o640);
  expect(await run(['operation', 'list'])).toMatchObject({
    exit: 2,
    out: '',
    err: expect.stringMatching(/^error contexts: .* is open to other users: chmod 600 /) as string,
  });
  expect(api.requests).toEqual([]);
});

test('use selects a context, an option or a variable only for one command', async () => {
  await create('work');
  await create('home', other.url);
  const listed = async (args: string[] = [], env: Readonly<Record<string, string>> = {}): Promise<string> => {
    api.requests.length = 0;
    other.requests.length = 0;
    expect(await run(['operation', 'list', ...args], { env })).toMatchObject({ exit: 0, err: '' });
    return [...api.requests, ...other.requests].map(({ key }) => key).join();
  };
  expect(await listed()).toBe('Bearer key-of-work');
  expect(await listed(['--context', 'home'])).toBe('Bearer key-of-home');
  expect(await listed([], { WRIT_CONTEXT: 'home' })).toBe('Bearer key-of-home');
  expect(await run(['context', 'use', 'home'])).toMatchObject({ exit: 0, out: 'home is used from now on\n' });
  expect(await listed()).toBe('Bearer key-of-home');
  expect((await run(['context', 'list'])).out).toMatch(/^\s+context +address\n\s+work .*\n\* +home/);
});

test('an address and a key of the environment take precedence over the current context', async () => {
  await create('work');
  await run(['operation', 'list'], { env: other.env });
  expect([api.requests.length, other.requests[0]?.key]).toEqual([0, 'Bearer writ_test']);
});

describe('a credential', () => {
  it('is never sent to another address than that of its context', async () => {
    await create('work');
    for (const args of [
      ['operation', 'list', '--url', other.url],
      ['operation', 'list', '--context', 'work', '--url', other.url],
      ['context', 'update', 'work', '--url', other.url],
    ])
      expect({ args, exit: (await run(args)).exit }).toEqual({ args, exit: 2 });
    expect((await run(['operation', 'list'], { env: { WRIT_URL: other.url } })).exit).toBe(2);
    expect(other.requests).toEqual([]);
    expect(stored().contexts['work']?.['url']).toBe(api.url);
  });

  it('is in no output', async () => {
    await create('work');
    for (const args of [['list'], ['get'], ['get', 'work'], ['update', 'work', '--agent', 'a'], ['delete', 'work']]) {
      const { out, err } = await run(['context', ...args, '--json']);
      expect(`${out}${err}`).not.toContain('key-of-work');
    }
  });
});

test('the local set-up is the context `local`: it comes last, and `--as` means it', async () => {
  mkdirSync(join(dir, '.writ'));
  const settings = { url: other.url, api_key: 'local-admin', operator_key: 'local-operator' };
  writeFileSync(join(dir, '.writ', 'cli.json'), JSON.stringify(settings));
  await create('work');
  for (const args of [[], ['--context', 'local'], ['--as', 'operator']]) await run(['operation', 'list', ...args]);
  expect(api.requests.map(({ key }) => key)).toEqual(['Bearer key-of-work']);
  expect(other.requests.map(({ key }) => key)).toEqual(['Bearer local-admin', 'Bearer local-operator']);
  expect((await run(['operation', 'list', '--context', 'work', '--as', 'admin'])).err).toContain('has only one');
  await run(['context', 'use', 'local']);
  await run(['operation', 'list']);
  expect(other.requests.at(-1)?.key).toBe('Bearer local-admin');
  expect((await run(['context', 'list', '-o', 'name'])).out).toBe('context/local\ncontext/work\n');
});

test('update changes and clears defaults, and keeps the rest', async () => {
  await create('work', api.url, '--workspace', IDS.workspace, '--token', IDS.token);
  await run(['context', 'update', 'work', '--no-token', '--agent', IDS.agent]);
  expect(stored().contexts['work']).toEqual({
    url: api.url,
    credential: { kind: 'api_key', secret: 'key-of-work' },
    workspace_id: IDS.workspace,
    agent_id: IDS.agent,
  });
});

test('delete forgets a context, and the current one is then none', async () => {
  await create('work');
  await create('home', other.url);
  expect(await run(['context', 'delete', 'work'])).toMatchObject({ exit: 0, out: 'removed work\n' });
  expect(stored()).toMatchObject({ current: null, contexts: { home: { url: other.url } } });
  expect((await run(['operation', 'list'])).err).toMatch(/^error connection: no API is configured/);
});

test.each<[string, string[], RegExp]>([
  ['a misspelt name', ['context', 'use', 'wrok'], /there is no context `wrok`; did you mean `work`\?/],
  ['a name that is taken', ['context', 'create', 'work', '--url', 'http://127.0.0.1:1'], /already/],
  [
    'the name of the local set-up',
    ['context', 'create', 'local', '--url', 'http://127.0.0.1:1'],
    /no name for a context/,
  ],
  ['a name with a slash', ['context', 'create', 'a/b', '--url', 'http://127.0.0.1:1'], /no name for a context/],
  ['no address', ['context', 'create', 'new'], /`--url` is missing/],
  ['an address of another kind', ['context', 'create', 'new', '--url', 'file:///etc'], /no http address/],
  ['no key', ['context', 'create', 'new', '--url', 'http://127.0.0.1:1'], /an API key is needed/],
  ['--context with an address', ['status', '--context', 'work', '--url', 'http://127.0.0.1:1'], /goes with neither/],
])('%s is a usage error, and nothing changes', async (_, args, said) => {
  await create('work');
  const before = readFileSync(file(), 'utf8');
  const { exit, out, err } = await run(args);
  expect({ exit, out, err }).toEqual({ exit: 2, out: '', err: expect.stringMatching(said) as string });
  expect(readFileSync(file(), 'utf8')).toBe(before);
});

test('a file of another form is refused, and members of a newer program stay', async () => {
  await create('work');
  writeFileSync(file(), JSON.stringify({ ...stored(), later: 1 }));
  await run(['context', 'update', 'work', '--agent', IDS.agent]);
  expect(stored()).toMatchObject({ later: 1 });
  writeFileSync(file(), JSON.stringify({ contexts: { work: { url: api.url, credential: { kind: 'passkey' } } } }));
  expect((await run(['operation', 'list'])).err).toMatch(
    /^error contexts: .* can't be read: is it of a newer `writ`\?/,
  );
  expect(api.requests).toEqual([]);
});

test('without a home folder there are no contexts', async () => {
  expect((await writ(['context', 'list'])).out).toMatch(/^no contexts/);
  expect((await writ(['context', 'create', 'a', '--url', api.url], { stdin: 'k' })).err).toContain('set HOME or XDG');
  await writ(['context', 'create', 'a', '--url', api.url], {
    stdin: 'k',
    env: { HOME: dir, XDG_CONFIG_HOME: 'relative' },
  });
  expect(existsSync(join(dir, '.config', 'writ', 'config.json'))).toBe(true);
});
