// SPDX-License-Identifier: Apache-2.0
// The way out of a session's shell: one gate for each call, open while its turn runs.
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { SHELL_SESSION, type AnnouncedRequests, type BoundResource } from '@writ/contract';
import { FakeShells, type FakeShellProgram, type FakeShellWorld } from '@writ/sandbox';
import { InlineTaskRunner } from '@writ/worker-pool';
import type { Call, RunContext, Staged } from '../calls/runner.ts';
import { executorTasks } from '../calls/worker-tasks.ts';
import { callWork } from '../foundation/call-work.ts';
import { EgressGate } from '../egress/gate.ts';
import { LiveOutputs } from '../outputs/live-outputs.ts';
import { EgressFixture, OUTSIDE_HOSTS } from '../specs/egress-fixture.ts';
import { IMAGE, tenantId } from '../specs/scripted-kernel.ts';
import { SessionRunner } from './session-runner.ts';
import { Sessions } from './sessions.ts';

const SHELL_ID = 'a'.repeat(32);
const HOST = 'a.outside.example';
const OUTSIDE: Call['net'] = OUTSIDE_HOSTS ?? [];

let fixture: EgressFixture;
let sessions: Sessions;
let runner: SessionRunner;
let announced: AnnouncedRequests[];
let isOpened: boolean;
/** the world of the last command, with which a background process of the shell connects later */
let background: FakeShellWorld;
/** a connection that a command left open */
let kept: Duplex;

/** Sends a request over the shell's proxy; resolves with the answer to its end. */
async function request(connection: Duplex | null, head = `GET http://${HOST}/x`): Promise<string> {
  if (connection === null) return 'no connection';
  connection.write(`${head} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
  return await text(connection);
}

const FIRST_LINE = /^[^\r\n]*/;
const PROGRAMS: Readonly<Record<string, FakeShellProgram>> = {
  fetch: async ({ connect, out }) => (out(FIRST_LINE.exec(await request(connect()))?.[0] ?? ''), 0),
  post: async ({ connect, out }) => (
    out(FIRST_LINE.exec(await request(connect(), `POST http://${HOST}/key-31af-of-a-secret`))?.[0] ?? ''),
    0
  ),
  tunnel: async ({ connect }) => {
    kept = connect()!;
    kept.on('error', () => undefined);
    kept.write(`CONNECT ${HOST}:443 HTTP/1.1\r\nHost: ${HOST}:443\r\n\r\n`);
    await once(kept, 'readable');
    return 0;
  },
  leave: (world) => ((background = world), 0),
};

beforeEach(async () => {
  fixture = await EgressFixture.open();
  [announced, isOpened] = [[], false];
  sessions = new Sessions(
    { renewShell: () => Promise.resolve(true), endShell: () => Promise.resolve() },
    { sessionsMax: 1, idleMs: 60_000 },
  );
  runner = runnerOn(fixture.gate());
});
afterEach(async () => {
  await sessions.close();
  await fixture.close();
});

const runnerOn = (gate: EgressGate): SessionRunner =>
  new SessionRunner({
    shells: new FakeShells(PROGRAMS),
    sessions,
    blobs: fixture.kernel.blobs,
    gate,
    outputs: new LiveOutputs(),
  });

const context = (): RunContext => ({
  signal: new AbortController().signal,
  work: callWork(new InlineTaskRunner(executorTasks), tenantId, new AbortController().signal),
  mode: 'run',
  recordNeed: () => undefined,
  confirmMayContinue: () => Promise.resolve(),
  announceEffectStarted: (lines) => Promise.resolve(void (lines === null || announced.push(lines))),
  attachShell: () => {
    const verdict = isOpened ? 'yours' : 'opened';
    isOpened = true;
    return Promise.resolve({ v: 1, verdict, shell_id: SHELL_ID, ending: null });
  },
  endShell: () => Promise.resolve(),
});

async function ask(
  args: Record<string, unknown>,
  net: Call['net'] = OUTSIDE,
  given: Partial<Call> = {},
): Promise<Staged> {
  const staged = await runner.run(
    {
      tenantId,
      operationId: 'op',
      workspaceId: 'wsp',
      attempt: 1,
      toolId: SHELL_SESSION.tool_id,
      cli: null,
      resources: [],
      imageDigest: IMAGE,
      args,
      root: fixture.root,
      fs: [[{ path: '', read: true, write: true }]],
      net,
      secrets: {},
      resourceSecrets: {},
      limits: { ...SHELL_SESSION.limits },
      nodes: new Map(),
      ...given,
    },
    context(),
  );
  await staged.settle?.({ v: 1, state: 'no_op', tx_outcome: 'no_op' });
  return staged;
}
const outputOf = ({ result }: Staged): string => (result as { output: string }).output;

it('a command of a shell reaches the hosts of its token, and its report lists the requests and their bytes', async () => {
  const staged = await ask({ command: 'fetch' });
  expect(outputOf(staged)).toBe('HTTP/1.1 200 OK');
  expect(staged.requests).toMatchObject([
    { method: 'GET', target: `http://${HOST}/x`, outcome: 'answered', status: 200 },
  ]);
  expect(staged.usage.egress_bytes).toBeGreaterThan(0);
  expect(await ask({ command: 'leave' })).toMatchObject({ requests: [], usage: { egress_bytes: 0 } });
});

it('each call of a shell is judged by the grants of its own token, and nothing refused is connected', async () => {
  await ask({ command: 'fetch' });
  const dials = fixture.outside.dials.length;
  const narrowed = await ask({ command: 'fetch' }, [...OUTSIDE, [{ domain: 'b.outside.example', methods: ['GET'] }]]);
  expect(outputOf(narrowed)).toBe('HTTP/1.1 403 Forbidden');
  expect(narrowed.requests).toMatchObject([{ outcome: 'refused', address: null, sent_bytes: 0 }]);
  expect(fixture.outside.dials).toHaveLength(dials);
  expect(outputOf(await ask({ command: 'fetch' }))).toBe('HTTP/1.1 200 OK');
});

it('a process that connects between two calls gets no connection, and no later call lists its request', async () => {
  await ask({ command: 'leave' });
  expect(background.connect()).toBeNull();
  expect(await ask({})).toMatchObject({ requests: [] });
  expect(fixture.outside.received).toEqual([]);
});

it('a connection that outlives its call is cut, on both sides of the gate', async () => {
  const outside = once(fixture.outside.server(443), 'connection').then(([socket]) => socket as Duplex);
  const staged = await ask({ command: 'tunnel' });
  expect(staged.requests).toMatchObject([{ method: 'CONNECT', outcome: 'answered', status: 200 }]);
  const server = await outside;
  server.on('error', () => undefined);
  if (!server.destroyed) await once(server, 'close');
  expect([kept.destroyed, server.destroyed]).toEqual([true, true]);
});

it('the budgets of a call are those of its own: requests and bytes', async () => {
  const limits = { ...SHELL_SESSION.limits, egress_requests: 0 };
  expect(outputOf(await ask({ command: 'fetch' }, OUTSIDE, { limits }))).toBe('HTTP/1.1 403 Forbidden');
  const noBytes = { ...SHELL_SESSION.limits, egress_bytes: 0 };
  expect((await ask({ command: 'fetch' }, OUTSIDE, { limits: noBytes })).requests).toMatchObject([
    { outcome: 'refused', reason: expect.stringContaining('egress_bytes') as string },
  ]);
  expect(outputOf(await ask({ command: 'fetch' }))).toBe('HTTP/1.1 200 OK');
});

it('a request that may change something is announced before it leaves, without values that an earlier call gave', async () => {
  await ask({ command: 'leave' }, OUTSIDE, { secrets: { KEY: 'key-31af-of-a-secret' } });
  const staged = await ask({ command: 'post' });
  expect(outputOf(staged)).toBe('HTTP/1.1 200 OK');
  const targets = [...announced.flatMap(({ items }) => items), ...(staged.requests ?? [])].map(({ target }) => target);
  expect(new Set(targets)).toEqual(new Set([`http://${HOST}/***KEY***`]));
  expect(fixture.outside.received.map(({ url }) => url)).toEqual(['/key-31af-of-a-secret']);
});

it('a call that names its container reaches no private endpoint of a resource', async () => {
  fixture.outside.addressesOf = () => ['10.0.0.1'];
  runner = runnerOn(new EgressGate(fixture.outside.ports, () => performance.now(), [{ host: HOST, port: null }]));
  const container: BoundResource = {
    resource_id: 'res_01h455vb4pex5vsknk084sn02q',
    kind: 'container',
    name: 'build',
    owner_agent_id: null,
    settings: {},
    digest: '0'.repeat(64),
  };
  const staged = await ask({ command: 'fetch', container: 'build' }, OUTSIDE, { resources: [container] });
  expect(staged.requests).toMatchObject([
    { outcome: 'refused', reason: expect.stringContaining('does not lead to the public network') as string },
  ]);
  expect(fixture.outside.dials).toEqual([]);
});
