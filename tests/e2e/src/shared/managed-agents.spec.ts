// SPDX-License-Identifier: Apache-2.0
// An agent that manages another one of its tenant, through the public API.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import {
  makeWorld,
  mustApproveShown,
  sharedStack,
  verifiedReceipt,
  type Api,
  type JsonValue,
  type SharedStack,
  type World,
} from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: SharedStack;
let world: World;
let other: string;
let otherToken: string;
let token: string;
/** Proposes calls of the other agent, with its own key. */
let others: Api;

const tokenOf = async (agent_id: string): Promise<string> =>
  (
    await world.admin.must('/v1/capability-tokens', {
      agent_id,
      workspace_id: world.workspaceId,
      grant: {
        tools: ['*'],
        fs: [{ path: '', read: true, write: true }],
        net: [],
        secrets: [],
        budgets: {},
        not_before: 0,
        expires_at: Date.now() + 3_600_000,
      },
    })
  ).capability_token_id as string;
const call = async (tool: string, args: JsonValue): Promise<JsonValue> =>
  (await world.call(tool, args, { capability_token_id: token, session_mode: 'interactive' })).body;
const seen = (): Promise<JsonValue> => call('agent.describe', { agent: other });
/** Proposes a change, has a person approve it, and returns the operation at its end. */
async function changed(args: JsonValue): Promise<JsonValue> {
  // `agent.manage` is an admin tool: the default policy asks a person.
  const { approval_id, operation_id } = await call('agent.manage', { agent: other, ...args });
  // No file shows what it does, so no preview may stand for it: approving one would end the call without the change.
  expect((await world.operator.get(`/v1/approvals/${approval_id as string}`)).body).toMatchObject({
    binding: { effect_digest: null },
    preview: { state: 'none' },
  });
  await mustApproveShown(world.operator, approval_id);
  return await world.until(operation_id as string, ['committed', 'no_op', 'rolled_back']);
}
const theirCall = async (tool_id: string, args: JsonValue, waitMs = 30_000): Promise<JsonValue> =>
  (
    await others.post(`/v1/tool-calls?wait=${waitMs}`, {
      tool_id,
      args,
      capability_token_id: otherToken,
      workspace_id: world.workspaceId,
      session_id: 'theirs',
      idempotency_key: randomUUID(),
    })
  ).body;

beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  other = (await world.admin.must('/v1/agents', { name: 'other' })).agent_id as string;
  [token, otherToken] = [await tokenOf(world.agentId), await tokenOf(other)];
  const key = await world.admin.must('/v1/api-keys', { name: 'other', role: 'agent', agent_id: other });
  others = world.admin.as(key.api_key as string);
});

it('an agent sees, freezes and releases another one once it is granted it, and a person approves', async () => {
  expect(await seen()).toMatchObject({ error: { code: 'resource.unknown' } });
  const { status } = await world.admin.request('PUT', '/v1/resource-grants', {
    kind: 'agent',
    resource_id: null,
    right: 'use',
    agent_id: world.agentId,
    clearance: 'autopilot',
  });
  expect(status).toBe(200);
  expect(await seen()).toMatchObject({
    status: 'ok',
    result: { agent: { agent_id: other, name: 'other', state: 'active', freezes: [], operations: [] } },
  });
  const frozen = await changed({ change: 'freeze', reason: 'it runs wild' });
  const { record } = await verifiedReceipt(stack, world, frozen.operation_id as string, 'outcome');
  expect(record).toMatchObject({ tool_id: 'agent.manage', tx_outcome: 'committed' });
  expect(await theirCall('fs.read', { path: 'a.txt' })).toMatchObject({ error: { code: 'frozen' } });
  expect((await world.admin.get('/v1/freezes?standing=true')).body.items).toMatchObject([
    { scope: 'agent', id: other, reason: 'it runs wild', placed_by: world.agentId },
  ]);
  expect(await seen()).toMatchObject({ result: { agent: { state: 'frozen', freezes: [{ placed_by: 'you' }] } } });
  await changed({ change: 'lift' });
  expect(await theirCall('fs.read', { path: 'a.txt' })).toMatchObject({ status: 'ok' });
  expect(await changed({ change: 'lift' })).toMatchObject({ result: { error: { code: 'agent.conflict' } } });
});

it('an agent stops a command of another one that runs', async () => {
  const running = await theirCall('shell.run', { command: 'sleep 300' }, 0);
  await world.until(running.operation_id as string, ['performing']);
  expect(await changed({ change: 'cancel' })).toMatchObject({ state: 'committed' });
  expect(await world.until(running.operation_id as string, ['rolled_back'])).toMatchObject({
    result: { error: { code: 'cancelled' } },
  });
});

it('an agent does not manage itself', async () => {
  expect(await call('agent.manage', { agent: world.agentId, change: 'cancel' })).toMatchObject({
    error: { code: 'agent.itself' },
  });
});
