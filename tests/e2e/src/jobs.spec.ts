// SPDX-License-Identifier: Apache-2.0
// Jobs through the public API: the rights of their runs, the protection of their tokens, and one run for each due time,
// with two orchestrators of which one dies.
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
/** A run that writes one file and reports it. */
const TURNS = [
  {
    text: 'I write. ',
    calls: [{ id: 'c1', tool_id: 'fs.write', args: { path: 'done.txt', content: 'done\n' } }],
    stop: 'tool_use',
  },
  { text: 'Done.', calls: [], stop: 'end' },
];

/** A run in Yips that stages a change. */
const STAGED = { type: 'tool', id: 's1', name: 'preview_write_file', arguments: { path: 'a.txt', content: 'two\n' } };
const STAGES = [
  { text: `\`\`\`yips-agent\n${JSON.stringify({ actions: [STAGED] })}\n\`\`\``, calls: [], stop: 'end' },
  { text: 'Staged.', calls: [], stop: 'end' },
];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'writ-jobs-'));
  models = join(folder, 'models.json');
  writeFileSync(
    join(folder, 'writes.json'),
    JSON.stringify({ v: 1, model: 'writes', prompt: 'tidy up', turns: TURNS }),
  );
  writeFileSync(
    join(folder, 'stages.json'),
    JSON.stringify({ v: 1, model: 'stages', prompt: 'tidy up', turns: STAGES }),
  );
  writeFileSync(
    models,
    JSON.stringify({
      models: ['writes', 'stages'].map((name) => ({ name, provider: 'transcript', transcript_file: `${name}.json` })),
    }),
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

const jobSpec = (more: object = {}) => ({
  name: 'nightly',
  cron: '@yearly',
  workspace_id: world.workspaceId,
  capability_token_id: world.tokenId,
  model: 'writes',
  input: 'tidy up',
  ...more,
});
const job = (more: object = {}): Promise<JsonValue> => world.admin.must('/v1/jobs', jobSpec(more));
const starts = async (jobId: unknown, by: Api = world.admin): Promise<JsonValue[]> =>
  (await by.get(`/v1/jobs/${String(jobId)}/runs`)).body.items as JsonValue[];
/** Resolves with the n-th start when its run has ended. */
const ended = (jobId: unknown, n = 1): Promise<{ start: JsonValue; run: JsonValue }> =>
  eventually(
    `run ${n} of the job ends`,
    async () => {
      const reported = await starts(jobId).catch(() => []);
      const [start] = reported;
      if (reported.length < n || start?.run_id === null || start === undefined) return null;
      const { body: run } = await world.admin.get(`/v1/runs/${start.run_id as string}`);
      return run.state === 'ended' ? { start, run } : null;
    },
    120_000,
  );
/** Writing calls only: the run also reads the workspace's notes by a call. */
const writesOf = async (start: JsonValue): Promise<JsonValue[]> =>
  (await world.admin.get(`/v1/operations?tool_id=fs.write&session_id=${start.session_id as string}`)).body
    .items as JsonValue[];
/** Makes a job due, which its yearly schedule would not do during the test. */
const comesDue = (jobId: unknown, agoMs = 0) =>
  observer.rows('UPDATE orchestrator.job SET due_at = orchestrator.now_ms() - $2 WHERE job_id = $1', [jobId, agoMs]);

it("a job's run may use the listed tools, as a scheduled session, and the list is in the log", async () => {
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
  // The agent's token, and the job's own token.
  expect(
    ((await world.auditor.get('/v1/records?limit=200')).body.items as JsonValue[]).filter(
      ({ type }) => type === 'token',
    ),
  ).toHaveLength(2);
});

it("a job's run stages a change with a listed tool, as a scheduled session, and changes nothing yet", async () => {
  const before = await world.file('a.txt');
  const { job_id } = await job({ model: 'stages', dialect: 'yips', tools: ['fs.write'] });
  await world.admin.post(`/v1/jobs/${job_id as string}/runs`);
  const { start, run } = await ended(job_id);
  expect(run.stopped).toBe('end');
  expect(await writesOf(start)).toMatchObject([{ tool_id: 'fs.write', state: 'no_op' }]);
  expect(
    await observer.rows('SELECT DISTINCT session_mode FROM kernel.operation WHERE session_id = $1', [start.session_id]),
  ).toEqual([{ session_mode: 'scheduled' }]);
  const { runs } = (await world.admin.get(`/v1/sessions/${start.session_id as string}/transcript`)).body;
  const events = (runs as JsonValue[])[0]!.events as JsonValue[];
  expect(events.find(({ kind }) => kind === 'answered')).toMatchObject({
    answer: { standing: 'completed', outcome: { metadata: { path: 'a.txt', operation: 'write' } } },
  });
  expect(await world.file('a.txt')).toBe(before);
});

it('S6.14: an unlisted tool of a job is refused, and its run receives the refusal', async () => {
  const { job_id } = await job({ tools: [] });
  await world.admin.post(`/v1/jobs/${job_id as string}/runs`);
  const { start } = await ended(job_id);
  expect(await writesOf(start)).toMatchObject([
    { tool_id: 'fs.write', state: 'refused', result: { error: { code: 'policy.denied' } } },
  ]);
});

it('only the runs of a job can use its list: no agent with its key, and no attended session', async () => {
  const { run_token_id } = await job({ tools: ['fs.write'] });
  const call = (more: object) =>
    world.call('fs.write', { path: 'stolen.txt', content: 'x' }, { capability_token_id: run_token_id, ...more });
  for (const more of [{}, { session_mode: 'interactive' }, { session_mode: 'scheduled' }])
    expect((await call(more)).body.error).toMatchObject({ code: 'token.scope' });
  // A narrower token, which an agent may make from any of its tokens, doesn't help either.
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
  // Without a list a scheduled call changes nothing, even where the caller states that it is scheduled.
  expect(
    (await world.call('fs.write', { path: 'stolen.txt', content: 'x' }, { session_mode: 'scheduled' })).body.error,
  ).toMatchObject({ code: 'policy.denied' });
});

it('a shorter list of a job takes effect at once', async () => {
  const { job_id, run_token_id } = await job({ tools: ['fs.write'] });
  const changed = (await world.admin.request('PUT', `/v1/jobs/${job_id as string}`, jobSpec({ tools: [] }))).body;
  expect(changed.run_token_id).not.toBe(run_token_id);
  expect((await world.admin.get(`/v1/capability-tokens/${run_token_id as string}`)).body.revoked).toBe(true);
});

const secondApi = async (): Promise<Service> =>
  await stack.another('orchestrator', { WRIT_HTTP_PORT: String(await freePort()), WRIT_MODELS_FILE: models });

it('a due time starts one run with two orchestrators, even when one dies meanwhile', async () => {
  const second = await secondApi();
  const { job_id } = await job({ tools: ['fs.write'], overlap: 'queue' });
  for (let n = 1; n <= 3; n += 1) {
    await comesDue(job_id);
    await ended(job_id, n);
    expect(await starts(job_id)).toHaveLength(n);
  }
  // One is killed inside its transaction, with the start inserted and not committed.
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

it('missed due times are skipped, or made up for once, as the job is configured', async () => {
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

it('a job whose key was revoked starts nothing, and shows the reason', async () => {
  const made = await world.admin.must('/v1/api-keys', { name: 'lister', role: 'admin' });
  const lister = world.admin.as(made.api_key as string);
  const { job_id } = await lister.must('/v1/jobs', jobSpec());
  await world.admin.request('DELETE', `/v1/api-keys/${made.api_key_id as string}`);
  await comesDue(job_id);
  expect(await eventually('the start is told', async () => (await starts(job_id))[0] ?? null)).toMatchObject({
    state: 'failed',
    reason: 'auth.invalid',
    run_id: null,
  });
});
