// SPDX-License-Identifier: Apache-2.0
// Processes that a session's shell keeps between two calls, when no call is there to answer for what they send.
// INVARIANT (a call answers for each request): whatever reached a server stands in the list of a call that ran then.
import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import { eventually, openFakeInternet, type FakeInternet, type JsonValue, type World } from '@writ/stack';
import { HostileWorld } from './hostile-world.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** Long compared with the pauses of the loops below, and with what a request takes on a busy machine. */
const QUIET_MS = 3_000;
const HOST = 'a.outside.example';

let fakeInternet: FakeInternet;
let hostile: HostileWorld;
let world: World;
let token: string;
/** requests that reached the server, by path */
let reached: string[] = [];
/** connections of `/slow` that the server still has */
let slow = 0;

beforeAll(async () => {
  fakeInternet = await openFakeInternet((request, response) => {
    reached.push(request.url ?? '');
    if (request.url !== '/slow') return void response.end('hello\n');
    slow += 1;
    const timer = setInterval(() => response.write('more\n'), 50);
    response.once('close', () => {
      clearInterval(timer);
      slow -= 1;
    });
  });
  hostile = await HostileWorld.open({
    programs: { executor: [fakeInternet.program] },
    env: { executor: fakeInternet.env },
  });
  ({ world } = hostile);
  token = (
    await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        tools: ['shell.*'],
        fs: [{ path: 'src', read: true, write: true }],
        net: [{ domain: HOST, methods: ['GET', 'POST', 'CONNECT'] }],
        secrets: [],
        budgets: {},
        not_before: 0,
        expires_at: Date.now() + 3_600_000,
      },
    })
  ).capability_token_id as string;
});
afterAll(async () => {
  await hostile?.close();
  fakeInternet?.close();
});
beforeEach(() => {
  reached = [];
});
afterEach(() => hostile.expectUnharmed());

/** Calls of a new session, and the requests that their lists show, all together, but for those refused. */
function session() {
  const session_id = `s-${randomUUID()}`;
  const listed: JsonValue[] = [];
  const ask = async (args: Record<string, unknown>): Promise<JsonValue> => {
    const over = { session_id, capability_token_id: token };
    const body = await hostile.approved((await world.call('shell.session', args, over, 55_000)).body);
    const { items } = (await world.agent.get(`/v1/operations/${body.operation_id as string}/requests`)).body;
    listed.push(...(items as JsonValue[]).filter(({ outcome }) => outcome !== 'refused'));
    return body;
  };
  return { ask, listed };
}
/** What reaches the server from now on, while nobody calls. */
async function reachedIn(ms: number): Promise<readonly string[]> {
  const before = reached.length;
  await sleep(ms);
  return reached.slice(before);
}

it('a loop that connects all the time reaches the server during calls alone, and each request is listed', async () => {
  const { ask, listed } = session();
  const loop = `(while ! test -e /tmp/over; do curl -s -m 2 http://${HOST}/loop >> /tmp/got; echo "$?" >> /tmp/ends; sleep 0.05; done) > /dev/null 2>&1 &`;
  await ask({ command: loop });
  await ask({ command: 'sleep 2' });
  expect(reached.length).toBeGreaterThan(0);
  expect(await reachedIn(QUIET_MS)).toEqual([]);
  // It did try: curl counts every attempt, and those between the calls failed.
  const tried = await ask({
    command: 'touch /tmp/over; wait; echo "counted $(grep -c . /tmp/ends) $(grep -vc ^0 /tmp/ends)"',
  });
  const [, ends, failed] = /counted (\d+) (\d+)/.exec(tried.result.output as string) ?? [];
  expect(Number(ends)).toBeGreaterThan(reached.length);
  expect(Number(failed)).toBeGreaterThan(5);
  // A request that its call's end cut is listed as failed, whether it reached the server or not.
  expect(listed.map(({ target }) => target as string)).toEqual(listed.map(() => `http://${HOST}/loop`));
  expect(listed.length).toBeGreaterThanOrEqual(reached.length);
  expect(listed.filter(({ outcome }) => outcome !== 'failed').length).toBeLessThanOrEqual(reached.length);
  await ask({ close: true });
});

it('a connection that a background process keeps open is cut with its call, and cannot be used in the next', async () => {
  const { ask } = session();
  const kept = await ask({
    command: `(curl -sN http://${HOST}/slow > /tmp/slow; echo "curl $?" > /tmp/end) & until test -s /tmp/slow; do sleep 0.05; done`,
  });
  expect(kept).toMatchObject({ status: 'ok', result: { running: false } });
  await eventually('the server to lose the connection', () => Promise.resolve(slow === 0 || null));
  const after = await ask({ command: 'wait; cat /tmp/end; wc -c < /tmp/slow; sleep 1; wc -c < /tmp/slow' });
  const [end, before, later] = after.result.output.trim().split('\n');
  expect(end).toMatch(/^curl [1-9]/);
  expect(later).toBe(before);
  expect(reached).toEqual(['/slow']);
  await ask({ close: true });
});

it('a command that outlives its call keeps no connection, and the tunnel that it opened is closed', async () => {
  const { ask } = session();
  const tunnel = `exec 9<>"/dev/tcp/127.0.0.1/\${http_proxy##*:}"; printf 'GET http://${HOST}/slow HTTP/1.1\\r\\nHost: ${HOST}\\r\\n\\r\\n' >&9; head -c 100 <&9 > /dev/null; cat <&9 > /dev/null; echo "cut"; sleep 1000`;
  expect(await ask({ command: tunnel, yield_ms: 3_000 })).toMatchObject({ status: 'ok', result: { running: true } });
  await eventually('the server to lose the connection', () => Promise.resolve(slow === 0 || null));
  expect((await ask({ yield_ms: 1_000 })).result.output).toContain('cut');
  expect(reached).toEqual(['/slow']);
  expect(await reachedIn(QUIET_MS)).toEqual([]);
  await ask({ close: true });
});

it('a process that forges the frames of a connection between two calls ends its shell, and reaches nothing', async () => {
  const { ask } = session();
  // A connection is opened as channel 1, and carries a request: as the agent would write it.
  const request = `GET http://${HOST}/forged HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;
  const open = String.raw`\0\0\0\4\1\140\0\0\0\1`;
  const data =
    String.raw`\0\0\0` + `\\${(request.length + 4).toString(8).padStart(3, '0')}` + String.raw`\1\141\0\0\0\1`;
  // It forges until it is gone: a busy machine may not have ended the call before the first time.
  const content = `while sleep ${QUIET_MS / 1_000}; do for p in /proc/[0-9]*; do printf '${open}${data}${request.replaceAll('\r\n', String.raw`\r\n`)}' > $p/fd/1; done; done 2> /dev/null\n`;
  await world.admin.must(`/v1/workspaces/${world.workspaceId}/files`, { files: [{ path: 'src/forge.sh', content }] });
  await ask({ command: '(bash src/forge.sh > /dev/null 2>&1) &' });
  expect(await reachedIn(3 * QUIET_MS)).toEqual([]);
  expect(await ask({ command: 'echo on' })).toMatchObject({ status: 'error', error: { code: 'session.lost' } });
  expect(reached).toEqual([]);
});
