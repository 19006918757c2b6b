// SPDX-License-Identifier: Apache-2.0
import type { McpServerToolView, McpServerView, ResourceView } from '@writ/contract';
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';

const [OLD, NEW] = ['a'.repeat(64), 'b'.repeat(64)];
const LOOK = { name: 'look', description: 'Looks at a place', inputSchema: { type: 'object' } };
const TOOL: McpServerToolView = {
  server: 'github',
  remote_name: 'look',
  tool_id: 'mcp.github.look',
  state: 'changed',
  seen: { digest: NEW, definition: { ...LOOK, description: 'Looks at a place\u001b[2J\u202E' } },
  accepted: { digest: OLD, definition: LOOK },
  problems: [{ pointer: '/description', message: 'has the character U+202E', help: '' }],
  suggested: 'write',
  category: 'admin',
  category_then: 'admin',
  seen_at: 1,
  decided_by: 'key',
  decided_at: 1,
};

let api: FakeApi;
beforeAll(async () => {
  api = await fakeApi(({ url, method }) =>
    method === 'GET'
      ? { body: { items: url.includes('state=new') ? [] : [TOOL], next_cursor: null } }
      : { body: { tools: [{ remote_name: 'look', tool_id: 'mcp.github.look', state: 'accepted' }] } },
  );
});
afterAll(async () => await api.close());
beforeEach(() => {
  api.requests.length = 0;
});
const run = (...args: string[]) => writ(['mcp-server', ...args], { env: api.env });

test('a difference is shown line by line, as the words of the server, and controls no terminal', async () => {
  const { exit, out } = await run('diff', 'github');
  expect(exit).toBe(0);
  expect(out).toContain(`look@${NEW}`);
  expect(out).toContain(`accepted: look@${OLD}`);
  expect(out).toContain('category now → then: admin → admin');
  expect(out).toContain('-  "description": "Looks at a place",');
  expect(out).toContain("the server's words now");
  expect(out).toContain('can not be accepted: /description has the character U+202E');
  expect(out).not.toMatch(/[\u001b\u202e]/u);
});

test('a decision names the definition that was looked at, by its whole digest', async () => {
  expect((await run('accept', 'github', `look@${NEW}`, '--as', 'read')).out).toBe('mcp.github.look  accepted\n');
  const decided = api.requests.at(-1);
  expect(decided).toMatchObject({ method: 'POST', url: '/v1/mcp-servers/github/tools/accept' });
  expect(JSON.parse(decided?.body ?? '')).toEqual({ tools: [{ name: 'look', digest: NEW, category: 'read' }] });
});

test.each([
  ['no digest', 'look', 2, 'error usage: `look` names no definition'],
  ['a part of the digest', `look@${'b'.repeat(63)}`, 2, 'names no definition: write TOOL@DIGEST with all 64 digits'],
  [
    'the digest of another definition',
    `look@${'c'.repeat(64)}`,
    1,
    'error conflict: the server describes it otherwise by now',
  ],
  ['a tool that is not there', `see@${NEW}`, 1, 'error not_found: the server `github` lists no tool `see`'],
])('a decision with %s is refused, and nothing is sent', async (_what, text, status, words) => {
  for (const verb of ['accept', 'refuse']) {
    const { exit, err } = await run(verb, 'github', text);
    expect([exit, err]).toEqual([status, expect.stringContaining(words)]);
  }
  expect(api.requests.filter(({ method }) => method === 'POST')).toEqual([]);
});

test('the definition that was accepted can be refused while the server lists another one, and not accepted', async () => {
  expect((await run('accept', 'github', `look@${OLD}`)).err).toContain('error conflict');
  expect((await run('refuse', 'github', `look@${OLD}`)).exit).toBe(0);
  const decided = api.requests.at(-1);
  expect(decided?.url).toBe('/v1/mcp-servers/github/tools/refuse');
  expect(JSON.parse(decided?.body ?? '')).toEqual({ tools: [{ name: 'look', digest: OLD }] });
});

test('a server is registered with what it may ask of clients, in words that are known', async () => {
  const at = ['--at', 'https://mcp.example.com/mcp'];
  await run('add', 'github', ...at, '--asks', 'elicitation', 'roots');
  expect(JSON.parse(api.requests[0]?.body ?? '')).toMatchObject({
    settings: { transport: 'http', url: at[1], asks: ['elicitation', 'roots'] },
  });
  expect((await run('add', 'github', '--asks', 'everything', ...at)).exit).toBe(2);
  expect(api.requests).toHaveLength(1);
});

test('a server is registered as a resource, with the secret by its name', async () => {
  await run('add', 'github', '--at', 'https://mcp.example.com/mcp', '--secret', 'KEY', '--calls-max', '2');
  expect(JSON.parse(api.requests[0]?.body ?? '')).toEqual({
    kind: 'mcp_server',
    name: 'github',
    settings: { transport: 'http', url: 'https://mcp.example.com/mcp', credential: { secret: 'KEY' }, calls_max: 2 },
  });
});

test('a server under the rights of people is registered with its client, and with no secret of its own', async () => {
  await run(
    ...['add', 'github', '--at', 'https://mcp.example.com/mcp', '--oauth-client', 'writ', '--oauth-secret', 'CLIENT'],
    ...['--scope', 'issues:read', 'repo', '--authorization-server', 'https://login.example.com'],
  );
  expect(JSON.parse(api.requests[0]?.body ?? '')).toEqual({
    kind: 'mcp_server',
    name: 'github',
    settings: {
      transport: 'http',
      url: 'https://mcp.example.com/mcp',
      credential: {
        oauth: {
          client_id: 'writ',
          client_secret: 'CLIENT',
          scopes: ['issues:read', 'repo'],
          authorization_server: 'https://login.example.com',
        },
      },
    },
  });
});

test('a server under the rights of people comes with the redirect URI to register', async () => {
  const uri = 'https://writ.example.org/connect/done/res_01kdvq8qfwe9gr4v9m1h7e3x2z';
  const server: McpServerView = {
    resource_id: 'res_01kdvq8qfwe9gr4v9m1h7e3x2z' as McpServerView['resource_id'],
    name: 'github',
    transport: 'http',
    url: 'https://mcp.example.com/mcp',
    command: null,
    about: null,
    checked_at: null,
    due_at: 1,
    problem: null,
    oauth: { client_id: 'writ', scopes: [], issuer: null, redirect_uri: uri, listed_by: null },
    skipped: [],
    tools: { new: 0, accepted: 0, changed: 0, gone: 0, refused: 0 },
  };
  const resource: ResourceView = {
    resource_id: server.resource_id,
    kind: 'mcp_server',
    name: 'github',
    owner_agent_id: null,
    settings: {},
    digest: OLD,
    version: 1,
    created_by: 'key',
    created_at: 1,
    updated_at: 1,
  };
  const other = await fakeApi(({ method }) => ({ body: method === 'GET' ? server : resource }));
  try {
    const args = ['mcp-server', 'add', 'github', '--at', 'https://mcp.example.com/mcp', '--oauth-client', 'writ'];
    const { exit, out } = await writ(args, { env: other.env });
    expect([exit, out]).toEqual([0, expect.stringContaining(`to register at the authorization server: ${uri}\n`)]);
    expect(other.requests.at(-1)).toMatchObject({ method: 'GET', url: '/v1/mcp-servers/github' });
  } finally {
    await other.close();
  }
});

test('a program is registered with its arguments as they are, and its variables', async () => {
  const options = [
    '--image',
    'tools',
    '--env',
    'ROOT=/data=1',
    '--env-secret',
    'TOKEN=KEY',
    '--host',
    'api.example.com',
  ];
  await run('add', 'files', '--command', 'mcp-files', ...options, '--memory', '256', '--', '--read-only', '/data dir');
  expect(JSON.parse(api.requests[0]?.body ?? '')).toEqual({
    kind: 'mcp_server',
    name: 'files',
    settings: {
      transport: 'stdio',
      command: ['mcp-files', '--read-only', '/data dir'],
      image: 'tools',
      env: { ROOT: '/data=1', TOKEN: { secret: 'KEY' } },
      hosts: ['api.example.com'],
      memory_mb: 256,
    },
  });
});

test.each([
  [['--oauth-client', 'writ', '--secret', 'KEY'], 'excludes `--secret`'],
  [['--scope', 'repo'], 'need `--oauth-client`'],
  [['--oauth-secret', 'KEY'], 'need `--oauth-client`'],
])('the options %j exclude another: nothing is sent', async (options, words) => {
  const { exit, err } = await run('add', 'github', '--at', 'https://mcp.example.com/mcp', ...options);
  expect([exit, err]).toEqual([2, expect.stringContaining(words)]);
  expect(api.requests).toEqual([]);
});

test.each([
  ['neither an address nor a program', [], 'say where the server is'],
  ['both', ['--at', 'https://a.example/mcp', '--command', 'mcp'], 'say where the server is'],
  ['an image for an address', ['--at', 'https://a.example/mcp', '--image', 'tools'], '`--image` is for a program'],
  ['arguments for an address', ['--at', 'https://a.example/mcp', '--', '-x'], 'arguments are for a program'],
  ['a header for a program', ['--command', 'mcp', '--header', 'x-key'], '`--header` is for an address'],
])('a server with %s is not registered', async (_what, args, words) => {
  const { exit, err } = await run('add', 'files', ...args);
  expect([exit, err]).toEqual([2, expect.stringContaining(words)]);
  expect(api.requests).toEqual([]);
});

describe('`writ mcp-server refresh`', () => {
  const server = (checked_at: number | null, problem: object | null = null) => ({
    resource_id: 'res_01kdvq8qfwe9gr4v9m1h7e3x2z',
    name: 'github',
    transport: 'http',
    url: 'https://mcp.example.com/mcp',
    command: null,
    oauth: null,
    about: null,
    checked_at,
    due_at: 1,
    problem,
    skipped: [],
    tools: { new: 2, accepted: 1, changed: 1, gone: 0, refused: 0 },
  });
  const refresh = async (views: object[], ...more: string[]) => {
    const own = await fakeApi(({ method }) => ({ body: method === 'POST' ? server(5) : (views.shift() ?? server(5)) }));
    const done = await writ(['mcp-server', 'refresh', 'github', ...more], { env: own.env });
    await own.close();
    return { ...done, asked: own.requests.map(({ method, url }) => `${method} ${url}`) };
  };

  test('returns before the listing', async () => {
    const { out, asked } = await refresh([]);
    expect([out, asked]).toEqual(['github is listed in a moment\n', ['POST /v1/mcp-servers/github/refresh']]);
  });

  test('with `--wait` returns once there was another attempt, with what is to be decided', async () => {
    const { exit, out, asked } = await refresh([server(5), server(6)], '--wait');
    expect([exit, out]).toEqual([0, 'github is listed: 1 accepted, 3 to decide, 0 gone\n']);
    expect(asked.slice(1)).toEqual(Array(2).fill('GET /v1/mcp-servers/github'));
  });

  test('with `--wait` fails with the problem of the attempt', async () => {
    const { exit, err } = await refresh([server(6, { code: 'mcp.unreachable', message: 'nobody answers' })], '--wait');
    expect([exit, err]).toEqual([1, expect.stringContaining('error mcp.unreachable: nobody answers')]);
  });
});
