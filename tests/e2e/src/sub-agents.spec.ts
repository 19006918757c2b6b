// SPDX-License-Identifier: Apache-2.0
// Sub-agents of runs through the public API: their rights, their views, their end with the parent run, and
// orchestrators that die meanwhile.
import { vi } from 'vitest';
import { eventually, makeWorld, Observer, startStack, type JsonValue, type Stack, type World } from '@writ/stack';
import { messagesIn, roundOf, ScriptedModel, taskOf, type Reply } from './scripted-model.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let stack: Stack;
let world: World;
let model: ScriptedModel;
let observer: Observer;
/** A grant that may spawn, too. */
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
  script: readonly Reply[],
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

it('a sub-agent works within its narrowed token, and the parent run continues with its last text', async () => {
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
  // It received its task and its own tools, and nothing of the parent's conversation.
  const asked = model.requests.find((each) => taskOf(each) === 'write one')!;
  expect(messagesIn(asked).map(({ role }) => role)).toEqual(['system', 'user']);
  expect(JSON.stringify(asked.body['tools'])).not.toContain('"bash"');
  // Listed only with its run, and found in the log: the call, then the token that was derived for it.
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

it('wider than its caller it is refused with a record, and outside of a run it is unknown', async () => {
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

it("the parent run's remaining budget limits it, and its use counts there", async () => {
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

it("ends with the parent run, by cancellation or by revocation of the parent's token", async () => {
  model.scripts.set('silent', [{ end: 'silent' }]);
  const run = await begin('hand on for ever', [{ calls: [spawn('silent')] }]);
  const { session_id } = await child(run.run_id);
  await until(run.run_id, 'waiting');
  expect((await world.agent.post(`/v1/runs/${run.run_id as string}/cancel`)).status).toBe(200);
  expect(await until(run.run_id, 'ended')).toMatchObject({ stopped: 'cancelled' });
  const [{ run: lower }] = (await transcript(session_id)) as [JsonValue];
  expect(await until(lower.run_id, 'ended')).toMatchObject({ stopped: 'cancelled' });

  const capability_token_id = await tokenFor({ tools: ['fs.*', 'agent.spawn'], budgets: {} });
  // Its first call is admitted, and then the token is revoked.
  model.scripts.set('revoked', [{ calls: [write('r1.txt')] }, { calls: [write('r2.txt')] }, { text: 'no' }]);
  const revoked = Promise.withResolvers<unknown>();
  model.onRequest = (asked) => {
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
  model.onRequest = () => undefined;
  expect(await until(second.run_id, 'ended')).toMatchObject({ stopped: 'cancelled' });
  const [{ run: under }] = (await transcript((await below(second.run_id))[0]!.session_id)) as [JsonValue];
  expect(await until(under.run_id, 'ended')).toMatchObject({ state: 'ended' });
  expect(under.stopped).not.toBe('end');
});

it('an API killed and restarted at any step of either run leaves one sub-agent and single effects', async () => {
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
      model.onRequest = (asked) => {
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
    model.onRequest = () => undefined;
    await orchestrator.start();
    // The leases of the dead orchestrator expire first.
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

describe('a sub-agent of an agent that keeps its own loop', () => {
  const yips = (task: string, over: object = {}): string =>
    `\`\`\`yips-agent\n${JSON.stringify({ actions: [{ type: 'subagent', id: 'a1', task, ...over }] })}\n\`\`\``;
  const WRITTEN: Readonly<Record<string, (task: string) => string>> = {
    yips,
    blocks: (task) => `[TOOL_CALL:a1] ${JSON.stringify({ action: 'create_sub_agent', task })}`,
    'tools-xml': (task) => `<tools><call tool="agent.spawn">${JSON.stringify({ task })}</call></tools>`,
    anthropic: (task) =>
      JSON.stringify({
        type: 'message',
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'a1', name: 'agent-spawn', input: { task } }],
        stop_reason: 'tool_use',
      }),
  };
  const post = (dialect: string, output: string, over: object = {}, wait = 50_000) =>
    world.agent.post(`/v1/turns?wait=${wait}`, {
      dialect,
      output,
      session_id: 'own-loop',
      turn_id: `${dialect}-${output.length}`,
      capability_token_id: tokenId,
      workspace_id: world.workspaceId,
      sub_agent_model: 'wire',
      ...over,
    });
  const callIn = ({ body }: { body: JsonValue }): JsonValue => (body.calls as JsonValue[])[0]!;

  it.each(Object.keys(WRITTEN))('in %s, its last text is in the result of the turn', async (dialect) => {
    const task = `look around for ${dialect}`;
    model.scripts.set(task, [{ text: `Seen for ${dialect}.` }]);
    const answer = await post(dialect, WRITTEN[dialect]!(task));
    expect([answer.status, answer.body.state]).toEqual([200, 'ended']);
    expect(callIn(answer)).toMatchObject({ tool_id: 'agent.spawn', standing: 'completed', state: 'no_op' });
    expect(JSON.stringify(answer.body.messages)).toContain(`Seen for ${dialect}.`);
    const operationId = callIn(answer).operation_id as string;
    const { items } = (await world.admin.get('/v1/sessions?limit=200')).body as { items: JsonValue[] };
    const [session, ...others] = items.filter(({ spawned_by }) => spawned_by?.operation_id === operationId);
    expect(others).toEqual([]);
    expect(session).toMatchObject({
      spawned_by: { run_id: null },
      dialect: dialect === 'anthropic' ? 'native' : dialect,
      agent_id: world.agentId,
    });
    const token = (await world.admin.get(`/v1/capability-tokens/${session!.capability_token_id as string}`)).body;
    expect(token).toMatchObject({ parent_id: tokenId, spawned_by: operationId });
  });

  it('works within the allowed tools, and the same turn posted again finds it', async () => {
    const task = 'take your time';
    const release = Promise.withResolvers<true>();
    model.onRequest = (asked) => (taskOf(asked).startsWith(task) ? release.promise : undefined);
    model.scripts.set(`${task}\n\nContext:\nnothing`, [{ text: 'At last.' }]);
    const output = yips(task, { context: 'nothing', allowed_tools: ['read_file', 'list_dir'], max_rounds: 99 });
    const first = await post('yips', output, {}, 0);
    const again = await post('yips', output, {}, 1_000);
    expect([again.status, again.body.state]).toEqual([202, 'under_way']);
    expect(callIn(again)).toMatchObject({ standing: 'executing' });
    expect(JSON.stringify(again.body.messages)).toMatch(/run_[0-9a-z]{26}/);
    expect(first.status).toBe(202);
    release.resolve(true);
    model.onRequest = () => undefined;
    const done = await post('yips', output);
    expect([done.status, callIn(done).operation_id]).toEqual([200, callIn(again).operation_id]);
    const text = JSON.stringify(done.body.messages);
    expect([text.includes('At last.'), text.includes('`max_rounds` is 1 to 50')]).toEqual([true, true]);
    const { items } = (await world.admin.get('/v1/sessions?limit=200')).body as { items: JsonValue[] };
    const [session] = items.filter(({ spawned_by }) => spawned_by?.operation_id === callIn(done).operation_id);
    const token = (await world.admin.get(`/v1/capability-tokens/${session!.capability_token_id as string}`)).body;
    expect(token.grant.tools).toEqual(['fs.read', 'fs.list']);
  });

  it('is denied without a model, asked for its task, and refused if it would reach further', async () => {
    expect(callIn(await post('yips', yips('of two models'), { sub_agent_model: undefined }))).toMatchObject({
      standing: 'denied',
      operation_id: null,
      error: { code: 'tool.not_available', message: expect.stringContaining('several models') },
    });
    const { body } = await post('blocks', '[TOOL_CALL:a1] {"action":"create_sub_agent"}');
    expect([body.calls, JSON.stringify(body.messages)]).toEqual([[], expect.stringContaining('needs `task`')]);
    const narrow = await tokenFor({ tools: ['agent.spawn', 'fs.read'], budgets: {} });
    expect(
      callIn(await post('yips', yips('write', { allowed_tools: ['fs.*'] }), { capability_token_id: narrow })),
    ).toMatchObject({ standing: 'denied', state: 'refused', error: { code: 'token.not_narrower' } });
  });
});
