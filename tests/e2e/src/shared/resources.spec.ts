// SPDX-License-Identifier: Apache-2.0
// Resources and their grants through the public API: what an agent's key sees follows from the grants of its agent.
import { vi } from 'vitest';
import { makeWorld, sharedStack, type JsonValue, type SharedStack, type World } from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const STORE = { backend: { kind: 'local' }, label: 'private_data' };

let stack: SharedStack;
let world: World;
let store: string;

beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey);
  store = (await register('handbook')).body.resource_id as string;
});

const register = (name: string, by = world.admin) =>
  by.request('POST', '/v1/resources', { kind: 'info_store', name, settings: STORE });
const grant = (more: JsonValue, by = world.admin) =>
  by.request('PUT', '/v1/resource-grants', {
    kind: 'info_store',
    resource_id: store,
    right: 'use',
    agent_id: world.agentId,
    clearance: 'soft_gate',
    ...(more as object),
  });
const seenBy = async (path: string, by = world.agent): Promise<JsonValue[]> =>
  ((await by.get(path)).body as { items: JsonValue[] }).items;

it('an agent sees a resource without its settings while it is granted, and not before or after', async () => {
  expect((await world.agent.get(`/v1/resources/${store}`)).body).toMatchObject({ code: 'not_found' });
  expect(await seenBy('/v1/resources?kind=info_store')).toEqual([]);
  const { status, body } = await grant({});
  expect({ status, body }).toMatchObject({ status: 200, body: { name: 'handbook', clearance: 'soft_gate' } });
  expect(await seenBy('/v1/resources?kind=info_store')).toMatchObject([{ resource_id: store, settings: null }]);
  expect((await world.admin.get(`/v1/resources/${store}`)).body).toMatchObject({ settings: STORE, version: 1 });
  const taken = await world.admin.request('DELETE', `/v1/resource-grants/${body.resource_grant_id as string}`);
  expect(taken.status).toBe(200);
  expect(await seenBy('/v1/resources?kind=info_store')).toEqual([]);
});

it('a name that is taken, a version that has moved and settings of another form are refused', async () => {
  expect(await register('handbook')).toMatchObject({
    status: 409,
    body: { code: 'resource.exists', pointer: '/name' },
  });
  const patch = (settings: JsonValue, expected_version: number) =>
    world.admin.request('PATCH', `/v1/resources/${store}`, { settings, expected_version });
  expect(await patch({ ...STORE, label: 'untrusted_content' }, 2)).toMatchObject({
    status: 409,
    body: { code: 'conflict', pointer: '/expected_version' },
  });
  expect(await patch({ ...STORE, label: 'public' }, 1)).toMatchObject({
    status: 400,
    body: { code: 'request.malformed', pointer: '/settings/label' },
  });
});

it('only administrators register and grant, and agents read no grants', async () => {
  for (const by of [world.operator, world.agent, world.auditor]) {
    expect((await register('other', by)).status).toBe(403);
    expect((await grant({}, by)).status).toBe(403);
  }
  expect((await world.agent.get('/v1/resource-grants')).status).toBe(403);
  expect(await seenBy('/v1/resource-grants?kind=skill', world.auditor)).toMatchObject([
    { kind: 'skill', resource_id: null, agent_id: null, clearance: 'autopilot' },
  ]);
});

it('a skill is a resource as long as it is there, and its id is never used again', async () => {
  const put = async (): Promise<void> => {
    const content = '---\nname: release\ndescription: How to release.\n---\n';
    const { body } = await world.admin.request('POST', '/v1/skills', { files: [{ path: 'SKILL.md', content }] });
    expect(body).toMatchObject({ valid: true });
  };
  const skills = () => seenBy('/v1/resources?kind=skill') as Promise<{ resource_id: string; name: string }[]>;
  await put();
  const [first] = await skills();
  expect(first).toMatchObject({ name: 'release' });
  expect((await world.admin.request('DELETE', '/v1/skills/release')).status).toBe(200);
  expect(await skills()).toEqual([]);
  await put();
  const [second] = await skills();
  expect(second?.resource_id).not.toBe(first?.resource_id);
});
