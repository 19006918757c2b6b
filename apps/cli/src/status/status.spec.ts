// SPDX-License-Identifier: Apache-2.0
import { fakeApi, problem, writ, type FakeApi, type FakeResponse } from '../specs/run-cli.ts';
import { APPROVAL, IDS } from '../specs/samples.ts';

const WHOAMI = {
  kind: 'api_key',
  tenant_id: IDS.tenant,
  api_key_id: IDS.key,
  role: 'operator',
  agent_id: null,
  principal: 'ann',
  later: ['members', 'of a newer server'],
};
const NOTHING = problem(404, 'not_found', 'there is no such thing here');

let said: Record<string, FakeResponse>;
let api: FakeApi;
beforeAll(async () => {
  api = await fakeApi(({ url }) => said[url.split('?')[0] ?? ''] ?? NOTHING);
});
afterAll(() => api.close());
beforeEach(() => {
  said = {
    '/readyz': { body: { status: 'ready' } },
    '/v1/whoami': { body: WHOAMI },
    '/v1/approvals': { body: { items: [APPROVAL, APPROVAL], next_cursor: null } },
    '/v1/freezes': { body: { items: [], next_cursor: null } },
    '/v1/tools': { body: { items: [] } },
  };
});
const status = async (...args: string[]) => await writ(['status', ...args], { env: api.env });

test('status says what is talked to, who the key is, and what waits', async () => {
  const { exit, out, err } = await status();
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  for (const line of [
    /^settings of +WRIT_URL and WRIT_API_KEY$/m,
    /^server +ready$/m,
    /^key +accepted$/m,
    new RegExp(`^tenant +${IDS.tenant}$`, 'm'),
    /^role +operator$/m,
    /^person +ann$/m,
    /^calls that wait for a person +2$/m,
    /^emergency stops +0$/m,
  ])
    expect(out).toMatch(line);
  expect(JSON.parse((await status('--json')).out)).toMatchObject({ server: 'ready', caller: WHOAMI });
  expect(out).not.toContain('writ_test');
});

test('status says of a session whose it is, and until when', async () => {
  const session = { ...WHOAMI, kind: 'session', principal: null, person_id: 'person_x', expires_at: 60_000 };
  said = { ...said, '/v1/whoami': { body: session } };
  const { out } = await status();
  for (const line of [/^person +person_x$/m, /^signed in until +1970-01-01T00:01:00Z$/m]) expect(out).toMatch(line);
});

test.each<[string, Record<string, FakeResponse>, number, object]>([
  ['a server that is not ready', { '/readyz': { status: 503, body: {} } }, 7, { server: 'not_ready', key: 'accepted' }],
  ['a key that is refused', { '/v1/whoami': problem(401, 'auth.invalid', 'm') }, 6, { key: 'refused', caller: null }],
  ['a server without that route', { '/v1/whoami': NOTHING }, 0, { key: 'accepted', caller: null }],
  [
    'a server without that route, and a role that may list nothing',
    {
      '/v1/whoami': NOTHING,
      '/v1/tools': problem(403, 'auth.role', 'm'),
      '/v1/approvals': problem(403, 'auth.role', 'm'),
    },
    0,
    { key: 'accepted', pending_approvals: null },
  ],
  [
    'a server without that route, and a key that is refused',
    { '/v1/whoami': NOTHING, '/v1/tools': problem(401, 'auth.invalid', 'm') },
    6,
    { key: 'refused' },
  ],
  ['an answer of another form', { '/v1/whoami': { body: [] } }, 0, { key: 'unknown', caller: null }],
])('of %s', async (_, changed, exit, shown) => {
  said = { ...said, ...changed };
  const result = await status('--json');
  expect(result.exit).toBe(exit);
  expect(JSON.parse(result.out)).toMatchObject(shown);
});

test('a server that does not answer is unreachable, and the key is sent nowhere', async () => {
  const { exit, out } = await writ(['status', '-o', 'json'], {
    env: { WRIT_URL: 'http://127.0.0.1:9', WRIT_API_KEY: 'k' },
  });
  expect(exit).toBe(7);
  expect(JSON.parse(out)).toMatchObject({ server: 'unreachable', key: 'unknown' });
});

test('open opens a page of the server, without the key, and prints its address', async () => {
  const opened: string[] = [];
  const openPage = async (url: string): Promise<boolean> => opened.push(url) > 0;
  expect(await writ(['open', 'api'], { env: api.env, openPage })).toEqual({
    exit: 0,
    out: `${api.url}/docs/api\n`,
    err: '',
  });
  expect(opened).toEqual([`${api.url}/docs/api`]);
  expect((await writ(['open', '--print'], { env: api.env, openPage })).out).toBe(`${api.url}/docs/\n`);
  expect(opened).toHaveLength(1);
  expect((await writ(['open'], { env: api.env })).err).toBe('note: no browser was found: open the address yourself\n');
  expect((await writ(['open', 'nowhere'], { env: api.env })).exit).toBe(2);
});
