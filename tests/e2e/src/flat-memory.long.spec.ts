// SPDX-License-Identifier: Apache-2.0
// The memory of a long run in the orchestrator: V8's count of live bytes after a collection, read over the inspector
// while the process waits for its model. It depends on no clock.
import { vi } from 'vitest';
import { eventually, makeWorld, startStack, type JsonValue, type Stack, type World } from '@writ/stack';
import { freePort } from '@writ/testing';
import { isSummaryRequest, replyNumberOf, ScriptedModel, type Reply } from './scripted-model.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const ROUNDS = 50;
const CALLS = 4;
/** Length of each answer: a model is shown 60,000 at most. */
const CHARS = 50_000;
/**
 * Growth of a heap that settles: caches, connections, recompiled code. The answers between two measurements are three
 * times as large.
 */
const GROWTH_MAX = 2.5 * 2 ** 20;

let stack: Stack;
let world: World;
let model: ScriptedModel;
let inspectorPort: number;

beforeAll(async () => {
  model = await ScriptedModel.open();
  inspectorPort = await freePort();
  stack = await startStack({
    env: {
      kernel: { WRIT_SWEEP_MS: '200' },
      orchestrator: { WRIT_MODELS_FILE: model.file, NODE_OPTIONS: `--inspect=127.0.0.1:${inspectorPort}` },
    },
  });
  const files = Object.fromEntries(
    Array.from({ length: CALLS }, (_none, n) => [`${n}.txt`, `${n}${'.'.repeat(CHARS - 1)}`]),
  );
  world = await makeWorld(stack.url, stack.keys.platformKey, { files });
});
afterAll(async () => {
  await stack?.stop();
  await model?.close();
});

/** Live bytes in the orchestrator. */
async function aliveBytes(): Promise<number> {
  const [{ webSocketDebuggerUrl }] = (await (await fetch(`http://127.0.0.1:${inspectorPort}/json`)).json()) as [
    { webSocketDebuggerUrl: string },
  ];
  const socket = new WebSocket(webSocketDebuggerUrl);
  const waiting = new Map<number, (result: JsonValue) => void>();
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: JsonValue };
    waiting.get(id)?.(result);
  };
  const ask = (id: number, method: string): Promise<JsonValue> =>
    new Promise((resolve) => {
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method }));
    });
  await new Promise((resolve, reject) => {
    [socket.onopen, socket.onerror] = [resolve, reject];
  });
  try {
    // A second collection frees what only weak references kept.
    for (const id of [1, 2, 3]) await ask(id, 'HeapProfiler.collectGarbage');
    return (await ask(4, 'Runtime.getHeapUsage')).usedSize as number;
  } finally {
    socket.close();
  }
}

it('a run of 50 rounds with 200 calls uses as much memory at its end as at its start, in any replica', async () => {
  const round: Reply = {
    text: 'I read on.',
    calls: Array.from({ length: CALLS }, (_none, n) => ({ name: 'read_file', args: { path: `${n}.txt` } })),
  };
  model.scripts
    .set('long', [...Array.from({ length: ROUNDS - 1 }, () => round), { ...round, text: 'The last.' }])
    .set('summary', [{ text: 'All was read.' }]);
  model.place = (asked) => (isSummaryRequest(asked) ? ['summary', 0] : ['long', replyNumberOf(asked)]);
  const alive = new Map<number, number>();
  const [died, other] = [Promise.withResolvers<undefined>(), stack.services.orchestrator];
  // Rounds count from 1: the request is for the next one.
  model.onRequest = async (asked) => {
    if (isSummaryRequest(asked)) return;
    const rounds = replyNumberOf(asked);
    if (alive.has(rounds)) return;
    if (rounds === 10 || rounds === 40 || rounds === 49) alive.set(rounds, await aliveBytes());
    if (rounds === 40)
      void other.kill().then(() => {
        died.resolve(undefined);
      });
  };
  const { session_id } = await world.agent.must('/v1/sessions', {
    workspace_id: world.workspaceId,
    capability_token_id: world.tokenId,
    model: 'forgetful',
  });
  const { run_id } = await world.agent.must(`/v1/sessions/${session_id as string}/runs`, {
    input: 'Read all of it.',
    rounds_max: ROUNDS,
  });
  await died.promise;
  await other.start();
  const ended = await eventually(
    'the end',
    async () => {
      const { body } = await world.admin.get(`/v1/runs/${run_id as string}`);
      return body.state === 'ended' ? (body as JsonValue) : null;
    },
    180_000,
  );
  expect(ended).toMatchObject({ stopped: 'limit', rounds: ROUNDS });
  const answered = await world.admin.get(`/v1/sessions/${session_id as string}/transcript`);
  const events = (answered.body.runs as [{ events: { kind: string; answer?: { text: string } }[] }])[0].events.filter(
    ({ kind }) => kind === 'answered',
  );
  expect([events.length, events.every(({ answer }) => answer!.text.length > CHARS)]).toEqual([ROUNDS * CALLS, true]);
  const [early, late, last] = [alive.get(10)!, alive.get(40)!, alive.get(49)!];
  expect(late - early).toBeLessThan(GROWTH_MAX);
  expect(last - early).toBeLessThan(GROWTH_MAX);
});
