// SPDX-License-Identifier: Apache-2.0
// A run under a lax policy, backtested under a strict one through the public API: the calls that it would refuse or
// hold, without side effects.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import {
  Api,
  eventually,
  makeWorld,
  Observer,
  sharedStack,
  verifiedReceipt,
  type JsonValue,
  type SharedStack,
  type World,
} from '@writ/stack';
import { repositoryRoot } from '@writ/testing';
import { ScriptedModel, type Reply } from '../scripted-model.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let stack: SharedStack;
let world: World;
let model: ScriptedModel;
let observer: Observer;
let tokenId: string;
beforeAll(async () => {
  model = await ScriptedModel.open('run-replay');
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, {
    files: { 'a.txt': 'one\n', 'CODE.md': 'Keep it short.\n' },
  });
  observer = new Observer(stack);
  tokenId = (
    await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        tools: ['fs.*', 'agent.spawn'],
        fs: [{ path: '', read: true, write: true }],
        net: [],
        secrets: [],
        budgets: { calls: 500 },
        not_before: 0,
        expires_at: Date.now() + 3_600_000,
      },
    })
  ).capability_token_id as string;
});
afterAll(async () => {
  await observer?.close();
  await model?.close();
});

const write = (path: string) => ({ name: 'write_file', args: { path, content: 'x' } });
const read = { name: 'read_file', args: { path: 'a.txt' } };
const begin = async (input: string, script: readonly Reply[]): Promise<JsonValue> => {
  const { session_id } = await world.agent.must('/v1/sessions', {
    workspace_id: world.workspaceId,
    capability_token_id: tokenId,
    model: 'run-replay',
  });
  model.scripts.set(input, script);
  const { run_id } = await world.agent.must(`/v1/sessions/${session_id as string}/runs`, { input });
  return await eventually(
    'the run ends',
    async () => {
      const { body } = await world.admin.get(`/v1/runs/${run_id as string}`);
      return body.state === 'ended' ? (body as JsonValue) : null;
    },
    120_000,
  );
};
const replay = async (runId: unknown, body: object, by: Api = world.operator): Promise<JsonValue> =>
  (await by.post(`/v1/runs/${String(runId)}/replay`, body)).body;

const writ = async (...args: string[]): Promise<string> =>
  (
    await promisify(execFile)(
      process.execPath,
      ['--conditions=@writ/source', join(repositoryRoot(), 'apps/cli/src/main.ts'), ...args],
      { env: { PATH: process.env['PATH'], WRIT_URL: stack.url, WRIT_API_KEY: world.operator.key } },
    )
  ).stdout;

const STRICT = {
  v: 1,
  name: 'no-notes',
  cedar: [
    '@id("no.x") @reason("x is left alone") @would_pass("another file") forbid (principal, action == Action::"fs.write", resource is File) when { resource.path like "x/*" };',
    '@id("all") @reason("everything else is permitted") permit (principal, action, resource);',
  ].join('\n'),
};
const TABLES = [
  'kernel.operation',
  'kernel.payload',
  'kernel.outbox',
  'kernel.idempotency',
  'kernel.approval',
  'kernel.label',
  'kernel.snapshot',
  'kernel.token',
  'kernel.policy_set',
  'kernel.policy_activation',
  'ledger.leaf',
  'orchestrator.session',
  'orchestrator.run',
  'orchestrator.run_event',
];
/** Everything of the tenant that a decision, an effect or a use of a budget would change. */
const currentState = async (): Promise<unknown> => ({
  rows: await Promise.all(
    TABLES.map(async (table) => {
      const counted = await observer.rows(`SELECT count(*)::int AS n FROM ${table} WHERE tenant_id = $1`, [
        world.tenantId,
      ]);
      return [table, counted[0]?.n];
    }),
  ),
  head: (await world.admin.get(`/v1/workspaces/${world.workspaceId}`)).body,
  token: (await world.admin.get(`/v1/capability-tokens/${tokenId}`)).body,
});
/** The records of all calls are in the log. */
const settled = () => observer.untilLogged(60_000, world.tenantId);

it('a run is decided again under another policy, with its sub-agents, without side effects', async () => {
  model.scripts.set('write below', [{ calls: [write('x/below.txt')] }, { text: 'done' }]);
  const run = await begin('write', [
    { calls: [read, write('y.txt')] },
    { calls: [{ name: 'agent-spawn', args: { task: 'write below' } }] },
    { calls: [write('x/own.txt')] },
    { text: 'done' },
  ]);
  expect(run).toMatchObject({ stopped: 'end' });
  await settled();
  const before = await currentState();
  const reported = await replay(run.run_id, { document: STRICT });
  const items = reported.items as JsonValue[];
  const below = items[4]!.run_id;
  expect(below).not.toBe(run.run_id);
  expect(
    items.map(({ run_id, round, index, tool_id, was, would_be }) => [
      run_id === below,
      round,
      index,
      tool_id,
      (was as JsonValue).verdict,
      (would_be as JsonValue).verdict,
    ]),
  ).toEqual([
    [false, 0, 0, 'fs.read', 'admitted', 'admitted'],
    [false, 1, 0, 'fs.read', 'admitted', 'admitted'],
    [false, 1, 1, 'fs.write', 'admitted', 'admitted'],
    [false, 2, 0, 'agent.spawn', 'admitted', 'admitted'],
    [true, 0, 0, 'fs.read', 'admitted', 'admitted'],
    [true, 1, 0, 'fs.write', 'admitted', 'refused'],
    [false, 3, 0, 'fs.write', 'admitted', 'refused'],
  ]);
  expect(reported).toMatchObject({
    candidate: { name: 'no-notes' },
    parts_at: { run_id: below, round: 1, index: 0 },
    next_cursor: null,
    counts: { examined: 7, skipped: 0, changed: 2, would_be: { admitted: 5, held: 0, refused: 2 } },
  });
  expect(items[6]).toMatchObject({
    would_be: {
      mode: 'no_go',
      rule_ids: ['no.x'],
      reasons: expect.arrayContaining([{ code: 'no.x', message: 'x is left alone' }]),
    },
    why_not: null,
  });
  const operations = await Promise.all(
    items.map(async ({ operation_id }) => (await world.admin.get(`/v1/operations/${operation_id as string}`)).body),
  );
  expect(operations.map(({ provenance }) => (provenance as JsonValue).run_id)).toEqual(
    items.map(({ run_id }) => run_id),
  );
  expect(await replay(run.run_id, {})).toMatchObject({
    candidate: { name: 'default' },
    parts_at: null,
    counts: { changed: 0 },
  });
  expect(await replay(run.run_id, { policy: 'strict' })).toMatchObject({ candidate: { name: 'strict' } });
  const pages = [await replay(run.run_id, { document: STRICT, limit: 5 })];
  pages.push(await replay(run.run_id, { document: STRICT, limit: 5, cursor: pages[0]!.next_cursor }));
  expect([pages.flatMap((page) => page.items), pages[1]!.next_cursor]).toEqual([items, null]);
  expect(await currentState()).toEqual(before);
});

it("agents and auditors can't backtest a run, and a run with erased texts is unknown", async () => {
  const run = await begin('read once', [{ calls: [read] }, { text: 'done' }]);
  const [, call] = (await replay(run.run_id, { document: STRICT })).items as [JsonValue, JsonValue];
  for (const by of [world.agent, world.auditor])
    expect(await replay(run.run_id, {}, by)).toMatchObject({ code: 'auth.role' });
  expect(await replay(run.run_id, { document: { v: 1 } })).toMatchObject({ code: 'policy.invalid' });
  await world.admin.must('/v1/erasures', { operation_id: call.operation_id, reason_code: 'asked' });
  await eventually('erased', async () => (await replay(run.run_id, { document: STRICT })).code === 'not_found');
});

it('an NDJSON transcript links each call to its receipt, and the CLI does what the routes do', async () => {
  const run = await begin('write once', [
    { text: 'I write.', calls: [write('z.txt'), write('../out.txt')] },
    { text: 'done' },
  ]);
  const answer = await fetch(`${stack.url}/v1/sessions/${run.session_id as string}/transcript.ndjson`, {
    headers: { authorization: `Bearer ${world.auditor.key ?? ''}` },
  });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
  const text = await answer.text();
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonValue);
  const whole = (await world.auditor.get(`/v1/sessions/${run.session_id as string}/transcript`)).body;
  expect(lines.map(({ line }) => line)).toEqual([
    'session',
    'run',
    ...Array.from({ length: run.events as number }, () => 'event'),
    'end',
  ]);
  expect(lines.filter(({ line }) => line === 'event').map(({ event }) => event)).toEqual(
    (whole.runs as JsonValue[])[0]!.events,
  );
  const answers = lines.flatMap(({ event }) =>
    (event as JsonValue | undefined)?.kind === 'answered' ? [(event as JsonValue).answer as JsonValue] : [],
  );
  const [receipt] = await Promise.all(
    answers.slice(0, 1).map(({ operation_id }) => verifiedReceipt(stack, world, operation_id as string)),
  );
  expect([answers.length, receipt!.record.operation_id]).toEqual([2, answers[0]!.operation_id]);
  expect(await writ('session', 'transcript', run.session_id as string, '--ndjson')).toBe(text);
  const seen = JSON.parse(
    await writ('run', 'replay', run.run_id as string, '--policy', 'strict', '--json'),
  ) as JsonValue;
  const { next_cursor: _none, ...told } = await replay(run.run_id, { policy: 'strict' });
  expect(seen).toEqual(told);
  expect(JSON.parse(await writ('run', 'record', run.run_id as string))).toMatchObject({
    v: 1,
    model: 'run-replay',
    prompt: 'write once',
    turns: [
      { text: 'I write.', calls: [{ tool_id: 'fs.write' }, {}], stop: 'tool_use' },
      { text: 'done', calls: [], stop: 'end' },
    ],
  });
  expect(
    (await writ('run', 'events', run.run_id as string, '--json'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonValue),
  ).toEqual((whole.runs as JsonValue[])[0]!.events);
});
