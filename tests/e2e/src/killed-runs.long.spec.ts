// SPDX-License-Identifier: Apache-2.0
// Runs whose orchestrator is killed at each step, twice: before an event is stored, with all its causes done (for an
// answer: the call is committed), and directly after it is stored. The result is compared with an undisturbed twin in
// another tenant.
import { vi } from 'vitest';
import {
  eventually,
  makeWorld,
  mustApproveShown,
  Observer,
  startStack,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { isSummaryRequest, replyNumberOf, ScriptedModel, type Reply } from './scripted-model.ts';

// Long enough for some twenty process starts in one run.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const ROLE = 'writ_orchestrator';
const GATES = 7_101;

let stack: Stack;
let model: ScriptedModel;
let observer: Observer;
let scene: Scene;
let opened: () => Promise<void> = () => Promise.resolve();

beforeAll(async () => {
  model = await ScriptedModel.open();
  model.place = (asked) => (isSummaryRequest(asked) ? ['summary', 0] : [scene.name, replyNumberOf(asked)]);
  stack = await startStack({
    env: { kernel: { WRIT_SWEEP_MS: '200' }, orchestrator: { WRIT_MODELS_FILE: model.file } },
  });
  observer = new Observer(stack);
  // Each event stops at the gate of its number, if the test has closed it.
  await observer.rows(
    `CREATE FUNCTION orchestrator.gate_of_a_test() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(${GATES}, NEW.seq::int); RETURN NEW; END $$`,
  );
  await observer.rows(
    'CREATE TRIGGER gate_of_a_test BEFORE INSERT ON orchestrator.run_event FOR EACH ROW EXECUTE FUNCTION orchestrator.gate_of_a_test()',
  );
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
  await model?.close();
});

afterEach(async () => {
  await opened();
  opened = () => Promise.resolve();
});

/** A run, and the people's actions when it waits. */
interface Scene {
  readonly name: string;
  readonly session?: { readonly model?: string; readonly dialect?: string };
  readonly replies: readonly Reply[];
  readonly waiting?: (world: World, run: JsonValue) => Promise<unknown>;
  readonly events: readonly string[];
  readonly stopped: string;
  /** the calls as the kernel finally has them */
  readonly calls: readonly string[];
}

const write = (path: string) => ({ name: 'write_file', args: { path, content: path } });
const remove = { name: 'bash', args: { command: 'rm -rf old' } };
const block = (id: string, action: string, args: object): string =>
  `[TOOL_CALL:${id}] ${JSON.stringify({ action, args })}`;
async function approve(world: World, { waits_for }: JsonValue): Promise<void> {
  const { approval_id } = (await world.operator.get(`/v1/operations/${(waits_for as string[])[0]!}`)).body;
  await mustApproveShown(world.operator, approval_id);
}

const SCENES: readonly Scene[] = [
  {
    name: 'with calls, an approval and a summary',
    session: { model: 'forgetful' },
    waiting: approve,
    stopped: 'end',
    replies: [
      { text: 'I write.', calls: [write('1.txt')] },
      { text: 'I clean up.', calls: [remove] },
      { calls: [write('2.txt')], read: 2_000 },
      { text: 'Done.' },
    ],
    events: [
      'replied',
      'answered',
      'replied',
      'held',
      'resumed',
      'answered',
      'replied',
      'answered',
      'compacted',
      'replied',
      'ended',
    ],
    calls: ['fs.write committed', 'fs.write committed', 'shell.run committed'],
  },
  {
    name: 'in a dialect that explains held calls',
    session: { dialect: 'blocks' },
    waiting: approve,
    stopped: 'end',
    replies: [
      {
        text: `${block('d', 'shell.run', { command: 'rm -rf old' })} ${block('w', 'fs.write', { path: '1.txt', content: 'x' })}`,
      },
      { text: 'It must be approved.' },
      { text: 'Done.' },
    ],
    events: ['replied', 'held', 'explained', 'resumed', 'answered', 'answered', 'replied', 'ended'],
    calls: ['fs.write committed', 'shell.run committed'],
  },
  {
    name: 'that somebody cancels',
    stopped: 'cancelled',
    replies: [{ calls: [remove] }],
    waiting: (world, { run_id }) => world.operator.post(`/v1/runs/${run_id as string}/cancel`),
    events: ['replied', 'held', 'cancelled', 'ended'],
    calls: ['shell.run refused'],
  },
  {
    name: 'whose model fails',
    stopped: 'model_failed',
    replies: [{ calls: [write('1.txt')] }, { fails: { status: 401 } }],
    events: ['replied', 'answered', 'model_failed', 'ended'],
    calls: ['fs.write committed'],
  },
];

interface Begun {
  readonly world: World;
  readonly sessionId: string;
  readonly runId: string;
  readonly webhookId: string;
}

async function begin(): Promise<Begun> {
  model.scripts.set(scene.name, scene.replies).set('summary', [{ text: 'One was written.' }]);
  const world = await makeWorld(stack.url, stack.keys.platformKey, {
    files: { 'old/a.txt': 'one\n' },
    budgets: { llm_tokens: 1_000_000 },
  });
  const { webhook_id } = await world.admin.must('/v1/webhooks', {
    name: 'ends',
    url: 'https://hooks.test/ends',
    events: ['run.finished'],
  });
  const { session_id } = await world.agent.must('/v1/sessions', {
    workspace_id: world.workspaceId,
    capability_token_id: world.tokenId,
    model: 'wire',
    ...scene.session,
  });
  const { run_id } = await world.agent.must(`/v1/sessions/${session_id as string}/runs`, { input: 'Do it.' });
  return { world, sessionId: session_id as string, runId: run_id as string, webhookId: webhook_id as string };
}
const until = ({ world, runId }: Begun, state: string): Promise<JsonValue> =>
  eventually(
    `the run ${state}`,
    async () => {
      const { body } = await world.admin.get(`/v1/runs/${runId}`).catch(() => ({ body: null }));
      return body?.state === state ? (body as JsonValue) : null;
    },
    120_000,
  );

/** Ids and times differ between twins, and nothing else may. */
const withoutIds = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/\b[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{26}\b/g, 'id')
      .replaceAll(/(\\*"(?:\w+_at|at|\w+_ms)\\*":)\d+/g, '$10'),
  );

/**
 * The complete state of a run: its view, its events, its calls, its files, the use of its token, and the number of its
 * end announcements.
 */
async function leftOf({ world, sessionId, runId, webhookId }: Begun): Promise<Record<string, unknown>> {
  const { body: budget } = await world.admin.get(`/v1/capability-tokens/${world.tokenId}`);
  const operations = (await world.admin.get(`/v1/operations?session_id=${sessionId}&limit=200`)).body
    .items as JsonValue[];
  return {
    run: withoutIds((await world.admin.get(`/v1/runs/${runId}`)).body),
    transcript: withoutIds((await world.auditor.get(`/v1/sessions/${sessionId}/transcript`)).body.runs),
    calls: operations
      .filter(({ provenance }) => provenance.turn !== '0')
      .map(({ tool_id, state }) => `${tool_id as string} ${state as string}`)
      .sort(),
    snapshot: (await world.admin.get(`/v1/workspaces/${world.workspaceId}`)).body.head_snapshot_id,
    // The usage of its models is on the token's budget, each reply once.
    budget: { used: budget.used, reserved: budget.reserved },
    announced: ((await world.admin.get(`/v1/webhooks/${webhookId}/deliveries`)).body.items as JsonValue[]).map(
      ({ kind }) => kind,
    ),
  };
}

const shut = (seq: number): Promise<() => Promise<void>> =>
  observer.hold(`SELECT pg_advisory_xact_lock(${GATES}, ${seq})`);
const untilAtGate = (seq: number): Promise<unknown> =>
  eventually(
    `an event at gate ${seq}`,
    async () =>
      (
        await observer.rows(
          `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = ${GATES} AND objid = ${seq} AND NOT granted`,
        )
      ).length > 0,
    60_000,
  );
const keptOf = async ({ runId }: Begun): Promise<number> =>
  Number(
    (await observer.rows('SELECT count(*)::int AS n FROM orchestrator.run_event WHERE run_id = $1', [runId]))[0]?.n,
  );

async function die({ runId }: Begun, kept: number): Promise<void> {
  await stack.services.orchestrator.kill();
  await observer.abort(ROLE);
  expect([runId, await keptOf({ runId } as Begun)]).toEqual([runId, kept]);
  await stack.services.orchestrator.start();
  // The dead orchestrator's lease expires first.
  await observer.rows(
    `UPDATE orchestrator.run SET lease_until = 0, wake_at = 0 WHERE run_id = $1 AND state <> 'ended'`,
    [runId],
  );
}

it.each(SCENES)('a run $name ends like an undisturbed one, with its orchestrator killed at each event', async (of) => {
  scene = of;
  const twin = await begin();
  if (of.waiting !== undefined) await of.waiting(twin.world, await until(twin, 'waiting'));
  await until(twin, 'ended');
  const expected = await leftOf(twin);
  expect([
    (expected['transcript'] as { events: { kind: string }[] }[])[0]!.events.map(({ kind }) => kind),
    expected['calls'],
    expected['announced'],
  ]).toEqual([of.events, of.calls, ['run.finished']]);
  expect(expected['run']).toMatchObject({ stopped: of.stopped });
  const { input_tokens, output_tokens } = expected['run'] as Record<string, number>;
  expect(expected['budget']).toEqual({
    used: { llm_tokens: input_tokens! + output_tokens! },
    reserved: { llm_tokens: 0 },
  });

  let open = await shut(1);
  // Opens all gates for the next scenes, also after a failure.
  opened = () => open();
  const killed = await begin();
  for (const [n, kind] of of.events.entries()) {
    if (of.waiting !== undefined && (kind === 'resumed' || kind === 'cancelled'))
      await of.waiting(killed.world, await until(killed, 'waiting'));
    await untilAtGate(n + 1);
    await die(killed, n);
    await untilAtGate(n + 1);
    const next = await shut(n + 2);
    await open();
    open = next;
    await eventually(`event ${n + 1}`, async () => (await keptOf(killed)) > n, 60_000);
    await die(killed, n + 1);
  }
  expect(await leftOf(killed)).toEqual(expected);
});

it('a run whose model is overloaded ends alike and sooner when its orchestrator dies meanwhile', async () => {
  // The first request is answered with a retry time of a minute; the orchestrator that continues doesn't know it.
  scene = {
    name: 'retry',
    replies: [{ fails: { status: 503, headers: { 'retry-after': '60' } } }],
    events: ['replied', 'ended'],
    stopped: 'end',
    calls: [],
  };
  const asked = Promise.withResolvers<undefined>();
  model.onRequest = () => {
    asked.resolve(undefined);
  };
  const begun = await begin();
  await asked.promise;
  model.scripts.set('retry', [{ text: 'Done.' }]);
  await die(begun, 0);
  expect(await until(begun, 'ended')).toMatchObject({ stopped: 'end', rounds: 1 });
  expect(await leftOf(begun)).toMatchObject({
    transcript: [{ events: [{ kind: 'replied' }, { kind: 'ended' }] }],
    announced: ['run.finished'],
  });
  model.onRequest = () => undefined;
});

it('the orchestrator is killed during a turn, and the repeated turn runs each call once', async () => {
  const world = await makeWorld(stack.url, stack.keys.platformKey);
  const calls = [0, 1, 2, 3, 4].map((n) =>
    block(`c${n}`, 'shell.session', { command: `echo ${n} >> log.txt; sleep 1` }),
  );
  const post = () =>
    world.agent.post('/v1/turns?wait=50000', {
      dialect: 'blocks',
      output: `I act.\n${calls.join('\n')}`,
      session_id: 'ses-killed',
      turn_id: 'killed',
      capability_token_id: world.tokenId,
      workspace_id: world.workspaceId,
    });
  const made = 'SELECT 1 FROM kernel.operation WHERE workspace_id = $1 AND NOT (reasons @> \'[{"code":"dry_run"}]\')';
  const operations = async (): Promise<number> => (await observer.rows(made, [world.workspaceId])).length;
  const posted = post().catch(() => null);
  await eventually('two calls of the turn', async () => (await operations()) >= 2);
  await stack.services.orchestrator.restart();
  expect(await posted).toBeNull();
  const turn = await eventually(
    'the end of the turn',
    async () => {
      const { status, body, text } = await post();
      if (status !== 200 && status !== 202) throw new Error(`${status} ${text}`);
      return body.state === 'ended' ? body : null;
    },
    200_000,
  );
  expect((turn.calls as JsonValue[]).map(({ standing }) => standing)).toEqual(Array(5).fill('completed'));
  expect((turn.calls as JsonValue[])[0]).toMatchObject({ replayed: true });
  expect(await world.file('log.txt')).toBe('0\n1\n2\n3\n4\n');
  expect(await operations()).toBe(5);
});
