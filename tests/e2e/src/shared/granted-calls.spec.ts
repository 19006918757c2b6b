// SPDX-License-Identifier: Apache-2.0
// Calls on registered resources through the public API: containers that keep a shell, and tasks of the whole tenant.
import { vi } from 'vitest';
import { makeWorld, sharedStack, verifiedReceipt, type JsonValue, type SharedStack, type World } from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: SharedStack;
let world: World;
let token: string;

const tokenWith = async (resources: string[]): Promise<string> =>
  (
    await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        tools: ['*'],
        fs: [{ path: '', read: true, write: true }],
        net: [],
        secrets: [],
        resources,
        budgets: {},
        not_before: 0,
        expires_at: Date.now() + 3_600_000,
      },
    })
  ).capability_token_id as string;
const call = async (tool: string, args: JsonValue, over: JsonValue = {}): Promise<JsonValue> =>
  (await world.call(tool, args, { capability_token_id: token, session_id: 'ses-1', ...over })).body;
const grant = async (kind: string, right: string): Promise<void> => {
  const { status } = await world.admin.request('PUT', '/v1/resource-grants', {
    kind,
    resource_id: null,
    right,
    agent_id: world.agentId,
    clearance: 'autopilot',
  });
  expect(status).toBe(200);
};

beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'sub/a.txt': 'one\n' } });
  token = await tokenWith(['container:*']);
});

it('an agent makes a container once it may, and finds its shell again from another session', async () => {
  expect(await call('container.create', { name: 'build' })).toMatchObject({ error: { code: 'policy.denied' } });
  await grant('container', 'create');
  const made = await call('container.create', { name: 'build' });
  expect(made).toMatchObject({ status: 'ok', tx_outcome: 'committed', result: { container: { name: 'build' } } });
  const { record } = await verifiedReceipt(stack, world, made.operation_id as string, 'outcome');
  expect(record).toMatchObject({ tool_id: 'container.create', tx_outcome: 'committed' });
  const access = () => call('container.access', { container: 'build' });
  expect(await access()).toMatchObject({ result: { container: { ...made.result.container, shell: 'none' } } });
  expect(await call('shell.session', { container: 'build', command: 'cd sub; X=5' })).toMatchObject({
    result: { shell: 'started' },
  });
  expect(
    await call('shell.session', { container: 'build', command: 'pwd; echo "$X"' }, { session_id: 'ses-2' }),
  ).toMatchObject({ result: { shell: 'open', output: '/workspace/sub\n5\n' } });
  expect(await access()).toMatchObject({ result: { container: { shell: 'open' } } });
  await call('shell.session', { container: 'build', close: true });
  expect(await call('container.create', { name: 'build' })).toMatchObject({ error: { code: 'resource.exists' } });
});

it('a container is used only under a token that lists it', async () => {
  const narrow = await tokenWith(['container:other']);
  expect(await call('container.access', { container: 'build' }, { capability_token_id: narrow })).toMatchObject({
    error: { code: 'token.scope' },
  });
  expect(await call('container.access', { container: 'nothing' })).toMatchObject({
    error: { code: 'resource.unknown' },
  });
});

it('an agent that is granted the tasks of its tenant changes those of another session', async () => {
  const { operation_id } = await call('task.create', { title: 'theirs' });
  const edit = (session_id: string) =>
    call('task.edit', { task_id: operation_id, status: 'done', any: true }, { session_id });
  expect(await edit('ses-2')).toMatchObject({ error: { code: 'policy.denied' } });
  await grant('task', 'use');
  expect(await edit('ses-2')).toMatchObject({ status: 'ok', tx_outcome: 'committed' });
  expect((await call('task.list', {})).result.tasks).toMatchObject([{ task_id: operation_id, status: 'done' }]);
  expect((await call('task.list', { any: true }, { session_id: 'ses-3' })).result.tasks).toMatchObject([
    { task_id: operation_id, status: 'done' },
  ]);
});
