// SPDX-License-Identifier: Apache-2.0
// Sessions and runs through the public doors, with a model on loopback that speaks a provider's wire format: streams,
// approvals, queues, cancellation, forks, and a door that is killed at every step of a run while another one goes on
// with it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import {
  Api,
  eventually,
  makeWorld,
  Observer,
  sayYes,
  startStack,
  type JsonValue,
  type Service,
  type Stack,
  type World,
} from '@writ/stack';
import { chatChunk, freePort, sse, WireServer, type WireAsked, type WireScript } from '@writ/testing';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const KEY = 'sk-of-this-spec-0123456789';

/** One reply of the scripted model. */
interface Said {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: object }[];
  readonly end?: WireScript['end'];
}

function wire({ text = '', calls = [], end = 'whole' }: Said, round: number): WireScript {
  const words = text.match(/\S+\s*/g) ?? [];
  const asked = calls.map(({ name, args }, index) =>
    chatChunk({
      tool_calls: [
        { index, id: `call_${round}_${index}`, type: 'function', function: { name, arguments: JSON.stringify(args) } },
      ],
    }),
  );
  const usage = sse({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'm',
    choices: [],
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  });
  return {
    chunks: [
      ...words.map((content) => chatChunk({ content })),
      ...asked,
      ...(end === 'whole' ? [chatChunk({}, calls.length > 0 ? 'tool_calls' : 'stop'), usage, sse('[DONE]')] : []),
    ],
    end,
  };
}

type Told = { readonly role: string; readonly content?: string; readonly tool_call_id?: string };
const messagesIn = ({ body }: WireAsked): Told[] => body['messages'] as Told[];
/** Which reply of the last task is asked for, from 0: the same whoever asks. */
const roundOf = (asked: WireAsked): number =>
  messagesIn(asked)
    .slice(messagesIn(asked).findLastIndex(({ role }) => role === 'user'))
    .filter(({ role }) => role === 'assistant').length;
const taskOf = (asked: WireAsked): string => messagesIn(asked).findLast(({ role }) => role === 'user')?.content ?? '';

let stack: Stack;
let world: World;
let model: WireServer;
let observer: Observer;
let folder: string;
/** by task */
const scripts = new Map<string, readonly Said[]>();
let onAsked: (asked: WireAsked) => void = () => undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'writ-models-'));
  model = await new WireServer().open();
  model.script = (asked) => {
    onAsked(asked);
    return wire(scripts.get(taskOf(asked))?.[roundOf(asked)] ?? { text: 'done' }, roundOf(asked));
  };
  writeFileSync(join(folder, 'key'), KEY);
  writeFileSync(
    join(folder, 'models.json'),
    JSON.stringify({
      models: [
        {
          name: 'wire',
          provider: 'openai',
          model: 'm-1',
          base_url: `${model.url}/v1`,
          key_file: 'key',
          prices: { input: 1_000_000, cached: 1_000_000, output: 10_000_000 },
          currency: 'EUR',
        },
      ],
    }),
  );
  stack = await startStack({
    env: { kernel: { WRIT_SWEEP_MS: '200' }, orchestrator: { WRIT_MODELS_FILE: join(folder, 'models.json') } },
  });
  world = await makeWorld(stack.url, stack.keys.platformKey, {
    files: { 'a.txt': 'one\n', 'old/b.txt': 'two\n', 'keep/c.txt': 'three\n', 'CODE.md': 'Keep it short.\n' },
  });
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
  await model?.close();
  rmSync(folder, { recursive: true, force: true });
});

const write = (path: string, content: string) => ({ name: 'write_file', args: { path, content } });
const session = async (over: object = {}, by = world.agent): Promise<JsonValue> =>
  await by.must('/v1/sessions', {
    workspace_id: world.workspaceId,
    capability_token_id: world.tokenId,
    model: 'wire',
    ...over,
  });
const start = async (
  sessionId: string,
  input: string,
  script: readonly Said[],
  over: object = {},
  by = world.agent,
): Promise<JsonValue> => {
  scripts.set(input, script);
  const { status, headers, body } = await by.post(`/v1/sessions/${sessionId}/runs`, { input, ...over });
  expect([status, headers.get('location')]).toEqual([202, `/v1/runs/${body.run_id as string}`]);
  return body;
};
const run = async (runId: string, by: Api = world.admin): Promise<JsonValue> =>
  (await by.get(`/v1/runs/${runId}`)).body;
const until = (runId: string, state: string, by: Api = world.admin): Promise<JsonValue> =>
  eventually(
    `${runId} ${state}`,
    async () => {
      const now = await run(runId, by).catch(() => null);
      return now?.state === state ? (now as JsonValue) : null;
    },
    120_000,
  );

interface Heard {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: JsonValue;
}
/** What a stream says until it ends, or until it has said enough. */
async function listen(
  runId: string,
  {
    after,
    enough = () => false,
    by = world.agent,
  }: { after?: number; enough?: (heard: Heard) => boolean; by?: Api } = {},
): Promise<Heard[]> {
  const abort = new AbortController();
  const answer = await fetch(`${by.url}/v1/runs/${runId}/events`, {
    headers: {
      authorization: `Bearer ${by.key ?? ''}`,
      ...(after === undefined ? {} : { 'last-event-id': String(after) }),
    },
    signal: abort.signal,
  });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  const heard: Heard[] = [];
  let text = '';
  try {
    for await (const bytes of answer.body!) {
      text += Buffer.from(bytes as Uint8Array).toString('utf8');
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const field = (name: string) =>
          block
            .split('\n')
            .find((line) => line.startsWith(`${name}: `))
            ?.slice(name.length + 2);
        const event = field('event');
        if (event === undefined) continue;
        heard.push({ id: field('id'), event, data: JSON.parse(field('data') ?? 'null') as JsonValue });
        if (enough(heard.at(-1)!)) return heard;
      }
    }
    return heard;
  } finally {
    abort.abort();
  }
}
const kept = (heard: readonly Heard[]): Heard[] => heard.filter(({ id }) => id !== undefined);

it('a task is done in rounds, each call through the kernel, and a reader sees it all in order however often it comes back', async () => {
  const { session_id } = await session({ system: 'Speak French.' });
  const script = [
    {
      text: 'I look and write. ',
      calls: [{ name: 'read_file', args: { path: 'a.txt' } }, write('x.txt', 'x\n'), write('y.txt', 'y\n')],
    },
    { text: 'Once more. ', calls: [write('../out.txt', 'no')] },
    { text: 'It is all done.' },
  ];
  const { run_id } = await start(session_id as string, 'write x and y', script);
  const heard = await listen(run_id as string);
  expect(heard[0]).toMatchObject({ event: 'ready', data: { v: 1, run_id } });
  expect(kept(heard).map(({ id }) => Number(id))).toEqual(kept(heard).map((_one, n) => n + 1));
  expect((await run(run_id as string)).error).toBeNull();
  const names = kept(heard).map(({ event }) => event);
  expect([
    names[0],
    names.at(-1),
    names.filter((name) => name === 'replied').length,
    names.filter((name) => name === 'answered').length,
  ]).toEqual(['replied', 'ended', 3, 4]);
  expect(heard.at(-1)).toMatchObject({ event: 'ended', data: { stopped: 'end' } });
  expect([await world.file('x.txt'), await world.file('y.txt')]).toEqual(['x\n', 'y\n']);
  expect(kept(heard).find(({ data }) => data.round === 2 && data.kind === 'answered')?.data.answer).toMatchObject({
    is_error: true,
  });
  const ended = await run(run_id as string);
  expect(ended).toMatchObject({
    state: 'ended',
    stopped: 'end',
    rounds: 3,
    input_tokens: 300,
    output_tokens: 30,
    cost: 600,
    waits_for: [],
    events: kept(heard).length,
  });
  // The rest from any place, and nothing twice.
  const rest = kept(await listen(run_id as string, { after: 2 }));
  expect(rest).toEqual(kept(heard).slice(2));
  // What the model was told: identity, tools, notes, the session's own words; its answers in the order of its calls.
  const [first, second] = model.asked.filter((asked) => taskOf(asked) === 'write x and y');
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
    { input: 'write x and y', run: { run_id }, events: kept(heard).map(({ data }) => data as object) },
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

/** Another replica of the door, with the same models. */
async function secondDoor(): Promise<{ readonly service: Service; readonly agent: Api; readonly admin: Api }> {
  const port = await freePort();
  const service = await stack.another('orchestrator', {
    WRIT_HTTP_PORT: String(port),
    WRIT_MODELS_FILE: join(folder, 'models.json'),
  });
  const [agent, admin] = [world.agent, world.admin].map(({ key }) => new Api(`http://127.0.0.1:${port}`, key)) as [
    Api,
    Api,
  ];
  return { service, agent, admin };
}

it('text is told as it streams, at whichever door the reader is, and a run that streams can be cancelled', async () => {
  const second = await secondDoor();
  const { session_id } = await session();
  // The replies never end, so what is heard of them was told while they streamed; the second run waits for the first,
  // and its readers are there before it.
  const first = await start(session_id as string, 'go before', [{ end: 'silent' }]);
  const { run_id } = await start(session_id as string, 'stream', [{ text: 'one two three', end: 'silent' }]);
  const reader = (by: Api) => {
    const [ready, text] = [Promise.withResolvers<true>(), Promise.withResolvers<string>()];
    let said = '';
    const enough = ({ event, data }: Heard): boolean => {
      if (event === 'ready') ready.resolve(true);
      if (event === 'text') said += String(data.text);
      return said.includes('three');
    };
    listen(run_id as string, { by, enough }).then(
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
  expect(await until(run_id as string, 'ended')).toMatchObject({ stopped: 'cancelled', cancel_asked: true });
  await second.service.kill();
});

it('runs of a session wait for each other, each goes on with the conversation, and the same key is the same run', async () => {
  const { session_id } = await session();
  const order: string[] = [];
  onAsked = (asked) => {
    order.push(taskOf(asked));
  };
  const first = await start(
    session_id as string,
    'first',
    [{ text: 'one', calls: [write('q.txt', '1')] }, { text: 'first done' }],
    { idempotency_key: 'k1' },
  );
  const second = await start(session_id as string, 'second', [{ text: 'second done' }]);
  const again = await world.agent.must(`/v1/sessions/${session_id as string}/runs`, {
    input: 'first',
    idempotency_key: 'k1',
  });
  expect(again.run_id).toBe(first.run_id);
  expect(await until(second.run_id as string, 'ended')).toMatchObject({ stopped: 'end' });
  onAsked = () => undefined;
  expect(order).toEqual(['first', 'first', 'second']);
  const told = messagesIn(model.asked.findLast((asked) => taskOf(asked) === 'second')!);
  expect(told.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
  const forked = await world.agent.must(`/v1/runs/${first.run_id as string}/fork`, { after: 1 });
  expect(forked).toMatchObject({ forked_from: { run_id: first.run_id, after: 1 }, model: 'wire' });
  await until((await start(forked.session_id as string, 'other way', [{ text: 'yes' }])).run_id as string, 'ended');
  const seen = messagesIn(model.asked.findLast((asked) => taskOf(asked) === 'other way')!);
  expect(seen.map(({ role, content }) => [role, role === 'tool' ? '' : content]).slice(1)).toEqual([
    ['user', 'first'],
    ['assistant', 'one'],
    ['tool', ''],
    ['user', 'other way'],
  ]);
  expect((await world.admin.request('DELETE', `/v1/sessions/${session_id as string}`)).status).toBe(200);
  expect((await run(first.run_id as string)).code).toBe('not_found');
});

it('an erasure is refused while a run is at work, and a job would ask again', async () => {
  const { session_id } = await session();
  const { run_id } = await start(session_id as string, 'clear it', [
    { text: 'I delete.', calls: [{ name: 'bash', args: { command: 'rm -rf old' } }] },
    { text: 'done' },
  ]);
  await until(run_id as string, 'waiting');
  const refused = await world.admin.post('/v1/erasures', { session_id, reason_code: 'asked' });
  expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
  await world.admin.must(`/v1/runs/${run_id as string}/cancel`, {});
  await until(run_id as string, 'ended');
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

it('a call that a person must approve is a pause: the run goes on with the decision, over the restart of the door', async () => {
  const { session_id } = await session();
  const { run_id } = await start(session_id as string, 'clean up', [
    { text: 'I delete.', calls: [{ name: 'bash', args: { command: 'rm -rf old' } }] },
    { text: 'done' },
  ]);
  const waiting = await until(run_id as string, 'waiting');
  const [operationId] = waiting.waits_for as string[];
  await stack.services.orchestrator.kill();
  await stack.services.orchestrator.start();
  expect(await run(run_id as string)).toMatchObject({ state: 'waiting', waits_for: [operationId] });
  const { approval_id } = (await world.operator.get(`/v1/operations/${operationId!}`)).body;
  expect((await sayYes(world.operator, approval_id)).status).toBe(200);
  expect(await until(run_id as string, 'ended')).toMatchObject({ stopped: 'end' });
  expect(await world.file('old/b.txt')).toBeNull();
  const heard = kept(await listen(run_id as string));
  expect(heard.map(({ event }) => event)).toEqual(['replied', 'held', 'resumed', 'answered', 'replied', 'ended']);
  expect(
    [1, 3]
      .map((at) => (heard[at]!.data.held ?? heard[at]!.data.answer) as JsonValue)
      .map(({ operation_id }) => operation_id),
  ).toEqual([operationId, operationId]);
});

it('a cancelled run ends with the call that was held, a run over its ceiling ends itself, and a revoked key takes its runs along', async () => {
  const { session_id } = await session();
  const held = await start(session_id as string, 'clean up again', [
    { calls: [{ name: 'bash', args: { command: 'rm -rf keep' } }] },
  ]);
  const { waits_for } = await until(held.run_id as string, 'waiting');
  const queued = await start(session_id as string, 'never', [{ text: 'no' }]);
  for (const { run_id } of [queued, held])
    expect((await world.operator.post(`/v1/runs/${run_id as string}/cancel`)).status).toBe(200);
  for (const { run_id } of [held, queued])
    expect(await until(run_id as string, 'ended')).toMatchObject({ stopped: 'cancelled' });
  await world.until((waits_for as string[])[0]!, ['rolled_back', 'refused']);
  const dear = await start(
    session_id as string,
    'dear',
    [{ calls: [write('d1.txt', '1')] }, { calls: [write('d2.txt', '2')] }, { text: 'done' }],
    { cost_max: 250 },
  );
  expect(await until(dear.run_id as string, 'ended')).toMatchObject({ stopped: 'budget', rounds: 2, cost: 400 });
  const { api_key, api_key_id } = await world.admin.must('/v1/api-keys', {
    name: 'short',
    role: 'agent',
    agent_id: world.agentId,
  });
  const short = world.admin.as(api_key as string);
  const paused = await start(
    session_id as string,
    'clean up thrice',
    [{ calls: [{ name: 'bash', args: { command: 'rm -rf keep' } }] }],
    {},
    short,
  );
  await until(paused.run_id as string, 'waiting');
  await world.admin.request('DELETE', `/v1/api-keys/${api_key_id as string}`);
  expect(await until(paused.run_id as string, 'ended')).toMatchObject({ stopped: 'cancelled' });
});

it("no answer, event or log has the model's key", async () => {
  const { session_id } = await session();
  await until((await start(session_id as string, 'key', [{ text: 'done' }])).run_id as string, 'ended');
  expect(model.asked.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
  const answers = await Promise.all([
    world.admin.get('/v1/models'),
    world.admin.get(`/v1/sessions/${session_id as string}/transcript`),
  ]);
  expect(answers[0]!.body.items).toEqual([
    {
      name: 'wire',
      provider: 'openai',
      model: 'm-1',
      prices: { input: 1_000_000, cached: 1_000_000, output: 10_000_000 },
      currency: 'EUR',
      context_tokens_max: null,
    },
  ]);
  for (const text of [...answers.map((answer) => answer.text), stack.logs()]) expect(text).not.toContain(KEY);
});

it('a door that is killed at every step of a run and comes back ends it alike, and every call has its effect once', async () => {
  const replies = (n: string): Said[] => [
    { text: 'a', calls: [write(`k${n}/1.txt`, '1'), write(`k${n}/2.txt`, '2')] },
    { text: 'b', calls: [write(`k${n}/3.txt`, '3')] },
    { text: 'end' },
  ];
  const kindsOf = async (runId: string): Promise<string[]> => kept(await listen(runId)).map(({ event }) => event);
  const { session_id } = await session();
  const whole = await start(session_id as string, 'whole', replies('0'));
  await until(whole.run_id as string, 'ended');
  const expected = await kindsOf(whole.run_id as string);
  expect(expected).toEqual(['replied', 'answered', 'answered', 'replied', 'answered', 'replied', 'ended']);
  // Points that are seen from outside: the model is asked for its nth reply; the nth event is durable.
  for (const point of [{ asked: 0 }, { kept: 1 }, { kept: 2 }, { asked: 1 }, { kept: 4 }, { kept: 5 }, { asked: 2 }]) {
    const n = JSON.stringify(point).replaceAll(/[^a-z0-9]/g, '');
    const { session_id: own } = await session();
    const killed = Promise.withResolvers<true>();
    const task = `kill at ${n}`;
    const {
      services: { orchestrator },
    } = stack;
    if (point.asked !== undefined)
      onAsked = (asked) => {
        if (taskOf(asked) === task && roundOf(asked) === point.asked)
          void orchestrator.kill().then(() => killed.resolve(true));
      };
    const { run_id } = await start(own as string, task, replies(n));
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
    onAsked = () => undefined;
    await orchestrator.start();
    // The dead one's lease runs out first.
    await observer.rows('UPDATE orchestrator.run SET lease_until = 0 WHERE run_id = $1', [run_id]);
    expect(await until(run_id as string, 'ended')).toMatchObject({ stopped: 'end', rounds: 3 });
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

it('a run whose door dies is gone on with by another one, once the lease of the dead one is over', async () => {
  const {
    services: { orchestrator },
  } = stack;
  const { session_id: own } = await session();
  const second = Promise.withResolvers<Awaited<ReturnType<typeof secondDoor>>>();
  // It dies while its model is asked for the second reply, with one call committed and answered.
  onAsked = (asked) => {
    if (taskOf(asked) !== 'taken over' || roundOf(asked) !== 1 || !orchestrator.isRunning) return;
    onAsked = () => undefined;
    void orchestrator.kill().then(secondDoor).then(second.resolve, second.reject);
  };
  const { run_id } = await start(own as string, 'taken over', [
    { calls: [write('t/1.txt', '1')] },
    { calls: [write('t/2.txt', '2')] },
    { text: 'end' },
  ]);
  const { admin, agent, service } = await second.promise;
  expect(await until(run_id as string, 'ended', admin)).toMatchObject({ stopped: 'end', rounds: 3 });
  expect(kept(await listen(run_id as string, { by: agent })).map(({ event }) => event)).toEqual([
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
