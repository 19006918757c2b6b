// SPDX-License-Identifier: Apache-2.0
// Sub-agents of runs through the public API: what they may, what is told of them, their end with the run above, and
// orchestrators that die meanwhile.
import { vi } from 'vitest';
import { eventually, makeWorld, Observer, startStack, type JsonValue, type Stack, type World } from '@writ/stack';
import { messagesIn, roundOf, ScriptedModel, taskOf, type Said } from './scripted-model.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let stack: Stack;
let world: World;
let model: ScriptedModel;
let observer: Observer;
/** May spawn, too. */
let tokenId: string;
beforeAll(async () => {
  model = await ScriptedModel.open();
  stack = await startStack({
    env: { kernel: { WRIT_SWEEP_MS: '200' }, orchestrator: { WRIT_MODELS_FILE: model.file } },
  });
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n', 'secret/b.txt': 'two\n' } });
  observer = new Observer(stack);
  tokenId = await tokenFor({ tools: ['fs.*', 'shell.*', 'agent.spawn'], budgets: { calls: 500 } });
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
  await model?.close();
});

const tokenFor = async (grant: object): Promise<string> =>
  (
    await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        fs: [{ path: '', read: true, write: true }],
        net: [],
        secrets: [],
        not_before: 0,
        expires_at: Date.now() + 3_600_000,
        ...grant,
      },
    })
  ).capability_token_id as string;
const write = (path: string) => ({ name: 'write_file', args: { path, content: 'x' } });
const spawn = (task: string, over: object = {}) => ({ name: 'agent-spawn', args: { task, ...over } });
const begin = async (
  input: string,
  script: readonly Said[],
  over: object = {},
  token = tokenId,
): Promise<JsonValue> => {
  const { session_id } = await world.agent.must('/v1/sessions', {
    workspace_id: world.workspaceId,
    capability_token_id: token,
    model: 'wire',
  });
  model.scripts.set(input, script);
  return await world.agent.must(`/v1/sessions/${session_id as string}/runs`, { input, ...over });
};
const until = (runId: unknown, state: string): Promise<JsonValue> =>
  eventually(
    `${String(runId)} ${state}`,
    async () => {
      const { body } = await world.admin.get(`/v1/runs/${String(runId)}`).catch(() => ({ body: null }));
      return body?.state === state ? (body as JsonValue) : null;
    },
    120_000,
  );
const below = async (runId: unknown): Promise<JsonValue[]> =>
  (await world.admin.get(`/v1/sessions?run_id=${String(runId)}`)).body.items as JsonValue[];
const transcript = async (sessionId: unknown): Promise<JsonValue[]> =>
  (await world.admin.get(`/v1/sessions/${String(sessionId)}/transcript`)).body.runs as JsonValue[];
const operations = async (sessionId: unknown): Promise<JsonValue[]> =>
  (
    (await world.admin.get(`/v1/operations?session_id=${String(sessionId)}&limit=200`)).body.items as JsonValue[]
  ).filter(({ provenance }) => provenance.turn !== '0');
/** The first sub-agent of a run, once there is one. */
const child = (runId: unknown): Promise<JsonValue> =>
  eventually('a sub-agent', async () => (await below(runId))[0] ?? null, 60_000);

it('a sub-agent does its task with no more than it was given, and the run above goes on with its last words', async () => {
  model.scripts.set('write one', [
    { calls: [write('src/one.txt'), write('two.txt'), { name: 'bash', args: { command: 'true' } }] },
    { text: 'One was written.' },
  ]);
  const narrowed = {
    tools: ['fs.*'],
    fs: [{ path: 'src', read: true, write: true }],
    budgets: { calls: 5 },
    rounds_max: 4,
  };
  const run = await begin('hand on', [
    { text: 'I hand it on.', calls: [spawn('write one', narrowed), write('after.txt')] },
    { text: 'All done.' },
  ]);
  expect(await until(run.run_id, 'ended')).toMatchObject({ stopped: 'end', rounds: 2, cost: 400 });
  const [session, ...others] = await below(run.run_id);
  expect(others).toEqual([]);
  const [spawned] = (await operations(run.session_id)).filter(({ tool_id }) => tool_id === 'agent.spawn');
  expect(spawned).toMatchObject({ state: 'no_op', capability_token_id: tokenId });
  expect(session).toMatchObject({
    spawned_by: { run_id: run.run_id, operation_id: spawned!.operation_id },
    agent_id: world.agentId,
  });
  const token = (await world.admin.get(`/v1/capability-tokens/${session!.capability_token_id as string}`)).body;
  expect(token).toMatchObject({
    parent_id: tokenId,
    spawned_by: spawned!.operation_id,
    grant: { tools: ['fs.*'], budgets: { calls: 5 } },
  });
  expect([await world.file('src/one.txt'), await world.file('two.txt'), await world.file('after.txt')]).toEqual([
    'x',
    null,
    'x',
  ]);
  const calls = await operations(session!.session_id);
  expect(calls.map(({ tool_id, state }) => [tool_id, state]).sort()).toEqual([
    ['fs.write', 'committed'],
    ['fs.write', 'refused'],
    ['shell.run', 'refused'],
  ]);
  expect(new Set(calls.map(({ capability_token_id }) => capability_token_id))).toEqual(
    new Set([session!.capability_token_id]),
  );
  const [{ run: lower }] = (await transcript(session!.session_id)) as [JsonValue];
  const [{ events }] = (await transcript(run.session_id)) as [JsonValue];
  expect((events as JsonValue[]).filter(({ kind }) => kind === 'held')).toMatchObject([
    { round: 1, index: 0, held: { waits_for: 'run', run_id: lower.run_id, operation_id: spawned!.operation_id } },
  ]);
  const answer = (events as JsonValue[]).find(({ kind, index }) => kind === 'answered' && index === 0)!
    .answer as JsonValue;
  expect(answer).toMatchObject({ is_error: false, below: { run_id: lower.run_id, tokens: 220, cost: 400 } });
  expect(JSON.parse(answer.text as string)).toEqual({
    status: 'ok',
    run_id: lower.run_id,
    stopped: 'end',
    rounds: 2,
    calls: 3,
    tokens: 220,
    text: 'One was written.',
  });
  // It was told its task and its own tools, and nothing of the conversation above.
  const asked = model.asked.find((each) => taskOf(each) === 'write one')!;
  expect(messagesIn(asked).map(({ role }) => role)).toEqual(['system', 'user']);
  expect(JSON.stringify(asked.body['tools'])).not.toContain('"bash"');
  // Listed with its run alone, and found in the log: the call, then the token that was made of it.
  expect(
    ((await world.admin.get('/v1/sessions')).body.items as JsonValue[]).map(({ session_id }) => session_id),
  ).not.toContain(session!.session_id);
  await eventually(
    'the token in the log',
    async () =>
      (
        await observer.rows(
          `SELECT 1 FROM ledger.leaf WHERE kind = 'token' AND position($1 in convert_from(payload, 'UTF8')) > 0`,
          [spawned!.operation_id],
        )
      ).length === 1,
  );
});

it('wider than its caller, it is refused on the record, and outside of a run there is none', async () => {
  const run = await begin(
    'too much',
    [{ calls: [spawn('anything', { budgets: { calls: 1_000_000_000 } })] }, { text: 'No.' }],
    {},
    await tokenFor({ tools: ['agent.spawn'], budgets: { calls: 3 } }),
  );
  await until(run.run_id, 'ended');
  expect(await operations(run.session_id)).toMatchObject([
    { state: 'refused', result: { error: { code: 'token.not_narrower' } } },
  ]);
  expect(await below(run.run_id)).toEqual([]);
  expect((await world.call('agent.spawn', { task: 'x' }, { capability_token_id: tokenId })).body).toMatchObject({
    status: 'error',
    error: { code: 'tool.not_available' },
  });
});

it('what is left of the run above bounds it, and what it used counts there', async () => {
  model.scripts.set(
    'costly',
    Array.from({ length: 6 }, (_, n) => ({ calls: [write(`c${n}.txt`)] })),
  );
  const run = await begin('hand on the costly', [{ calls: [spawn('costly')] }, { text: 'never' }], { cost_max: 700 });
  expect(await until(run.run_id, 'ended')).toMatchObject({ stopped: 'budget', rounds: 1, cost: 200 });
  expect(await transcript((await below(run.run_id))[0]!.session_id)).toMatchObject([
    { run: { stopped: 'budget', rounds: 3, cost: 600 } },
  ]);
});

it('ends with the run above when that is cancelled, and when the token of that is revoked', async () => {
  model.scripts.set('silent', [{ end: 'silent' }]);
  const run = await begin('hand on for ever', [{ calls: [spawn('silent')] }]);
  const { session_id } = await child(run.run_id);
  await until(run.run_id, 'waiting');
  expect((await world.agent.post(`/v1/runs/${run.run_id as string}/cancel`)).status).toBe(200);
  expect(await until(run.run_id, 'ended')).toMatchObject({ stopped: 'cancelled' });
  const [{ run: lower }] = (await transcript(session_id)) as [JsonValue];
  expect(await until(lower.run_id, 'ended')).toMatchObject({ stopped: 'cancelled' });

  const capability_token_id = await tokenFor({ tools: ['fs.*', 'agent.spawn'], budgets: {} });
  // Its first call is let in, and then there is no token any more.
  model.scripts.set('revoked', [{ calls: [write('r1.txt')] }, { calls: [write('r2.txt')] }, { text: 'no' }]);
  const revoked = Promise.withResolvers<unknown>();
  model.onAsked = (asked) => {
    if (taskOf(asked) === 'revoked' && roundOf(asked) === 1)
      void world.admin.post(`/v1/capability-tokens/${capability_token_id}/revoke`).then(revoked.resolve);
  };
  const second = await begin(
    'hand on the revoked',
    [{ calls: [spawn('revoked')] }, { text: 'done' }],
    {},
    capability_token_id,
  );
  await revoked.promise;
  model.onAsked = () => undefined;
  expect(await until(second.run_id, 'ended')).toMatchObject({ stopped: 'cancelled' });
  const [{ run: under }] = (await transcript((await below(second.run_id))[0]!.session_id)) as [JsonValue];
  expect(await until(under.run_id, 'ended')).toMatchObject({ state: 'ended' });
  expect(under.stopped).not.toBe('end');
});

it('an API that is killed at any step of either run and comes back leaves one sub-agent, and each call has its effect once', async () => {
  const {
    services: { orchestrator },
  } = stack;
  const points = [
    { above: 1 },
    { above: 2 },
    { asked: 0 },
    { below: 1 },
    { below: 2 },
    { asked: 1 },
    { above: 3 },
    { above: 4 },
  ];
  for (const point of points) {
    const name = JSON.stringify(point).replaceAll(/[^a-z0-9]/g, '');
    const [task, lowerTask] = [`above at ${name}`, `below at ${name}`];
    model.scripts.set(lowerTask, [{ calls: [write(`k/${name}.txt`)] }, { text: `did ${name}` }]);
    const killed = Promise.withResolvers<true>();
    const kill = (): void => {
      void orchestrator.kill().then(() => killed.resolve(true));
    };
    if (point.asked !== undefined)
      model.onAsked = (asked) => {
        if (taskOf(asked) === lowerTask && roundOf(asked) === point.asked) kill();
      };
    const run = await begin(task, [{ calls: [spawn(lowerTask)] }, { text: 'end' }]);
    if (point.asked === undefined) {
      const [where, events] =
        point.above === undefined
          ? ['session_id IN (SELECT session_id FROM orchestrator.session WHERE parent_run = $1)', point.below]
          : ['run_id = $1', point.above];
      await eventually(
        `${name}`,
        async () =>
          (await observer.rows(`SELECT 1 FROM orchestrator.run WHERE ${where} AND events >= $2`, [run.run_id, events]))
            .length > 0,
        60_000,
      );
      kill();
    }
    await killed.promise;
    model.onAsked = () => undefined;
    await orchestrator.start();
    // The dead one's leases run out first.
    await observer.rows(`UPDATE orchestrator.run SET lease_until = 0 WHERE state <> 'ended'`, []);
    expect(await until(run.run_id, 'ended')).toMatchObject({ stopped: 'end', rounds: 2 });
    const sessions = await below(run.run_id);
    expect(sessions).toHaveLength(1);
    expect(await transcript(sessions[0]!.session_id)).toMatchObject([{ run: { stopped: 'end', rounds: 2 } }]);
    expect((await operations(run.session_id)).map(({ tool_id, state }) => [tool_id, state])).toEqual([
      ['agent.spawn', 'no_op'],
    ]);
    expect((await operations(sessions[0]!.session_id)).map(({ state }) => state)).toEqual(['committed']);
    const [{ events }] = (await transcript(run.session_id)) as [JsonValue];
    expect(
      (events as JsonValue[])
        .filter(({ kind }) => kind === 'answered')
        .map(({ answer }) => (JSON.parse(answer.text as string) as { text: string }).text),
    ).toEqual([`did ${name}`]);
  }
}, 600_000);
