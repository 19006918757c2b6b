// SPDX-License-Identifier: Apache-2.0
// Calls and runs that a revoked API key proposed end within a second, through the API: held calls, running calls, runs,
// and those of sub-agents.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import {
  Api,
  eventually,
  makeWorld,
  Observer,
  approveShown,
  startStack,
  verifiedReceipt,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { ScriptedModel, type Reply } from './scripted-model.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** The bound in the guides. */
const WITHIN_MS = 1_000;

let stack: Stack;
let world: World;
let model: ScriptedModel;
let observer: Observer;
let tokenId: string;
beforeAll(async () => {
  model = await ScriptedModel.open();
  // Sweeps are too rare to help: the revocation itself must end everything.
  stack = await startStack({
    env: { kernel: { WRIT_SWEEP_MS: '60000' }, orchestrator: { WRIT_MODELS_FILE: model.file } },
  });
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n', 'old/b.txt': 'two\n' } });
  observer = new Observer(stack);
  const grant = {
    tools: ['fs.*', 'shell.*', 'agent.spawn'],
    fs: [{ path: '', read: true, write: true }],
    net: [],
    secrets: [],
    budgets: {},
    not_before: 0,
    expires_at: Date.now() + 3_600_000,
  };
  tokenId = (
    await world.admin.must('/v1/capability-tokens', { agent_id: world.agentId, workspace_id: world.workspaceId, grant })
  ).capability_token_id as string;
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
  await model?.close();
});

interface Key {
  readonly id: string;
  readonly api: Api;
}
/** Another key of the agent, or of another role. */
async function newKey(role = 'agent'): Promise<Key> {
  const made = await world.admin.must('/v1/api-keys', {
    name: 'to be revoked',
    role,
    ...(role === 'agent' ? { agent_id: world.agentId } : {}),
  });
  return { id: made.api_key_id as string, api: world.admin.as(made.api_key as string) };
}
const revoke = ({ id }: Key) => world.admin.request('DELETE', `/v1/api-keys/${id}`);
const call = ({ api }: Key, tool_id: string, args: object, waitMs = 0) =>
  api.post(`/v1/tool-calls?wait=${String(waitMs)}`, {
    tool_id,
    args,
    capability_token_id: tokenId,
    workspace_id: world.workspaceId,
    idempotency_key: randomUUID(),
  });
const operation = async (id: string): Promise<JsonValue> => (await world.admin.get(`/v1/operations/${id}`)).body;
/** Resolves with the operation once it has ended; fails where that takes longer than the bound. */
async function endedInTime(id: string, since: number): Promise<JsonValue> {
  const ended = await eventually(`the end of ${id}`, async () => {
    const row = await operation(id);
    return ['refused', 'rolled_back', 'committed', 'ambiguous', 'no_op'].includes(row.state as string) ? row : null;
  });
  expect(Date.now() - since).toBeLessThan(WITHIN_MS + 500);
  return ended;
}
const run = async (id: unknown): Promise<JsonValue> => (await world.admin.get(`/v1/runs/${String(id)}`)).body;
async function begin({ api }: Key, input: string, script: readonly Reply[]): Promise<JsonValue> {
  const { session_id } = await api.must('/v1/sessions', {
    workspace_id: world.workspaceId,
    capability_token_id: tokenId,
    model: 'wire',
  });
  model.scripts.set(input, script);
  return await api.must(`/v1/sessions/${session_id as string}/runs`, { input });
}
const until = (what: string, holds: () => Promise<boolean>): Promise<boolean> => eventually(what, holds, 60_000);
const spawn = (task: string) => ({ name: 'agent-spawn', args: { task } });

it("a held call ends when its key is revoked, and can't be approved any more", async () => {
  const key = await newKey();
  const held = (await call(key, 'shell.run', { command: 'rm -rf old' })).body;
  expect(held.state).toBe('held');
  const since = Date.now();
  const { status, body } = await revoke(key);
  expect([status, body.remains]).toEqual([200, { capability_tokens: [], jobs: [], more: false }]);
  const ended = await endedInTime(held.operation_id as string, since);
  expect(ended).toMatchObject({
    state: 'refused',
    result: { error: { code: 'key.revoked' }, tx_outcome: 'rolled_back' },
  });
  expect((await approveShown(world.operator, held.approval_id)).body.code).toBe('conflict');
  expect((await world.operator.get(`/v1/approvals/${held.approval_id as string}`)).body.state).toBe('cancelled');
  expect(await world.file('old/b.txt')).toBe('two\n');
  expect((await verifiedReceipt(stack, world, held.operation_id as string, 'outcome')).record).toMatchObject({
    fault_code: 'key.revoked',
    tx_outcome: 'rolled_back',
  });
  expect((await call(key, 'fs.read', { path: 'a.txt' })).status).toBe(401);
});

it('a running command ends when its key is revoked', async () => {
  const key = await newKey();
  const { operation_id } = (
    await call(key, 'shell.run', { command: 'echo begun > begun.txt; sleep 60; echo x > late.txt' })
  ).body;
  await until('the command runs', async () => (await operation(operation_id as string)).state === 'performing');
  const since = Date.now();
  expect((await revoke(key)).status).toBe(200);
  expect(await endedInTime(operation_id as string, since)).toMatchObject({
    state: 'rolled_back',
    result: { error: { code: 'key.revoked' } },
  });
  expect([await world.file('begun.txt'), await world.file('late.txt')]).toEqual([null, null]);
});

it('a run ends when its key is revoked, during a model request and while it waits for a person', async () => {
  const key = await newKey();
  const asked = Promise.withResolvers<true>();
  model.onRequest = () => {
    asked.resolve(true);
  };
  const silent = await begin(key, 'never answered', [{ end: 'silent' }]);
  await asked.promise;
  model.onRequest = () => undefined;
  const waiting = await begin(key, 'to be approved', [
    { calls: [{ name: 'bash', args: { command: 'rm -rf old' } }] },
    { text: 'done' },
  ]);
  await until('the run waits', async () => (await run(waiting.run_id)).state === 'waiting');
  const since = Date.now();
  await revoke(key);
  for (const { run_id } of [silent, waiting]) {
    await until(`the end of ${String(run_id)}`, async () => (await run(run_id)).state === 'ended');
    expect(await run(run_id)).toMatchObject({ stopped: 'cancelled' });
  }
  expect(Date.now() - since).toBeLessThan(WITHIN_MS + 1_000);
  const calls = (await world.admin.get(`/v1/operations?session_id=${waiting.session_id as string}`)).body
    .items as JsonValue[];
  expect(calls.map(({ state }) => state)).not.toContain('held');
  expect(await world.file('old/b.txt')).toBe('two\n');
});

it("a run ends when its key is revoked, with its sub-agent and the sub-agent's call", async () => {
  const key = await newKey();
  model.scripts.set('sleep below', [
    { calls: [{ name: 'bash', args: { command: 'sleep 60; echo x > below.txt' } }] },
    { text: 'done' },
  ]);
  const above = await begin(key, 'hand on', [{ calls: [spawn('sleep below')] }, { text: 'done' }]);
  const callBelow = async (): Promise<JsonValue | undefined> =>
    (
      await observer.rows(
        `SELECT operation_id, state, proposed_by FROM kernel.operation WHERE tenant_id = $1 AND tool_id = 'shell.run' AND proposed_by = $2`,
        [world.tenantId, key.id],
      )
    )[0] as JsonValue | undefined;
  await until('the sub-agent call runs', async () => (await callBelow())?.state === 'performing');
  const { operation_id } = (await callBelow())!;
  const since = Date.now();
  await revoke(key);
  expect(await endedInTime(operation_id as string, since)).toMatchObject({
    state: 'rolled_back',
    result: { error: { code: 'key.revoked' } },
  });
  await until('the end of the parent run', async () => (await run(above.run_id)).state === 'ended');
  const [session] = (await world.admin.get(`/v1/sessions?run_id=${above.run_id as string}`)).body.items as JsonValue[];
  const runs = async (): Promise<JsonValue[]> =>
    (await world.admin.get(`/v1/sessions/${session!.session_id as string}/runs`)).body.items as JsonValue[];
  await until('the end of the sub-agent run', async () => (await runs()).every(({ state }) => state === 'ended'));
  expect(await world.file('below.txt')).toBeNull();
});

it('what the key created stays, and the answer lists it', async () => {
  const key = await newKey('admin');
  const grant = {
    tools: ['fs.read'],
    fs: [{ path: '', read: true, write: false }],
    net: [],
    secrets: [],
    budgets: {},
    not_before: 0,
    expires_at: Date.now() + 3_600_000,
  };
  const token = await key.api.must('/v1/capability-tokens', {
    agent_id: world.agentId,
    workspace_id: world.workspaceId,
    grant,
  });
  const job = await key.api.must('/v1/jobs', {
    name: 'nightly',
    cron: '0 3 1 1 *',
    workspace_id: world.workspaceId,
    capability_token_id: tokenId,
    tools: ['fs.read'],
    model: 'wire',
    input: 'look',
  });
  const { body } = await revoke(key);
  expect(body.remains).toMatchObject({ jobs: [{ job_id: job.job_id, name: 'nightly', state: 'active' }], more: false });
  const listed = (body.remains as { capability_tokens: { capability_token_id: string }[] }).capability_tokens.map(
    ({ capability_token_id }) => capability_token_id,
  );
  expect(listed.sort()).toEqual([token.capability_token_id, job.run_token_id].sort());
  const read = await world.agent.post('/v1/tool-calls?wait=30000', {
    tool_id: 'fs.read',
    args: { path: 'a.txt' },
    capability_token_id: token.capability_token_id,
    workspace_id: world.workspaceId,
  });
  expect(read.body).toMatchObject({ status: 'ok' });
});

it('a proposal in flight during the revocation of its key is ended or refused', async () => {
  const key = await newKey();
  const answers = await Promise.all([
    ...Array.from({ length: 10 }, () => call(key, 'shell.run', { command: 'rm -rf old' })),
    revoke(key),
    ...Array.from({ length: 10 }, () => call(key, 'shell.run', { command: 'rm -rf old' })),
  ]);
  expect(answers[10]?.status).toBe(200);
  const open = () =>
    observer.rows(
      `SELECT operation_id, state FROM kernel.operation WHERE tenant_id = $1 AND proposed_by = $2 AND state IN ('admitted', 'held', 'dispatched', 'performing')`,
      [world.tenantId, key.id],
    );
  expect(await open()).toEqual([]);
  expect(await world.file('old/b.txt')).toBe('two\n');
});
