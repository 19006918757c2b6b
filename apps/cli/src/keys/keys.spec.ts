// SPDX-License-Identifier: Apache-2.0
import { KEY_FILE } from '../specs/pinned-receipt.ts';
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';
import { IDS } from '../specs/samples.ts';

const KEY = {
  api_key_id: IDS.key,
  name: 'ci',
  role: 'agent',
  agent_id: IDS.agent,
  created_at: 0,
  created_by: 'platform',
  revoked_at: null,
};

let api: FakeApi;
beforeAll(async () => {
  api = await fakeApi(({ url, method }) => {
    if (url.startsWith('/.well-known/')) return { body: KEY_FILE };
    return { body: method === 'GET' ? { items: [KEY], next_cursor: null } : { ...KEY, api_key: 'writ_shown_once' } };
  });
});
afterAll(() => api.close());

test('a new key is shown once', async () => {
  expect(
    (await writ(['keys', 'create', 'ci', '--role', 'agent', '--agent', IDS.agent], { env: api.env })).out,
  ).toContain('writ_shown_once');
  expect(JSON.parse(api.requests.at(-1)!.body)).toEqual({ name: 'ci', role: 'agent', agent_id: IDS.agent });
  expect((await writ(['keys'], { env: api.env })).out).toContain(IDS.key);
});

test('a key is revoked by its id', async () => {
  expect((await writ(['keys', 'revoke', IDS.key], { env: api.env })).exit).toBe(0);
  expect(api.requests.at(-1)).toMatchObject({ method: 'DELETE', url: `/v1/api-keys/${IDS.key}` });
});

test('revoking a key lists the tokens and jobs that it made', async () => {
  const remains = {
    capability_tokens: [{ capability_token_id: IDS.token, agent_id: IDS.agent, expires_at: 1 }],
    jobs: [{ job_id: 'job_x', name: 'nightly', state: 'active' }],
    more: true,
  };
  const answering = await fakeApi(() => ({ body: { ...KEY, revoked_at: 1, remains } }));
  const { out } = await writ(['keys', 'revoke', IDS.key], { env: answering.env });
  expect(out).toBe(
    `${IDS.key} revoked\nwhat it made stays until somebody revokes or deletes it:\ntoken ${IDS.token}\njob   job_x nightly\nand more\n`,
  );
  expect(JSON.parse((await writ(['keys', 'revoke', IDS.key, '--json'], { env: answering.env })).out)).toMatchObject({
    api_key_id: IDS.key,
    revoked: true,
    remains: { more: true },
  });
  await answering.close();
});

test('`writ keys public` writes the published keys unchanged', async () => {
  expect((await writ(['keys', 'public'], { env: api.env })).out).toBe(`${KEY_FILE}\n`);
});

test('a new key gets an end and scopes', async () => {
  const before = Date.now();
  await writ(['keys', 'create', 'ci', '--role', 'auditor', '--expires', '2h', '--scope', 'log:read', 'jobs:read'], {
    env: api.env,
  });
  const { expires_at, scopes } = JSON.parse(api.requests.at(-1)!.body) as { expires_at: number; scopes: string[] };
  expect(scopes).toEqual(['log:read', 'jobs:read']);
  expect(expires_at - before).toBeGreaterThanOrEqual(7_200_000);
  expect(expires_at - before).toBeLessThan(7_260_000);
  expect((await writ(['keys', 'create', 'ci', '--role', 'auditor', '--expires', 'soon'], { env: api.env })).exit).toBe(
    2,
  );
});

test('a key is rotated by its id, or the own one, and its new secret is shown once', async () => {
  const { out } = await writ(['keys', 'rotate', IDS.key, '--overlap', '1h', '--expires', 'never'], { env: api.env });
  expect(out).toContain('writ_shown_once');
  expect(api.requests.at(-1)).toMatchObject({ method: 'POST', url: `/v1/api-keys/${IDS.key}/rotate` });
  expect(JSON.parse(api.requests.at(-1)!.body)).toEqual({ overlap_ms: 3_600_000, expires_at: null });
  await writ(['keys', 'rotate'], { env: api.env });
  expect(api.requests.at(-1)).toMatchObject({ url: '/v1/api-keys/own/rotate', body: '{"overlap_ms":0}' });
  const asked = api.requests.length;
  expect(await writ(['keys', 'rotate', '--expires', '1h'], { env: api.env })).toMatchObject({ exit: 2 });
  expect(api.requests).toHaveLength(asked);
});

test('the list shows the last use and the end of each key', async () => {
  const rows = [
    { ...KEY, last_used_at: 60_000, expires_at: 120_000 },
    { ...KEY, expires_at: 4_000_000_000_000 },
  ];
  const listing = await fakeApi(() => ({ body: { items: rows, next_cursor: null } }));
  const { out } = await writ(['keys'], { env: listing.env });
  expect(out).toContain('1970-01-01T00:01:00Z');
  expect(out).toContain('expired 1970-01-01T00:02:00Z');
  expect(out).toContain('expires 2096-10-02T07:06:40Z');
  await listing.close();
});
