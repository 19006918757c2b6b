// SPDX-License-Identifier: Apache-2.0
// Jobs through the public API: what their runs may do, what nobody may do with their tokens, and that a due time
// starts one run, with two orchestrators that look at the clock and one that dies on the way.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import {
  eventually,
  makeWorld,
  Observer,
  startStack,
  type Api,
  type JsonValue,
  type Service,
  type Stack,
  type World,
} from '@writ/stack';
import { freePort } from '@writ/testing';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let stack: Stack;
let world: World;
let observer: Observer;
let folder: string;
let models: string;
/** A run that writes one file and says so. */
const TURNS = [
  {
    text: 'I write. ',
    calls: [{ id: 'c1', tool_id: 'fs.write', args: { path: 'done.txt', content: 'done\n' } }],
    stop: 'tool_use',
  },
  { text: 'Done.', calls: [], stop: 'end' },
];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'writ-jobs-'));
  models = join(folder, 'models.json');
  writeFileSync(
    join(folder, 'writes.json'),
    JSON.stringify({ v: 1, model: 'writes', prompt: 'tidy up', turns: TURNS }),
  );
  writeFileSync(
    models,
    JSON.stringify({ models: [{ name: 'writes', provider: 'transcript', transcript_file: 'writes.json' }] }),
  );
  stack = await startStack({ env: { kernel: { WRIT_SWEEP_MS: '200' }, orchestrator: { WRIT_MODELS_FILE: models } } });
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const wish = (more: object = {}) => ({
  name: 'nightly',
  cron: '@yearly',
  workspace_id: world.workspaceId,
  capability_token_id: world.tokenId,
  model: 'writes',
  input: 'tidy up',
  ...more,
});
const job = (more: object = {}): Promise<JsonValue> => world.admin.must('/v1/jobs', wish(more));
const starts = async (jobId: unknown, by: Api = world.admin): Promise<JsonValue[]> =>
  (await by.get(`/v1/jobs/${String(jobId)}/runs`)).body.items as JsonValue[];
/** Resolves with the n-th start when its run has ended. */
const ended = (jobId: unknown, n = 1): Promise<{ start: JsonValue; run: JsonValue }> =>
  eventually(
    `run ${n} of the job ends`,
    async () => {
      const told = await starts(jobId).catch(() => []);
      const [start] = told;
      if (told.length < n || start?.run_id === null || start === undefined) return null;
      const { body: run } = await world.admin.get(`/v1/runs/${start.run_id as string}`);
      return run.state === 'ended' ? { start, run } : null;
    },
    120_000,
  );
/** Those that write: the notes of the workspace are read by a call too. */
const writesOf = async (start: JsonValue): Promise<JsonValue[]> =>
  (await world.admin.get(`/v1/operations?tool_id=fs.write&session_id=${start.session_id as string}`)).body
    .items as JsonValue[];
/** What the clock would do in a year. */
const comesDue = (jobId: unknown, agoMs = 0) =>
  observer.rows('UPDATE orchestrator.job SET due_at = orchestrator.now_ms() - $2 WHERE job_id = $1', [jobId, agoMs]);

it("a job's run changes what its list says, as a scheduled session, and the listing is in the log", async () => {
  const { job_id, run_token_id } = await job({ tools: ['fs.write'] });
  expect((await world.admin.post(`/v1/jobs/${job_id as string}/runs`)).status).toBe(202);
  const { start, run } = await ended(job_id);
  expect([start.by_hand, run.stopped]).toEqual([true, 'end']);
  expect(await writesOf(start)).toMatchObject([
    { tool_id: 'fs.write', state: 'committed', autonomy_mode: 'autopilot', capability_token_id: run_token_id },
  ]);
  expect(
    await observer.rows('SELECT DISTINCT session_mode FROM kernel.operation WHERE session_id = $1', [start.session_id]),
  ).toEqual([{ session_mode: 'scheduled' }]);
  expect(await world.file('done.txt')).toBe('done\n');
  expect((await world.admin.get(`/v1/sessions/${start.session_id as string}`)).body.job_id).toBe(job_id);
  await observer.untilLogged();
  // The agent's token, and the one that lists.
  expect(
    ((await world.auditor.get('/v1/records?limit=200')).body.items as JsonValue[]).filter(
      ({ type }) => type === 'token',
    ),
  ).toHaveLength(2);
});

it("S6.14: what a job doesn't list is refused, and its run is told so", async () => {
  const { job_id } = await job({ tools: [] });
  await world.admin.post(`/v1/jobs/${job_id as string}/runs`);
  const { start } = await ended(job_id);
  expect(await writesOf(start)).toMatchObject([
    { tool_id: 'fs.write', state: 'refused', result: { error: { code: 'policy.denied' } } },
  ]);
});

it('nobody has the use of a listing but the runs of its job: no agent by its key, no session where somebody is there', async () => {
  const { run_token_id } = await job({ tools: ['fs.write'] });
  const call = (more: object) =>
    world.call('fs.write', { path: 'stolen.txt', content: 'x' }, { capability_token_id: run_token_id, ...more });
  for (const more of [{}, { session_mode: 'interactive' }, { session_mode: 'scheduled' }])
    expect((await call(more)).body.error).toMatchObject({ code: 'token.scope' });
  // Nor does a narrower token help, which an agent may make of any that it holds.
  const grant = {
    tools: ['fs.write'],
    fs: [{ path: '', read: true, write: true }],
    net: [],
    secrets: [],
    budgets: {},
    not_before: 0,
    expires_at: Date.now() + 60_000,
  };
  const child = await world.agent.must(`/v1/capability-tokens/${run_token_id as string}/attenuate`, { grant });
  expect(
    (await call({ capability_token_id: child.capability_token_id, session_mode: 'scheduled' })).body.error,
  ).toMatchObject({ code: 'token.scope' });
  // And without a listing a scheduled call changes nothing, whoever says that it is scheduled.
  expect(
    (await world.call('fs.write', { path: 'stolen.txt', content: 'x' }, { session_mode: 'scheduled' })).body.error,
  ).toMatchObject({ code: 'policy.denied' });
});

it('a job that lists less has less at once', async () => {
  const { job_id, run_token_id } = await job({ tools: ['fs.write'] });
  const changed = (await world.admin.request('PUT', `/v1/jobs/${job_id as string}`, wish({ tools: [] }))).body;
  expect(changed.run_token_id).not.toBe(run_token_id);
  expect((await world.admin.get(`/v1/capability-tokens/${run_token_id as string}`)).body.revoked).toBe(true);
});

const secondDoor = async (): Promise<Service> =>
  await stack.another('orchestrator', { WRIT_HTTP_PORT: String(await freePort()), WRIT_MODELS_FILE: models });

it('a due time starts one run, whichever of two orchestrators sees it, and though one dies on the way', async () => {
  const second = await secondDoor();
  const { job_id } = await job({ tools: ['fs.write'], overlap: 'queue' });
  for (let n = 1; n <= 3; n += 1) {
    await comesDue(job_id);
    await ended(job_id, n);
    expect(await starts(job_id)).toHaveLength(n);
  }
  // One stands inside of its transaction, with the start told and not committed, when it is killed.
  const release = await observer.hold('LOCK TABLE orchestrator.session IN SHARE ROW EXCLUSIVE MODE');
  await comesDue(job_id);
  await observer.untilBlocked('writ_orchestrator');
  await second.kill();
  await stack.services.orchestrator.kill();
  await observer.abort('writ_orchestrator');
  await release();
  expect(await observer.rows(`SELECT state FROM orchestrator.job_start WHERE job_id = $1`, [job_id])).toHaveLength(3);
  await stack.services.orchestrator.start();
  expect((await ended(job_id, 4)).run.stopped).toBe('end');
  expect(await starts(job_id)).toHaveLength(4);
  expect(new Set((await starts(job_id)).map(({ run_id }) => run_id)).size).toBe(4);
});

it('what came due while nobody was there is left out, or made up for once, as the job says', async () => {
  const [skips, makesUp] = [await job({ missed: 'skip' }), await job({ missed: 'run_once' })];
  for (const { job_id } of [skips, makesUp]) await comesDue(job_id, 3_600_000);
  await ended(makesUp.job_id);
  expect(
    await eventually('both are told', async () => {
      const states = [(await starts(skips.job_id))[0]?.state, (await starts(makesUp.job_id))[0]?.state];
      return states.includes(undefined) ? null : states;
    }),
  ).toEqual(['missed', 'started']);
});

it('a job whose key was revoked starts nothing, and says so', async () => {
  const made = await world.admin.must('/v1/api-keys', { name: 'lister', role: 'admin' });
  const lister = world.admin.as(made.api_key as string);
  const { job_id } = await lister.must('/v1/jobs', wish());
  await world.admin.request('DELETE', `/v1/api-keys/${made.api_key_id as string}`);
  await comesDue(job_id);
  expect(await eventually('the start is told', async () => (await starts(job_id))[0] ?? null)).toMatchObject({
    state: 'failed',
    reason: 'auth.invalid',
    run_id: null,
  });
});
