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
  api.requests.length = 0;
});

const token = (...args: string[]) => writ(['token', ...args], { env: api.env });
const sentGrant = () => parseMessage(Grant, (JSON.parse(api.requests.at(-1)!.body) as { grant: unknown }).grant);

test("a new token grants nothing that options don't name", async () => {
  await token('issue', '--agent', IDS.agent);
  expect(sentGrant()).toMatchObject({ tools: [], fs: [], net: [], secrets: [], budgets: {} });
});

test('options define a grant', async () => {
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
    '--net',
    'mail.example.org:143,993=TCP,TLS',
    '--secret',
    'API_KEY',
    '--resource',
    'info_store:handbook',
    '--resource',
    'model:*',
    '--valid',
    '90s',
  );
  const grant = sentGrant();
  expect(grant).toMatchObject({
    tools: ['fs.*', 'shell.run'],
    budgets: { calls: 5 },
    net: [
      { domain: '*.example.org', methods: ['GET', 'HEAD'] },
      { domain: 'mail.example.org', methods: ['TCP', 'TLS'], ports: [143, 993] },
    ],
    secrets: ['API_KEY'],
    resources: ['info_store:handbook', 'model:*'],
    fs: [
      { path: '', read: true, write: false },
      { path: 'src', read: true, write: true },
    ],
  });
  expect(grant.expires_at - Date.now()).toBeLessThanOrEqual(90_000);
});

test('validity times require a time zone, and a period counts from the beginning', async () => {
  await token('issue', '--agent', IDS.agent, '--from', '2030-01-31T08:00:00Z', '--until', '2030-02-01T09:00+01:00');
  expect(sentGrant()).toMatchObject({ not_before: Date.UTC(2030, 0, 31, 8), expires_at: Date.UTC(2030, 1, 1, 8) });
  await token('issue', '--agent', IDS.agent, '--from', '2030-01-31T08:00:00Z', '--valid', '1d');
  expect(sentGrant().expires_at).toBe(Date.UTC(2030, 1, 1, 8));
});

test("a child token inherits what options don't name", async () => {
  await token('attenuate', IDS.token, '--tool', 'fs.read');
  expect(sentGrant()).toEqual({ ...TOKEN.grant, tools: ['fs.read'] });
  await token('attenuate', IDS.token, '--agent', IDS.agent, '--workspace', IDS.workspace);
  expect(JSON.parse(api.requests.at(-1)!.body)).toMatchObject({ agent_id: IDS.agent, workspace_id: IDS.workspace });
});

test.each([
  ['--valid', 'soon'],
  ['--budget', 'calls'],
  ['--budget', 'pennies=3'],
  ['--grant', '{"tools":[]}'],
  ['--net', 'example.org'],
  ['--net', 'https://example.org=GET'],
  ['--net', 'example.org:=TLS'],
  ['--net', 'example.org:0=TLS'],
  ['--net', 'example.org:65536=TLS'],
  ['--net', 'example.org:a=TLS'],
  ['--secret', 'lower'],
  ['--resource', 'skill:tidy'],
  ['--resource', 'handbook'],
  ['--tool', 'f*'],
  ['--from', 'tomorrow'],
  ['--until', '2030-01-31T08:00:00'],
  ['--until', '2030-02-31T08:00:00Z', '--valid', '1h'],
])('%s %s is refused before anything is sent', async (...option) => {
  expect((await token('issue', '--agent', IDS.agent, ...option)).exit).toBe(2);
  expect(api.requests).toEqual([]);
});

test('budgets are shown as a table: bound, used, reserved, and left along the chain', async () => {
  const { out } = await token('show', IDS.token);
  expect(out).toMatch(/budget +bound +used +reserved +left\ncalls +10 +3 +1 +2\n/);
});

test('a list sends the parent, and a revocation the token', async () => {
  expect((await token()).out).toContain(IDS.token);
  await token('list', '--parent', IDS.token);
  expect(api.requests.at(-1)?.url).toContain(`parent_id=${IDS.token}`);
  expect((await token('revoke', IDS.token)).exit).toBe(0);
  expect(api.requests.at(-1)?.url).toBe(`/v1/capability-tokens/${IDS.token}/revoke`);
});
