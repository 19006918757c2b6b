// SPDX-License-Identifier: Apache-2.0
// Sessions and runs through the API, with a model on loopback that speaks a provider's wire format. Streams, approvals,
// queues, cancellation and forks. An orchestrator is killed at every step of a run, and another one continues it.
import { vi } from 'vitest';
import {
  Api,
  eventually,
  makeWorld,
  Observer,
  approveShown,
  startStack,
  type JsonValue,
  type Service,
  type Stack,
  type World,
} from '@writ/stack';
import { freePort } from '@writ/testing';
import { durable, RunClient, type StreamedEvent } from './run-client.ts';
import { messagesIn, MODEL_KEY, roundOf, ScriptedModel, taskOf, type Reply } from './scripted-model.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let stack: Stack;
let world: World;
let model: ScriptedModel;
let observer: Observer;
let runs: RunClient;

beforeAll(async () => {
  model = await ScriptedModel.open();
  stack = await startStack({
    env: { kernel: { WRIT_SWEEP_MS: '200' }, orchestrator: { WRIT_MODELS_FILE: model.file } },
  });
  world = await makeWorld(stack.url, stack.keys.platformKey, {
    files: { 'a.txt': 'one\n', 'old/b.txt': 'two\n', 'keep/c.txt': 'three\n', 'CODE.md': 'Keep it short.\n' },
  });
  observer = new Observer(stack);
  runs = new RunClient(world, model);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
  await model?.close();
});

const write = (path: string, content: string) => ({ name: 'write_file', args: { path, content } });
it('a task runs in rounds, each call through the kernel, and a reconnecting reader sees all in order', async () => {
  const { session_id } = await runs.session({ system: 'Speak French.' });
  const script = [
    {
      text: 'I look and write. ',
      calls: [{ name: 'read_file', args: { path: 'a.txt' } }, write('x.txt', 'x\n'), write('y.txt', 'y\n')],
    },
    { text: 'Once more. ', calls: [write('../out.txt', 'no')] },
    { text: 'It is all done.' },
  ];
  const { run_id } = await runs.start(session_id as string, 'write x and y', script);
  const received = await runs.listen(run_id as string);
  expect(received[0]).toMatchObject({ event: 'ready', data: { v: 1, run_id } });
  expect(durable(received).map(({ id }) => Number(id))).toEqual(durable(received).map((_one, n) => n + 1));
  expect((await runs.run(run_id as string)).error).toBeNull();
  const names = durable(received).map(({ event }) => event);
  expect([
    names[0],
    names.at(-1),
    names.filter((name) => name === 'replied').length,
    names.filter((name) => name === 'answered').length,
  ]).toEqual(['replied', 'ended', 3, 4]);
  expect(received.at(-1)).toMatchObject({ event: 'ended', data: { stopped: 'end' } });
  expect([await world.file('x.txt'), await world.file('y.txt')]).toEqual(['x\n', 'y\n']);
  expect(durable(received).find(({ data }) => data.round === 2 && data.kind === 'answered')?.data.answer).toMatchObject(
    { is_error: true },
  );
  const ended = await runs.run(run_id as string);
  expect(ended).toMatchObject({
    state: 'ended',
    stopped: 'end',
    rounds: 3,
    input_tokens: 300,
    output_tokens: 30,
    cost: 600,
    waits_for: [],
    events: durable(received).length,
  });
  // The rest from any position, and nothing twice.
  const rest = durable(await runs.listen(run_id as string, { after: 2 }));
  expect(rest).toEqual(durable(received).slice(2));
  // The model's input: identity, tools, notes, the session's own instructions; its answers in the order of its calls.
  const [first, second] = model.requests.filter((asked) => taskOf(asked) === 'write x and y');
  const system = messagesIn(first!)[0]?.content ?? '';
  expect([system.includes('Keep it short.'), system.endsWith('Speak French.')]).toEqual([true, true]);
  expect(
    messagesIn(second!)
      .filter(({ role }) => role === 'tool')
      .map(({ tool_call_id }) => tool_call_id),
  ).toEqual(['call_0_0', 'call_0_1', 'call_0_2']);
  const operations = (await world.admin.get(`/v1/operations?session_id=${session_id as string}`)).body
    .items as JsonValue[];
  expect(operations.map(({ provenance }) => [provenance.source, provenance.run_id, provenance.model])).toEqual(
    operations.map(() => ['run', run_id, 'm-1']),
  );
  const transcript = (await world.auditor.get(`/v1/sessions/${session_id as string}/transcript`)).body;
  expect(transcript.runs).toMatchObject([
    { input: 'write x and y', run: { run_id }, events: durable(received).map(({ data }) => data as object) },
  ]);
  expect((await world.admin.get('/v1/usage')).body.items).toEqual([
    {
      of: null,
      model: 'wire',
      runs: 1,
      input_tokens: 300,
      cached_tokens: 0,
      output_tokens: 30,
      cost: 600,
      currency: 'EUR',
    },
  ]);
});

/** Another replica of the API, with the same models. */
async function secondApi(): Promise<{ readonly service: Service; readonly agent: Api; readonly admin: Api }> {
  const port = await freePort();
  const service = await stack.another('orchestrator', { WRIT_HTTP_PORT: String(port), WRIT_MODELS_FILE: model.file });
  const [agent, admin] = [world.agent, world.admin].map(({ key }) => new Api(`http://127.0.0.1:${port}`, key)) as [
    Api,
    Api,
  ];
  return { service, agent, admin };
}

it('text streams to readers at any orchestrator, and a streaming run can be cancelled', async () => {
  const second = await secondApi();
  const { session_id } = await runs.session();
  // The replies never end, so received text was sent while they streamed. The second run waits for the first, and its
  // readers connect before it starts.
  const first = await runs.start(session_id as string, 'go before', [{ end: 'silent' }]);
  const { run_id } = await runs.start(session_id as string, 'stream', [{ text: 'one two three', end: 'silent' }]);
  const reader = (by: Api) => {
    const [ready, text] = [Promise.withResolvers<true>(), Promise.withResolvers<string>()];
    let said = '';
    const enough = ({ event, data }: StreamedEvent): boolean => {
      if (event === 'ready') ready.resolve(true);
      if (event === 'text') said += String(data.text);
      return said.includes('three');
    };
    runs.listen(run_id as string, { by, enough }).then(
      () => {
        text.resolve(said);
      },
      (error: unknown) => {
        ready.reject(error);
        text.reject(error);
      },
    );
    return { ready: ready.promise, text: text.promise };
  };
  const readers = [reader(world.agent), reader(second.agent)];
  await Promise.all(readers.map(({ ready }) => ready));
  expect((await world.agent.post(`/v1/runs/${first.run_id as string}/cancel`)).status).toBe(200);
  expect(await Promise.all(readers.map(({ text }) => text))).toEqual(['one two three', 'one two three']);
  expect((await second.agent.post(`/v1/runs/${run_id as string}/cancel`)).status).toBe(200);
  expect(await runs.until(run_id as string, 'ended')).toMatchObject({ stopped: 'cancelled', cancel_asked: true });
  await second.service.kill();
});

it('runs of a session queue and continue one conversation, and the same key is the same run', async () => {
  const { session_id } = await runs.session();
  const order: string[] = [];
  model.onRequest = (asked) => {
    order.push(taskOf(asked));
  };
  const first = await runs.start(
    session_id as string,
    'first',
    [{ text: 'one', calls: [write('q.txt', '1')] }, { text: 'first done' }],
    { idempotency_key: 'k1' },
  );
  const second = await runs.start(session_id as string, 'second', [{ text: 'second done' }]);
  const again = await world.agent.must(`/v1/sessions/${session_id as string}/runs`, {
    input: 'first',
    idempotency_key: 'k1',
  });
  expect(again.run_id).toBe(first.run_id);
  expect(await runs.until(second.run_id as string, 'ended')).toMatchObject({ stopped: 'end' });
  model.onRequest = () => undefined;
  expect(order).toEqual(['first', 'first', 'second']);
  const reported = messagesIn(model.requests.findLast((asked) => taskOf(asked) === 'second')!);
  expect(reported.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
  const forked = await world.agent.must(`/v1/runs/${first.run_id as string}/fork`, { after: 1 });
  expect(forked).toMatchObject({ forked_from: { run_id: first.run_id, after: 1 }, model: 'wire' });
  await runs.until(
    (await runs.start(forked.session_id as string, 'other way', [{ text: 'yes' }])).run_id as string,
    'ended',
  );
  const seen = messagesIn(model.requests.findLast((asked) => taskOf(asked) === 'other way')!);
  expect(seen.map(({ role, content }) => [role, role === 'tool' ? '' : content]).slice(1)).toEqual([
    ['user', 'first'],
    ['assistant', 'one'],
    ['tool', ''],
    ['user', 'other way'],
  ]);
  expect((await world.admin.request('DELETE', `/v1/sessions/${session_id as string}`)).status).toBe(200);
  expect((await runs.run(first.run_id as string)).code).toBe('not_found');
});

it('an erasure is refused while a run is active, with advice to retry', async () => {
  const { session_id } = await runs.session();
  const { run_id } = await runs.start(session_id as string, 'clear it', [
    { text: 'I delete.', calls: [{ name: 'bash', args: { command: 'rm -rf old' } }] },
    { text: 'done' },
  ]);
  await runs.until(run_id as string, 'waiting');
  const refused = await world.admin.post('/v1/erasures', { session_id, reason_code: 'asked' });
  expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
  await world.admin.must(`/v1/runs/${run_id as string}/cancel`, {});
  await runs.until(run_id as string, 'ended');
  const job = await world.admin.must('/v1/jobs', {
    name: 'daily',
    cron: '@yearly',
    workspace_id: world.workspaceId,
    capability_token_id: world.tokenId,
    input: 'ask',
    model: 'wire',
    data_subject: 'crm/77',
  });
  expect(JSON.stringify(job)).not.toContain('crm/77');
  const again = await world.admin.post('/v1/erasures', { subject: 'crm/77', reason_code: 'asked' });
  expect([again.status, again.body.detail]).toEqual([409, expect.stringContaining(job.job_id as string)]);
});

it('a held call pauses its run, which continues after the decision, over a restart of the API', async () => {
  const { session_id } = await runs.session();
  const { run_id } = await runs.start(session_id as string, 'clean up', [
    { text: 'I delete.', calls: [{ name: 'bash', args: { command: 'rm -rf old' } }] },
    { text: 'done' },
  ]);
  const waiting = await runs.until(run_id as string, 'waiting');
  const [operationId] = waiting.waits_for as string[];
  await stack.services.orchestrator.kill();
  await stack.services.orchestrator.start();
  expect(await runs.run(run_id as string)).toMatchObject({ state: 'waiting', waits_for: [operationId] });
  const { approval_id } = (await world.operator.get(`/v1/operations/${operationId!}`)).body;
  expect((await approveShown(world.operator, approval_id)).status).toBe(200);
  expect(await runs.until(run_id as string, 'ended')).toMatchObject({ stopped: 'end' });
  expect(await world.file('old/b.txt')).toBeNull();
  const received = durable(await runs.listen(run_id as string));
  expect(received.map(({ event }) => event)).toEqual(['replied', 'held', 'resumed', 'answered', 'replied', 'ended']);
  expect(
    [1, 3]
      .map((at) => (received[at]!.data.held ?? received[at]!.data.answer) as JsonValue)
      .map(({ operation_id }) => operation_id),
  ).toEqual([operationId, operationId]);
});

it('a run ends by cancellation with its held call, by its cost limit, or by its revoked key', async () => {
  const { session_id } = await runs.session();
  const held = await runs.start(session_id as string, 'clean up again', [
    { calls: [{ name: 'bash', args: { command: 'rm -rf keep' } }] },
  ]);
  const { waits_for } = await runs.until(held.run_id as string, 'waiting');
  const queued = await runs.start(session_id as string, 'never', [{ text: 'no' }]);
  for (const { run_id } of [queued, held])
    expect((await world.operator.post(`/v1/runs/${run_id as string}/cancel`)).status).toBe(200);
  for (const { run_id } of [held, queued])
    expect(await runs.until(run_id as string, 'ended')).toMatchObject({ stopped: 'cancelled' });
  await world.until((waits_for as string[])[0]!, ['rolled_back', 'refused']);
  const expensive = await runs.start(
    session_id as string,
    'dear',
    [{ calls: [write('d1.txt', '1')] }, { calls: [write('d2.txt', '2')] }, { text: 'done' }],
    { cost_max: 250 },
  );
  expect(await runs.until(expensive.run_id as string, 'ended')).toMatchObject({
    stopped: 'budget',
    rounds: 2,
    cost: 400,
  });
  const { api_key, api_key_id } = await world.admin.must('/v1/api-keys', {
    name: 'short',
    role: 'agent',
    agent_id: world.agentId,
  });
  const short = world.admin.as(api_key as string);
  const paused = await runs.start(
    session_id as string,
    'clean up thrice',
    [{ calls: [{ name: 'bash', args: { command: 'rm -rf keep' } }] }],
    {},
    short,
  );
  await runs.until(paused.run_id as string, 'waiting');
  await world.admin.request('DELETE', `/v1/api-keys/${api_key_id as string}`);
  expect(await runs.until(paused.run_id as string, 'ended')).toMatchObject({ stopped: 'cancelled' });
});

it("no answer, event or log contains the model's key", async () => {
  const { session_id } = await runs.session();
  await runs.until((await runs.start(session_id as string, 'key', [{ text: 'done' }])).run_id as string, 'ended');
  expect(model.requests.at(-1)?.headers.authorization).toBe(`Bearer ${MODEL_KEY}`);
  const answers = await Promise.all([
    world.admin.get('/v1/models'),
    world.admin.get(`/v1/sessions/${session_id as string}/transcript`),
  ]);
  const wire = {
    name: 'wire',
    provider: 'openai',
    model: 'm-1',
    prices: { input: 1_000_000, cached: 1_000_000, output: 10_000_000 },
    currency: 'EUR',
    context_tokens_max: null,
  };
  expect(answers[0]!.body.items).toEqual([wire, { ...wire, name: 'forgetful', context_tokens_max: 1_000 }]);
  for (const text of [...answers.map((answer) => answer.text), stack.logs()]) expect(text).not.toContain(MODEL_KEY);
});

it('an API that is killed and restarted at every step of a run ends it alike, with each effect once', async () => {
  const replies = (n: string): Reply[] => [
    { text: 'a', calls: [write(`k${n}/1.txt`, '1'), write(`k${n}/2.txt`, '2')] },
    { text: 'b', calls: [write(`k${n}/3.txt`, '3')] },
    { text: 'end' },
  ];
  const kindsOf = async (runId: string): Promise<string[]> =>
    durable(await runs.listen(runId)).map(({ event }) => event);
  const { session_id } = await runs.session();
  const whole = await runs.start(session_id as string, 'whole', replies('0'));
  await runs.until(whole.run_id as string, 'ended');
  const expected = await kindsOf(whole.run_id as string);
  expect(expected).toEqual(['replied', 'answered', 'answered', 'replied', 'answered', 'replied', 'ended']);
  // Externally visible steps: the request for the nth reply; the nth durable event.
  for (const point of [{ asked: 0 }, { kept: 1 }, { kept: 2 }, { asked: 1 }, { kept: 4 }, { kept: 5 }, { asked: 2 }]) {
    const n = JSON.stringify(point).replaceAll(/[^a-z0-9]/g, '');
    const { session_id: own } = await runs.session();
    const killed = Promise.withResolvers<true>();
    const task = `kill at ${n}`;
    const {
      services: { orchestrator },
    } = stack;
    if (point.asked !== undefined)
      model.onRequest = (asked) => {
        if (taskOf(asked) === task && roundOf(asked) === point.asked)
          void orchestrator.kill().then(() => killed.resolve(true));
      };
    const { run_id } = await runs.start(own as string, task, replies(n));
    if (point.kept !== undefined) {
      await eventually(
        `event ${point.kept}`,
        async () =>
          (
            await observer.rows('SELECT 1 FROM orchestrator.run WHERE run_id = $1 AND events >= $2', [
              run_id,
              point.kept,
            ])
          ).length > 0,
        60_000,
      );
      await orchestrator.kill();
      killed.resolve(true);
    }
    await killed.promise;
    model.onRequest = () => undefined;
    await orchestrator.start();
    // The dead orchestrator's lease expires first.
    await observer.rows('UPDATE orchestrator.run SET lease_until = 0 WHERE run_id = $1', [run_id]);
    expect(await runs.until(run_id as string, 'ended')).toMatchObject({ stopped: 'end', rounds: 3 });
    expect((await kindsOf(run_id as string)).sort()).toEqual([...expected].sort());
    const operations = (await world.admin.get(`/v1/operations?session_id=${own as string}&limit=200`)).body
      .items as JsonValue[];
    expect(operations.filter(({ provenance }) => provenance.turn !== '0').map(({ state }) => state)).toEqual([
      'committed',
      'committed',
      'committed',
    ]);
    expect(await Promise.all(['1', '2', '3'].map((file) => world.file(`k${n}/${file}.txt`)))).toEqual(['1', '2', '3']);
  }
});

it('another orchestrator continues a run after the lease of the dead one expired', async () => {
  const {
    services: { orchestrator },
  } = stack;
  const { session_id: own } = await runs.session();
  const second = Promise.withResolvers<Awaited<ReturnType<typeof secondApi>>>();
  // It dies during the model's second request, with one call committed and answered.
  model.onRequest = (asked) => {
    if (taskOf(asked) !== 'taken over' || roundOf(asked) !== 1 || !orchestrator.isRunning) return;
    model.onRequest = () => undefined;
    void orchestrator.kill().then(secondApi).then(second.resolve, second.reject);
  };
  const { run_id } = await runs.start(own as string, 'taken over', [
    { calls: [write('t/1.txt', '1')] },
    { calls: [write('t/2.txt', '2')] },
    { text: 'end' },
  ]);
  const { admin, agent, service } = await second.promise;
  expect(await runs.until(run_id as string, 'ended', admin)).toMatchObject({ stopped: 'end', rounds: 3 });
  expect(durable(await runs.listen(run_id as string, { by: agent })).map(({ event }) => event)).toEqual([
    'replied',
    'answered',
    'replied',
    'answered',
    'replied',
    'ended',
  ]);
  const operations = (await admin.get(`/v1/operations?session_id=${own as string}&limit=200`)).body
    .items as JsonValue[];
  expect(operations.filter(({ provenance }) => provenance.turn !== '0').map(({ state }) => state)).toEqual([
    'committed',
    'committed',
  ]);
  await orchestrator.start();
  await service.kill();
});
