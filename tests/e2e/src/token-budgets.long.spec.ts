// SPDX-License-Identifier: Apache-2.0
// Runs under a token with a budget of model tokens: they end when it is used up, and their use is settled exactly,
// whatever dies meanwhile.
import { vi } from 'vitest';
import { eventually, makeWorld, Observer, startStack, type JsonValue, type Stack, type World } from '@writ/stack';
import { ScriptedModel, type Reply } from './scripted-model.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** The use of a reply of the scripted model, unless it states that it read more. */
const REPLY = 110;
/** More than the reservation for one reply: all bytes of the request, and 32,000 tokens of its reply. Less than two. */
const ROOM = 60_000;

let stack: Stack;
let world: World;
let model: ScriptedModel;
let observer: Observer;
beforeAll(async () => {
  model = await ScriptedModel.open();
  stack = await startStack({
    env: { kernel: { WRIT_SWEEP_MS: '200' }, orchestrator: { WRIT_MODELS_FILE: model.file } },
  });
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n', 'old/b.txt': 'two\n' } });
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
  await model?.close();
});
afterEach(() => {
  model.onRequest = () => undefined;
});

const tokenFor = async (budgets: Readonly<Record<string, number>>): Promise<string> =>
  (
    await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        tools: ['fs.*', 'shell.*', 'agent.spawn'],
        fs: [{ path: '', read: true, write: true }],
        net: [],
        secrets: [],
        budgets,
        not_before: 0,
        expires_at: Date.now() + 3_600_000,
      },
    })
  ).capability_token_id as string;
const begin = async (token: string, input: string, script: readonly Reply[]): Promise<string> => {
  const { session_id } = await world.agent.must('/v1/sessions', {
    workspace_id: world.workspaceId,
    capability_token_id: token,
    model: 'wire',
  });
  model.scripts.set(input, script);
  return (await world.agent.must(`/v1/sessions/${session_id as string}/runs`, { input })).run_id as string;
};
const until = (runId: string, state: string): Promise<JsonValue> =>
  eventually(
    `${runId} ${state}`,
    async () => {
      const { body } = await world.admin.get(`/v1/runs/${runId}`).catch(() => ({ body: null }));
      return body?.state === state ? (body as JsonValue) : null;
    },
    120_000,
  );
/** As `GET /v1/capability-tokens/{id}` shows it. */
async function amounts(token: string): Promise<readonly unknown[]> {
  const { used, reserved, left } = (await world.admin.get(`/v1/capability-tokens/${token}`)).body as {
    used: JsonValue;
    reserved: JsonValue;
    left: JsonValue;
  };
  return [used.llm_tokens, reserved.llm_tokens, left.llm_tokens];
}
const write = (path: string) => ({ name: 'write_file', args: { path, content: 'x' } });

it("every run under a token ends as `budget` when the next reply doesn't fit", async () => {
  const token = await tokenFor({ llm_tokens: ROOM });
  const run = await begin(token, 'read much', [{ calls: [write('1.txt')], read: 40_000 }, { text: 'never' }]);
  const ended = await until(run, 'ended');
  expect(ended).toMatchObject({ stopped: 'budget', rounds: 1, error: { fault: 'budget.exhausted' } });
  expect(await world.file('1.txt')).toBe('x');
  expect(await amounts(token)).toEqual([40_010, 0, ROOM - 40_010]);
  const asked = model.requests.length;
  expect(await until(await begin(token, 'once more', [{ text: 'never' }]), 'ended')).toMatchObject({
    stopped: 'budget',
    rounds: 0,
    error: { fault: 'budget.exhausted' },
  });
  expect([model.requests.length, await amounts(token)]).toEqual([asked, [40_010, 0, ROOM - 40_010]]);
  // The budget is for models only: calls still run.
  expect((await world.call('fs.read', { path: 'a.txt' }, { capability_token_id: token })).body).toMatchObject({
    status: 'ok',
  });
});

it('use may exceed the budget, and then nothing is left', async () => {
  const token = await tokenFor({ llm_tokens: ROOM });
  expect(await until(await begin(token, 'read too much', [{ text: 'Done.', read: 100_000 }]), 'ended')).toMatchObject({
    stopped: 'end',
  });
  expect(await amounts(token)).toEqual([100_010, 0, 0]);
});

it("a reply's maximum is reserved, and settled by the next orchestrator after a kill", async () => {
  const token = await tokenFor({ llm_tokens: ROOM });
  const held: (readonly unknown[])[] = [];
  const asked = Promise.withResolvers<undefined>();
  const never = new Promise(() => undefined);
  let isFirst = true;
  model.onRequest = async (of) => {
    if (!isFirst || !JSON.stringify(of.body).includes('call_0_0')) return;
    isFirst = false;
    held.push(await amounts(token));
    asked.resolve(undefined);
    await never;
  };
  const run = await begin(token, 'be killed', [{ calls: [write('2.txt')] }, { text: 'Done.' }]);
  await asked.promise;
  await stack.services.orchestrator.kill();
  // The first reply is settled. The maximum of the second is reserved, with no process left to release it.
  expect(held).toEqual([[REPLY, expect.any(Number), expect.any(Number)]]);
  const [[, reserved]] = held as [[number, number]];
  expect(reserved).toBeGreaterThan(32_000);
  await stack.services.orchestrator.start();
  await observer.rows(
    `UPDATE orchestrator.run SET lease_until = 0, wake_at = 0 WHERE run_id = $1 AND state <> 'ended'`,
    [run],
  );
  expect(await until(run, 'ended')).toMatchObject({ stopped: 'end', rounds: 2, input_tokens: 200, output_tokens: 20 });
  expect(await amounts(token)).toEqual([2 * REPLY, 0, ROOM - 2 * REPLY]);
});

it('a run that waits for a person reserves nothing, and is settled after its token is revoked', async () => {
  const token = await tokenFor({ llm_tokens: ROOM });
  const run = await begin(token, 'remove it', [
    { calls: [{ name: 'bash', args: { command: 'rm -rf old' } }] },
    { text: 'Done.' },
  ]);
  await until(run, 'waiting');
  expect(await amounts(token)).toEqual([REPLY, 0, ROOM - REPLY]);
  expect(await until(await begin(token, 'meanwhile', [{ text: 'Done.' }]), 'ended')).toMatchObject({ stopped: 'end' });
  await world.admin.must(`/v1/capability-tokens/${token}/revoke`, {});
  expect(await until(run, 'ended')).toMatchObject({ stopped: 'cancelled' });
  expect((await amounts(token)).slice(0, 2)).toEqual([2 * REPLY, 0]);
});

it("a sub-agent's use counts on its own token and its ancestors, each once", async () => {
  const token = await tokenFor({ llm_tokens: ROOM });
  model.scripts.set('a part of it', [{ calls: [write('3.txt')] }, { text: 'Written.' }]);
  const run = await begin(token, 'hand on', [
    { calls: [{ name: 'agent-spawn', args: { task: 'a part of it', budgets: { llm_tokens: 55_000 } } }] },
    { text: 'Done.' },
  ]);
  expect(await until(run, 'ended')).toMatchObject({ stopped: 'end', rounds: 2 });
  const [below] = (await world.admin.get(`/v1/sessions?run_id=${run}`)).body.items as JsonValue[];
  expect([await amounts(below!.capability_token_id as string), await amounts(token)]).toEqual([
    [2 * REPLY, 0, 55_000 - 2 * REPLY],
    [4 * REPLY, 0, ROOM - 4 * REPLY],
  ]);
});

it('without a budget the kernel gets no request, and stores nothing', async () => {
  const before = await observer.rows('SELECT run_id FROM kernel.run_draw');
  expect(await until(await begin(world.tokenId, 'without', [{ text: 'Done.' }]), 'ended')).toMatchObject({
    stopped: 'end',
  });
  expect(await observer.rows('SELECT run_id FROM kernel.run_draw')).toEqual(before);
});
