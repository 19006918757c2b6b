// SPDX-License-Identifier: Apache-2.0
// The tasks of a session, through the public API: they are calls like any other, decided and recorded.
import { vi } from 'vitest';
import { makeWorld, sharedStack, verifiedReceipt, type JsonValue, type SharedStack, type World } from '@writ/stack';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let stack: SharedStack;
let world: World;
let token: string;

const tokenFor = async (tools: string[]): Promise<string> =>
  (
    await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: { tools, fs: [], net: [], secrets: [], budgets: {}, not_before: 0, expires_at: Date.now() + 3_600_000 },
    })
  ).capability_token_id as string;
const call = async (tool: string, args: JsonValue, over: JsonValue = {}): Promise<JsonValue> =>
  (await world.call(tool, args, { capability_token_id: token, session_id: 'ses-1', ...over })).body;

beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey);
  token = await tokenFor(['task.*']);
});

it('a task is made, changed and listed, each by a call with a receipt', async () => {
  const made = await call('task.create', { title: 'write the tests', note: 'all of them' });
  const task = { task_id: made.operation_id, title: 'write the tests', note: 'all of them', status: 'open' };
  expect(made).toMatchObject({ status: 'ok', tx_outcome: 'committed', new_snapshot_id: null, result: { task } });
  expect(await call('task.edit', { task_id: made.operation_id, status: 'done' })).toMatchObject({
    status: 'ok',
    result: { task: { ...task, status: 'done' } },
  });
  const { operation_id: second } = await call('task.create', { title: 'run them', status: 'active' });
  expect((await call('task.list', {})).result).toEqual({
    tasks: [
      { ...task, status: 'done' },
      { task_id: second, title: 'run them', note: '', status: 'active' },
    ],
  });
  expect((await call('task.list', { status: 'active' })).result).toMatchObject({ tasks: [{ task_id: second }] });
  const { record } = await verifiedReceipt(stack, world, made.operation_id as string, 'decision');
  expect(record).toMatchObject({ verdict: 'admitted', tool_id: 'task.create' });
});

it('another session has its own tasks, and an unknown task is an error', async () => {
  const { operation_id } = await call('task.create', { title: 'here' });
  expect((await call('task.list', {}, { session_id: 'ses-2' })).result).toEqual({ tasks: [] });
  expect(await call('task.edit', { task_id: operation_id, status: 'done' }, { session_id: 'ses-2' })).toMatchObject({
    status: 'error',
    tx_outcome: 'rolled_back',
    error: { code: 'task.unknown' },
  });
  expect(await call('task.edit', { task_id: operation_id })).toMatchObject({ error: { code: 'args.invalid' } });
});

it('a repeated key creates no second task', async () => {
  const body = { idempotency_key: 'tasks-once' };
  const first = await call('task.create', { title: 'once' }, { session_id: 'ses-3', ...body });
  expect(await call('task.create', { title: 'once' }, { session_id: 'ses-3', ...body })).toMatchObject({
    operation_id: first.operation_id,
  });
  expect((await call('task.list', {}, { session_id: 'ses-3' })).result).toMatchObject({
    tasks: [{ task_id: first.operation_id }],
  });
});

it('the token decides whether tasks may be changed', async () => {
  expect(
    await call('task.create', { title: 'no' }, { capability_token_id: await tokenFor(['task.list']) }),
  ).toMatchObject({ error: { code: 'token.tool' } });
});
