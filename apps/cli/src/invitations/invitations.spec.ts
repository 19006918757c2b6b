// SPDX-License-Identifier: Apache-2.0
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';

const ID = 'inv_01kdvq8qfwe9gr4v9m1h7e3x2z';
const LINK = 'https://writ.example.org/sign-in/invitation?code=writ_i_x';
const INVITATION = {
  invitation_id: ID,
  email: 'ann@example.org',
  subject: null,
  provider: null,
  role: 'operator',
  state: 'open',
  created_at: 0,
  expires_at: 60_000,
  member_id: null,
};
let api: FakeApi;
beforeAll(async () => {
  api = await fakeApi(({ url, method }) => ({
    body:
      method === 'GET' && url.startsWith('/v1/invitations?')
        ? { items: [INVITATION, { ...INVITATION, email: null, subject: 'ann-1', provider: 'corp' }], next_cursor: null }
        : { ...INVITATION, ...(method === 'POST' ? { link: LINK } : {}) },
  }));
});
afterAll(() => api.close());
beforeEach(() => {
  api.requests.length = 0;
});
const run = (...args: string[]) => writ(args, { env: api.env });

test('`writ invitation` lists, shows and revokes invitations', async () => {
  const { out } = await run('invitations');
  expect(out).toMatch(/inv_\S+ +ann@example\.org +operator +open/);
  expect(out).toMatch(/inv_\S+ +ann-1 at corp +operator +open/);
  expect((await run('invitation', 'get', ID)).out).toMatch(/for +ann@example\.org\nprovider +any\nrole +operator\n/);
  await run('invitation', 'delete', ID);
  expect(api.requests.at(-1)).toMatchObject({ method: 'DELETE', url: `/v1/invitations/${ID}` });
  expect((await run('invitation', 'get', ID, '-o', 'name')).out).toBe(`invitation/${ID}\n`);
});

test('`writ invitation create` names whom it is for, and shows the link once', async () => {
  const before = Date.now();
  const made = await run('invitation', 'create', '--role', 'operator', '--email', 'ann@example.org', '--expires', '2h');
  expect(made.out).toContain(LINK);
  const { expires_at, ...body } = JSON.parse(api.requests[0]?.body ?? '') as { expires_at: number };
  expect(body).toEqual({ role: 'operator', email: 'ann@example.org' });
  expect(expires_at - before).toBeGreaterThanOrEqual(7_200_000);
  await run('invitation', 'create', '--role', 'auditor', '--subject', 'ann-1', '--provider', 'corp');
  expect(JSON.parse(api.requests[1]?.body ?? '')).toEqual({ role: 'auditor', subject: 'ann-1', provider: 'corp' });
});

test.each([
  [['create', '--role', 'auditor']],
  [['create', '--role', 'auditor', '--email', 'a@b', '--subject', 'x']],
  [['create', '--role', 'auditor', '--subject', 'x']],
  [['create', '--role', 'auditor', '--email', 'a@b', '--expires', 'soon']],
  [['accept', 'https://evil.example/x']],
  [['accept', 'file:///sign-in/invitation?code=x']],
  [['accept', 'writ_i_x']],
])('`writ invitation` refuses %j, and asks for nothing', async (args) => {
  expect([(await run('invitation', ...args)).exit, api.requests.length]).toEqual([2, 0]);
});

test('`writ invitation accept` opens the link, or shows it, and says what comes next', async () => {
  const opened: string[] = [];
  const openPage = async (url: string): Promise<boolean> => opened.push(url) > 0;
  const { exit, out } = await writ(['invitation', 'accept', LINK], { openPage });
  expect([exit, opened]).toEqual([0, [LINK]]);
  expect(out).toMatch(/opened https:\S+\n.*`writ login`/);
  expect((await run('invitation', 'accept', LINK)).out).toContain(`open ${LINK} in a browser`);
  expect(api.requests).toEqual([]);
});
