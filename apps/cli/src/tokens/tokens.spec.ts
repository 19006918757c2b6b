// SPDX-License-Identifier: Apache-2.0
import { Grant, parseMessage } from '@writ/contract';
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';
import { IDS, TOKEN } from '../specs/samples.ts';

let api: FakeApi;
beforeAll(async () => { api = await fakeApi(({ url }) => ({ body: url.startsWith('/v1/capability-tokens?') ? { items: [TOKEN], next_cursor: null } : TOKEN })); });
afterAll(() => api.close());
beforeEach(() => { api.heard.length = 0; });

const token = (...args: string[]) => writ(['token', ...args], { env: api.env });
const sentGrant = () => parseMessage(Grant, (JSON.parse(api.heard.at(-1)!.body) as { grant: unknown }).grant);

test('what is not said is not granted', async () => {
  await token('issue', '--agent', IDS.agent);
  expect(sentGrant()).toMatchObject({ tools: [], fs: [], net: [], secrets: [], budgets: {} });
});

test('a grant is written in options', async () => {
  await token('issue', '--agent', IDS.agent, '--workspace', IDS.workspace, '--tool', 'fs.*', '--tool', 'shell.run', '--read', '.', '--read', 'src', '--write', 'src', '--budget', 'calls=5', '--valid', '90s');
  const grant = sentGrant();
  expect(grant).toMatchObject({
    tools: ['fs.*', 'shell.run'], budgets: { calls: 5 }, fs: [{ path: '', read: true, write: false }, { path: 'src', read: true, write: true }],
  });
  expect(grant.expires_at - Date.now()).toBeLessThanOrEqual(90_000);
});

test('a child keeps what is not said of its parent', async () => {
  await token('attenuate', IDS.token, '--tool', 'fs.read');
  expect(sentGrant()).toEqual({ ...TOKEN.grant, tools: ['fs.read'] });
});

test.each([['--valid', 'soon'], ['--budget', 'calls'], ['--budget', 'pennies=3'], ['--grant', '{"tools":[]}']])('%s %s is refused before anything is sent', async (...option) => {
  expect((await token('issue', '--agent', IDS.agent, ...option)).exit).toBe(2);
  expect(api.heard).toEqual([]);
});

test('use is shown beside its bound', async () => {
  expect((await token('show', IDS.token)).out).toContain('calls: 3 of 10');
  expect((await token()).out).toContain(IDS.token);
  expect((await token('revoke', IDS.token)).exit).toBe(0);
});
