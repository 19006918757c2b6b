// SPDX-License-Identifier: Apache-2.0
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';

const ID = 'mbr_01kdvq8qfwe9gr4v9m1h7e3x2z';
const MEMBER = {
  member_id: ID,
  kind: 'person',
  name: 'ann@example.org',
  person_id: 'per_01kdvq8qfwe9gr4v9m1h7e3x2z',
  issuer: 'https://login.example.com',
  subject: 'ann-1',
  role: null,
  state: 'suspended',
  created_at: 0,
};
let api: FakeApi;
beforeAll(async () => {
  api = await fakeApi(({ url, method }) => ({
    body: url.endsWith('/offboard')
      ? { member: MEMBER, revoked: ['key_1'], paused_jobs: ['job_1'], delegations: 2, more: true }
      : method === 'GET' && url.startsWith('/v1/members?')
        ? { items: [MEMBER], next_cursor: null }
        : MEMBER,
  }));
});
afterAll(() => api.close());
beforeEach(() => {
  api.requests.length = 0;
});
const run = (...args: string[]) => writ(args, { env: api.env });

test('`writ member` lists and shows members', async () => {
  expect((await run('members')).out).toMatch(/mbr_\S+ +person +ann@example\.org +none +suspended/);
  expect((await run('member', 'get', ID)).out).toMatch(/issuer +https:\/\/login\.example\.com\nsubject +ann-1\n/);
});

test('`writ member` makes service accounts, changes and links members', async () => {
  await run('member', 'create', 'bot');
  await run('member', 'update', ID, '--role', 'operator', '--activate');
  await run('member', 'update', ID, '--no-role', '--suspend');
  await run('member', 'link', ID, '--provider', 'corp', '--subject', 'ann-2');
  expect(api.requests.map(({ method, url, body }) => [method, url, JSON.parse(body)])).toEqual([
    ['POST', '/v1/members', { name: 'bot' }],
    ['PATCH', `/v1/members/${ID}`, { role: 'operator', state: 'active' }],
    ['PATCH', `/v1/members/${ID}`, { role: null, state: 'suspended' }],
    ['POST', `/v1/members/${ID}/identities`, { provider: 'corp', subject: 'ann-2' }],
  ]);
});

test('`writ member offboard` says what it ended, and what is left', async () => {
  const { out } = await run('member', 'offboard', ID, '--reason', 'left');
  expect(out).toMatch(/keys +1\ndelegations +2\npaused jobs +job_1\nleft to end +yes, within a minute\n/);
  expect(api.requests.map(({ url, body }) => [url, JSON.parse(body)])).toEqual([
    [`/v1/members/${ID}/offboard`, { reason: 'left' }],
  ]);
});

test.each([
  [['member', 'update', ID]],
  [['member', 'update', ID, '--suspend', '--activate']],
  [['member', 'link', ID, '--provider', 'corp']],
  [['member', 'offboard', ID]],
])('%j is refused before anything is sent', async (args) => {
  expect((await run(...args)).exit).toBe(2);
  expect(api.requests).toEqual([]);
});
