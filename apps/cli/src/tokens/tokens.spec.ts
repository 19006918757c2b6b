// SPDX-License-Identifier: Apache-2.0
import { Grant, parseMessage } from '@writ/contract';
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';
import { IDS, TOKEN } from '../specs/samples.ts';

let api: FakeApi;
beforeAll(async () => {
  api = await fakeApi(({ url }) => ({
    body: url.startsWith('/v1/capability-tokens?') ? { items: [TOKEN], next_cursor: null } : TOKEN,
  }));
});
afterAll(() => api.close());
beforeEach(() => {
  api.heard.length = 0;
});

const token = (...args: string[]) => writ(['token', ...args], { env: api.env });
const sentGrant = () => parseMessage(Grant, (JSON.parse(api.heard.at(-1)!.body) as { grant: unknown }).grant);

test('what is not said is not granted', async () => {
  await token('issue', '--agent', IDS.agent);
  expect(sentGrant()).toMatchObject({ tools: [], fs: [], net: [], secrets: [], budgets: {} });
});

test('a grant is written in options', async () => {
  await token(
    'issue',
    '--agent',
    IDS.agent,
    '--workspace',
    IDS.workspace,
    '--tool',
    'fs.*',
    '--tool',
    'shell.run',
    '--read',
    '.',
    '--read',
    'src',
    '--write',
    'src',
    '--budget',
    'calls=5',
    '--net',
    '*.example.org=GET,HEAD',
    '--secret',
    'API_KEY',
    '--valid',
    '90s',
  );
  const grant = sentGrant();
  expect(grant).toMatchObject({
    tools: ['fs.*', 'shell.run'],
    budgets: { calls: 5 },
    net: [{ domain: '*.example.org', methods: ['GET', 'HEAD'] }],
    secrets: ['API_KEY'],
    fs: [
      { path: '', read: true, write: false },
      { path: 'src', read: true, write: true },
    ],
  });
  expect(grant.expires_at - Date.now()).toBeLessThanOrEqual(90_000);
});

test('a beginning and an end are said with their zone, and a period counts from the beginning', async () => {
  await token('issue', '--agent', IDS.agent, '--from', '2030-01-31T08:00:00Z', '--until', '2030-02-01T09:00+01:00');
  expect(sentGrant()).toMatchObject({ not_before: Date.UTC(2030, 0, 31, 8), expires_at: Date.UTC(2030, 1, 1, 8) });
  await token('issue', '--agent', IDS.agent, '--from', '2030-01-31T08:00:00Z', '--valid', '1d');
  expect(sentGrant().expires_at).toBe(Date.UTC(2030, 1, 1, 8));
});

test('a child keeps what is not said of its parent', async () => {
  await token('attenuate', IDS.token, '--tool', 'fs.read');
  expect(sentGrant()).toEqual({ ...TOKEN.grant, tools: ['fs.read'] });
  await token('attenuate', IDS.token, '--agent', IDS.agent, '--workspace', IDS.workspace);
  expect(JSON.parse(api.heard.at(-1)!.body)).toMatchObject({ agent_id: IDS.agent, workspace_id: IDS.workspace });
});

test.each([
  ['--valid', 'soon'],
  ['--budget', 'calls'],
  ['--budget', 'pennies=3'],
  ['--grant', '{"tools":[]}'],
  ['--net', 'example.org'],
  ['--net', 'https://example.org=GET'],
  ['--secret', 'lower'],
  ['--tool', 'f*'],
  ['--from', 'tomorrow'],
  ['--until', '2030-01-31T08:00:00'],
  ['--until', '2030-02-31T08:00:00Z', '--valid', '1h'],
])('%s %s is refused before anything is sent', async (...option) => {
  expect((await token('issue', '--agent', IDS.agent, ...option)).exit).toBe(2);
  expect(api.heard).toEqual([]);
});

test('budgets are shown as a table: bound, used, reserved, and left along the chain', async () => {
  const { out } = await token('show', IDS.token);
  expect(out).toMatch(/budget +bound +used +reserved +left\ncalls +10 +3 +1 +2\n/);
});

test('a list names the parent that is asked for, and a revocation the token', async () => {
  expect((await token()).out).toContain(IDS.token);
  await token('list', '--parent', IDS.token);
  expect(api.heard.at(-1)?.url).toContain(`parent_id=${IDS.token}`);
  expect((await token('revoke', IDS.token)).exit).toBe(0);
  expect(api.heard.at(-1)?.url).toBe(`/v1/capability-tokens/${IDS.token}/revoke`);
});
