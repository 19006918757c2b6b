// SPDX-License-Identifier: Apache-2.0
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';
import { IDS } from '../specs/samples.ts';

const ID = `res_${'0'.repeat(26)}`;
const ENGINE = {
  resource_id: ID,
  kind: 'search_engine',
  name: 'default',
  owner_agent_id: null,
  settings: { kind: 'searxng', url: 'https://searx.example.org' },
  digest: '6'.repeat(64),
  version: 3,
  created_by: 'key_a',
  created_at: 0,
  updated_at: 0,
};
const GRANT = {
  resource_grant_id: `rgr_${'0'.repeat(26)}`,
  kind: 'search_engine',
  resource_id: ID,
  name: 'default',
  right: 'use',
  agent_id: null,
  clearance: 'soft_gate',
  created_by: 'key_a',
  created_at: 0,
};

let api: FakeApi;
beforeEach(async () => {
  api = await fakeApi(({ url, method }) => {
    const view = url.startsWith('/v1/resource-grants') ? GRANT : ENGINE;
    const isList = method === 'GET' && !url.includes(`/${ID}`);
    return { body: isList ? { items: url.includes('nothing') ? [] : [view], next_cursor: null } : view };
  });
});
afterEach(() => api.close());
const resource = (stdin: string, ...args: string[]) => writ(['resource', ...args], { env: api.env, stdin });
const sent = () => {
  const { method, url, body } = api.requests.at(-1)!;
  return [method, url, body === '' ? null : (JSON.parse(body) as unknown)];
};

test.each([
  [['search_engine', 'default', '--at', 'https://a.example'], { kind: 'searxng', url: 'https://a.example' }],
  [['website', 'news', '--at', 'https://a.example'], { url: 'https://a.example' }],
  [['info_store', 'handbook', '--label', 'private_data'], { backend: { kind: 'local' }, label: 'private_data' }],
  [['container', 'box'], { workspace_id: null }],
  [['container', 'box', '--workspace', IDS.workspace], { workspace_id: IDS.workspace }],
  [
    ['calendar', 'team', '--at', 'https://a.example/a.ics', '--secret', 'CAL'],
    { kind: 'ics', url: 'https://a.example/a.ics', secret: 'CAL' },
  ],
  [['mailbox', 'in', '--settings', '{"port":993}'], { port: 993 }],
  [['mailbox', 'in', '--settings', '-'], { port: 143 }],
])('a resource is created with the settings that options say: %j', async (args, settings) => {
  const { exit, out } = await resource('{"port":143}', 'create', ...args);
  expect({ exit, sent: sent() }).toEqual({
    exit: 0,
    sent: ['POST', '/v1/resources', { kind: args[0], name: args[1], settings }],
  });
  expect(out).toMatch(/resource +search_engine:default\n/);
});

test.each([
  ['engine', 'x', '--at', 'https://a.example'],
  ['search_engine', 'x'],
  ['info_store', 'x'],
  ['mailbox', 'x'],
  ['mailbox', 'x', '--settings', '[]'],
  ['website', 'x', '--at', 'https://a.example', '--label', 'private_data'],
  ['website', 'x', '--at', 'https://a.example', '--settings', '{}'],
])('a resource without valid options is refused before anything is sent: %s %s %s %s', async (...args) => {
  expect((await resource('', 'create', ...args)).exit).toBe(2);
  expect(api.requests).toEqual([]);
});

test('resources are listed and shown, by name or by id', async () => {
  expect((await resource('', 'list', '--kind', 'search_engine', '--agent', IDS.agent)).out).toContain(
    'search_engine:default',
  );
  expect(sent()[1]).toBe(`/v1/resources?kind=search_engine&agent_id=${IDS.agent}&limit=50`);
  expect((await resource('', 'show', 'search_engine:default')).out).toMatch(/version +3\n/);
  expect(sent()[1]).toBe('/v1/resources?kind=search_engine&name=default');
  expect((await resource('', 'show', ID)).exit).toBe(0);
  expect(sent()[1]).toBe(`/v1/resources/${ID}`);
  expect(await resource('', 'show', 'search_engine:nothing')).toMatchObject({
    exit: 1,
    err: 'error resource.unknown: there is no resource `search_engine:nothing`, or this key may not see it; see docs/errors/resource.unknown.md\n',
  });
  for (const text of ['search_engine', 'search_engine:', 'engine:x'])
    expect((await resource('', 'show', text)).exit).toBe(2);
});

test('an update expects the version that was read, or the one that is given', async () => {
  const update = ['update', 'search_engine:default', '--at', 'https://b.example'];
  const settings = { kind: 'searxng', url: 'https://b.example' };
  await resource('', ...update);
  expect(sent()).toEqual(['PATCH', `/v1/resources/${ID}`, { settings, expected_version: 3 }]);
  await resource('', ...update, '--expect', '2');
  expect(sent()).toEqual(['PATCH', `/v1/resources/${ID}`, { settings, expected_version: 2 }]);
});

test('a resource is removed by its name', async () => {
  expect((await resource('', 'remove', 'search_engine:default')).out).toContain('removed search_engine:default');
  expect(sent()).toEqual(['DELETE', `/v1/resources/${ID}`, null]);
});

test.each([
  [['search_engine:default', '--agent', IDS.agent], { resource_id: ID, agent_id: IDS.agent, clearance: 'autopilot' }],
  [[ID, '--every-agent', '--clearance', 'escalated'], { resource_id: ID, agent_id: null, clearance: 'escalated' }],
  [['search_engine', '--every-agent'], { resource_id: null, agent_id: null, clearance: 'autopilot' }],
  [['search_engine:*', '--every-agent'], { resource_id: null, agent_id: null, clearance: 'autopilot' }],
  [
    ['search_engine', '--agent', IDS.agent, '--create'],
    { right: 'create', resource_id: null, agent_id: IDS.agent, clearance: 'autopilot' },
  ],
])('a grant says to whom, and what for: %j', async (args, body) => {
  expect((await resource('', 'grant', ...args)).out).toMatch(/clearance +soft_gate/);
  expect(sent()).toEqual(['PUT', '/v1/resource-grants', { kind: 'search_engine', right: 'use', ...body }]);
});

test.each([
  ['search_engine'],
  ['search_engine', '--every-agent', '--agent', IDS.agent],
  ['search_engine', '--every-agent', '--clearance', 'none'],
  ['search_engine:default', '--every-agent', '--create'],
])('a grant that is not clear is refused before it is set: %s %s %s', async (...args) => {
  expect((await resource('', 'grant', ...args)).exit).toBe(2);
  expect(api.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('grants are listed, and taken back by what they grant', async () => {
  expect((await resource('', 'grants', '--kind', 'search_engine')).out).toMatch(
    /use +search_engine:default +every agent +soft_gate/,
  );
  expect((await resource('', 'ungrant', 'search_engine:default', '--every-agent')).exit).toBe(0);
  expect(sent()).toEqual(['DELETE', `/v1/resource-grants/${GRANT.resource_grant_id}`, null]);
  expect(await resource('', 'ungrant', 'search_engine', '--every-agent')).toMatchObject({
    exit: 1,
    err: expect.stringContaining('there is no such grant') as string,
  });
});
