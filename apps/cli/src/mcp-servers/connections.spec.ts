// SPDX-License-Identifier: Apache-2.0
import type { McpConnectionView } from '@writ/contract';
import { fakeApi, problem, writ, type FakeApi, type FakeResponse } from '../specs/run-cli.ts';

const ID = 'con_01kdvq8qfwe9gr4v9m1h7e3x2z';
const LINK = {
  connection_id: ID,
  url: `https://writ.example.org/connect/${'h'.repeat(43)}`,
  expires_at: 2_000_000_000_000,
};
const CONNECTION: McpConnectionView = {
  connection_id: ID,
  server: 'github',
  state: 'connected',
  own: true,
  person: null,
  lists: false,
  scopes: ['issues:read'],
  issuer: 'https://login.example.com',
  problem: null,
  created_at: 1,
  expires_at: null,
  connected_at: 2,
  used_at: null,
  ended_at: null,
};

let api: FakeApi;
/** The answers to requests for a link, and to those for the state, one after the other; the last one stays. */
let links: FakeResponse[];
let states: Partial<McpConnectionView>[];
const next = <T>(list: T[]): T => (list.length > 1 ? list.shift() : list[0]) as T;
beforeAll(async () => {
  api = await fakeApi(({ url, method }) => {
    if (method === 'POST') return next(links);
    if (method === 'DELETE') return { body: { ...CONNECTION, state: 'ended' } };
    return url.includes(ID)
      ? { body: { ...CONNECTION, ...next(states) } }
      : {
          body: { items: [{ ...CONNECTION, own: false, person: 'per_01kdvq8qfwe9gr4v9m1h7e3x2z' }], next_cursor: null },
        };
  });
});
afterAll(() => api.close());
beforeEach(() => {
  api.requests.length = 0;
  [links, states] = [[{ status: 201, body: LINK }], [{}]];
});
const run = (...args: string[]) => writ(['mcp-server', ...args], { env: api.env });

test('`connect` prints the link at once, and ends when the person has consented', async () => {
  states = [{ state: 'asked' }, { state: 'connected' }];
  const { exit, out, err } = await run('connect', 'github');
  expect([exit, out]).toEqual([0, `connected github: ${ID}\n`]);
  expect(err).toContain(LINK.url);
  expect(JSON.parse(api.requests[0]?.body ?? '')).toEqual({});
});

test('`connect --lists --no-wait` prints the link alone', async () => {
  const { out } = await run('connect', 'github', '--lists', '--no-wait');
  expect([out, api.requests.length]).toEqual([`${LINK.url}\n`, 1]);
  expect(api.requests[0]).toMatchObject({ method: 'POST', url: '/v1/mcp-servers/github/listing-connection' });
});

test('`connect` asks again while no executor has found the authorization server', async () => {
  links = [problem(503, 'overloaded', 'not yet'), { status: 201, body: LINK }];
  expect((await run('connect', 'github')).exit).toBe(0);
  links = [problem(403, 'auth.role', 'only a person can connect')];
  const refused = await run('connect', 'github');
  expect([refused.exit, refused.err]).toEqual([6, expect.stringContaining('error auth.role: only a person')]);
});

test('a consent that failed ends `connect` with its problem, which controls no terminal', async () => {
  states = [{ state: 'failed', problem: { code: 'mcp.consent_failed', message: 'the person said no\u001b[2J' } }];
  const { exit, err } = await run('connect', 'github');
  expect([exit, err]).toEqual([1, expect.stringContaining('error mcp.consent_failed: the person said no')]);
  expect(err).not.toContain('\u001b');
});

test('`connections` shows whose they are by the pseudonym, and `disconnect` ends one', async () => {
  expect((await run('connections', 'github')).out).toMatch(new RegExp(`${ID} +connected +per_01kdvq8q`));
  expect((await run('disconnect', 'github', ID)).out).toBe(`disconnected ${ID}\n`);
  expect(api.requests.at(-1)).toMatchObject({ method: 'DELETE', url: `/v1/mcp-servers/github/connections/${ID}` });
});
