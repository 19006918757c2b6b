// SPDX-License-Identifier: Apache-2.0
// A compromised executor on the bus: it sends forged orders as itself, and messages as others at every subject. Another
// spec compares the permissions with the server's configuration; this one tries what they allow.
import { randomBytes, randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import { PROCESSES, REQUESTS, subjectsOf } from '@writ/contract';
import { inboxPrefixOf } from '@writ/bus-nats';
import { newId } from '@writ/nest-kit';
import {
  BusExecutor,
  expectCleanLog,
  makeWorld,
  Observer,
  SHARD,
  startStack,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { RawNats } from './raw-nats.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const subjects = subjectsOf(SHARD);
const OUTPUT = { exit_code: 0, signal: null, output: '', truncated_bytes: 0, wall_ms: 1 };
/** The only subjects to which an executor may send requests. */
const OURS = [
  'kernel.redeem',
  'kernel.renew',
  'kernel.release',
  'kernel.effect_started',
  'kernel.report',
  'kernel.shell.attach',
  'kernel.image.claim',
  'kernel.image.finish',
  'kernel.image.release',
  'kernel.image.renew',
  'kernel.mcp.claim',
  'kernel.mcp.programs',
  'kernel.mcp.report',
  'kernel.mcp_token.claim',
  'kernel.mcp_token.report',
  'kernel.shell.renew',
  'kernel.shell.end',
];

let stack: Stack;
let world: World;
let observer: Observer;
let executor: BusExecutor;
let raw: RawNats;

beforeAll(async () => {
  stack = await startStack({
    without: ['executor'],
    env: { kernel: { WRIT_LEASE_MS: '5000', WRIT_PERMIT_TTL_MS: '10000', WRIT_SWEEP_MS: '200' } },
  });
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  observer = new Observer(stack);
  executor = await BusExecutor.join(stack);
  raw = await RawNats.connect(stack.nats.port, 'executor');
});
afterAll(async () => {
  await raw?.close();
  await executor?.disconnect();
  await observer?.close();
  expectCleanLog(stack);
  await stack?.stop();
});
afterEach(async () => {
  // The kernel serves honest calls as before.
  const answer = world.call('shell.run', { command: 'true' });
  const { envelope, permit } = await executor.next();
  const nonce = BusExecutor.newNonce();
  await executor.redeem(envelope, nonce);
  await executor.report(executor.credentialsOf(permit, nonce), { result: OUTPUT });
  expect((await answer).body).toMatchObject({ status: 'ok', operation_id: permit.operation_id });
  for (const service of Object.values(stack.services))
    if (service.name !== 'executor')
      expect({ name: service.name, isRunning: service.isRunning }).toEqual({ name: service.name, isRunning: true });
});

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'ok',
    (error: { code?: string }) => error.code ?? String(error),
  );
const caller = (role = 'admin') => ({ tenant_id: world.tenantId, api_key_id: newId('apiKey'), role, agent_id: null });

it('a call proposed by an executor never arrives', async () => {
  const operation_id = newId('operation');
  const call = {
    v: 1,
    operation_id,
    tenant_id: world.tenantId,
    agent_id: world.agentId,
    proposed_by: newId('apiKey'),
    tool_id: 'fs.write',
    args: { path: 'evil.txt', content: 'x' },
    args_ref: null,
    capability_token_id: world.tokenId,
    workspace_id: world.workspaceId,
    session_id: null,
    session_mode: 'interactive',
    max_autonomy: null,
    task_class: 'general',
    idempotency_key: randomUUID(),
    precondition_refs: [],
    provenance: {},
    deadline: null,
    dry_run: false,
  };
  expect(await raw.publish(subjects.request('kernel.admit'), JSON.stringify(call))).toContain(
    'Permissions Violation for Publish',
  );
  expect(await codeOf(executor.ask('kernel.admit', call))).not.toBe('ok');
  expect(await observer.rows('SELECT 1 FROM kernel.operation WHERE operation_id = $1', [operation_id])).toEqual([]);
});

it("at every subject that isn't the executor's, a message gets no answer and changes nothing", async () => {
  const before = await observer.rows(
    `SELECT (SELECT count(*) FROM kernel.operation) o, (SELECT count(*) FROM kernel.token) t, (SELECT count(*) FROM kernel.agent) a, (SELECT count(*) FROM ledger.leaf) l, (SELECT count(*) FROM kernel.workspace) w`,
  );
  for (const name of Object.keys(REQUESTS).filter((verb) => !OURS.includes(verb))) {
    for (const payload of [
      { v: 1, caller: caller() },
      { v: 1, caller: caller(), page: { cursor: null, limit: 10 } },
      { v: 1, caller: caller(), agent_id: world.agentId, workspace_id: null, grant: {} },
    ]) {
      expect({ name, said: await raw.publish(subjects.request(name), JSON.stringify(payload)) }).toEqual({
        name,
        said: expect.stringContaining('Permissions Violation'),
      });
    }
  }
  const events = [subjects.event('operation', world.tenantId), subjects.event('stop', world.tenantId)];
  const work = [subjects.work('inline'), subjects.work('sandboxed'), subjects.work('broker')];
  const inboxes = PROCESSES.map((name) => `${inboxPrefixOf(name)}.x.1`);
  for (const subject of [
    ...events,
    ...work,
    ...inboxes,
    '$JS.API.STREAM.PURGE.writ_s0_work',
    '$JS.API.STREAM.DELETE.writ_s0_work',
    '$SYS.REQ.SERVER.PING',
  ]) {
    expect({ subject, said: await raw.publish(subject, '{}') }).toEqual({
      subject,
      said: expect.stringContaining('Permissions Violation'),
    });
  }
  for (const subject of [
    '>',
    'writ.>',
    subjects.request('kernel.admit'),
    subjects.request('ledger.append'),
    `${inboxPrefixOf('kernel')}.>`,
    `${inboxPrefixOf('orchestrator')}.>`,
    subjects.allEvents('operation'),
  ]) {
    expect({ subject, said: await raw.subscribe(subject) }).toEqual({
      subject,
      said: expect.stringContaining('Permissions Violation'),
    });
  }
  expect(
    await observer.rows(
      `SELECT (SELECT count(*) FROM kernel.operation) o, (SELECT count(*) FROM kernel.token) t, (SELECT count(*) FROM kernel.agent) a, (SELECT count(*) FROM ledger.leaf) l, (SELECT count(*) FROM kernel.workspace) w`,
    ),
  ).toEqual(before);
});

it('at its own subjects, a malformed message is answered or dropped, and no process stops', async () => {
  const noise: readonly (string | Uint8Array)[] = [
    '',
    'null',
    '[]',
    '42',
    '"x"',
    '{',
    `${'['.repeat(20_000)}`,
    `{"v":1,"permit":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`,
    randomBytes(4_096),
    Buffer.alloc(1_000_000, 0x20),
    '{"v":2}',
    '{"__proto__":{"v":1}}',
  ];
  for (const name of OURS) {
    for (const bytes of noise) {
      const said = await raw.request(subjects.request(name), bytes);
      expect({ name, isFault: typeof (said as JsonValue)?.fault?.code }).toEqual({ name, isFault: 'string' });
    }
    // A header that is no valid deadline or trace costs the sender its answer and has no other effect.
    for (const [key, value] of [
      ['writ-deadline', 'soon'],
      ['writ-deadline', '-1'],
      ['writ-deadline', '9'.repeat(40)],
      ['traceparent', '\u0001'.repeat(200)],
      ['traceparent', `00-${'f'.repeat(32)}-${'f'.repeat(16)}-01`],
    ] as const) {
      await raw.request(subjects.request(name), '{}', { [key]: value });
    }
  }
});

it("a request that names another process's reply subject gets no answer there", async () => {
  for (const reply of [
    subjects.request('ledger.append'),
    subjects.event('stop', world.tenantId),
    `${inboxPrefixOf('orchestrator')}.x.1`,
    subjects.work('inline'),
  ]) {
    await raw.publish(subjects.request('kernel.renew'), '{}', reply);
  }
});

it('false reports of free slots bring an executor more permits at most, and lose no call', async () => {
  for (const message of [
    { v: 1, executor_id: newId('executor'), inline: Number.MAX_SAFE_INTEGER, sandboxed: Number.MAX_SAFE_INTEGER },
    { v: 1, executor_id: 'x', inline: 1, sandboxed: 1 },
    { v: 1, executor_id: newId('executor'), inline: -5, sandboxed: 1.5 },
    { v: 1, executor_id: newId('executor'), inline: 'many', sandboxed: null },
    null,
    'slots',
  ]) {
    executor.bus.publish(subjects.event('slots', '_'), message);
  }
});

it('a lease that is renewed for ever keeps only its own call, which its time limit still ends', async () => {
  const answer = world.call('shell.run', { command: 'true' });
  const { envelope, permit } = await executor.next();
  const nonce = BusExecutor.newNonce();
  await executor.redeem(envelope, nonce);
  const credentials = executor.credentialsOf(permit, nonce);
  for (let i = 0; i < 20; i += 1)
    expect(await codeOf(executor.ask('kernel.renew', { v: 1, ...credentials }))).toBe('ok');
  expect((await world.agent.post(`/v1/operations/${permit.operation_id}/cancel`)).status).toBe(200);
  expect(await executor.ask('kernel.renew', { v: 1, ...credentials })).toMatchObject({ stop: true });
  expect((await answer).body).toMatchObject({ tx_outcome: 'rolled_back', error: { code: 'cancelled' } });
});
