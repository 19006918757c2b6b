// SPDX-License-Identifier: Apache-2.0
// Commands that take longer than their lease, with those who follow, stop and wait for them. The lease is two seconds,
// so a command of some seconds needs as many renewals as one of minutes. `WRIT_LONG_COMMAND_SECONDS=150` makes the
// longest one last that long: beyond the two minutes that a command has unless its call asks for more.
//
// On a machine that stands still for a lease, a call loses its attempt and begins another. So no test counts on the
// first attempt. What must be seen while a command runs is seen of one that runs until somebody ends it.
import { once } from 'node:events';
import { request, type ClientRequest } from 'node:http';
import { vi } from 'vitest';
import {
  type Api,
  eventually,
  expectCleanLog,
  makeWorld,
  Observer,
  startStack,
  verifiedReceipt,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { followOutput, shownText, type OutputMessage } from './output-reader.ts';

const SECONDS = Number(process.env['WRIT_LONG_COMMAND_SECONDS'] ?? '5');
const HOUR = 3_600_000;
const UNENDING = { timeout_ms: HOUR / 2 };
vi.setConfig({ testTimeout: (SECONDS + 120) * 1_000, hookTimeout: 120_000 });

let stack: Stack;
let world: World;
let other: World;
let observer: Observer;
beforeAll(async () => {
  stack = await startStack({
    env: {
      kernel: { WRIT_LEASE_MS: '2000', WRIT_SWEEP_MS: '200' },
      executor: { WRIT_SLOTS_SANDBOXED: '1' },
      orchestrator: { WRIT_EVENT_STREAMS_MAX: '60' },
    },
  });
  [world, other] = [
    await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } }),
    await makeWorld(stack.url, stack.keys.platformKey),
  ];
  observer = new Observer(stack);
  await world.admin.request('PATCH', '/v1/call-settings', { command_ms: HOUR });
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
});

async function begin(command: string, args: object = {}, over: Record<string, unknown> = {}): Promise<string> {
  const { body } = await world.call('shell.run', { command, ...args }, over, 0);
  return body.operation_id as string;
}
const performing = (operationId: string): Promise<JsonValue> => world.until(operationId, ['performing']);
async function tokenOf(grant: object): Promise<string> {
  const { capability_token_id } = await world.admin.must('/v1/capability-tokens', {
    agent_id: world.agentId,
    workspace_id: world.workspaceId,
    grant: {
      tools: ['shell.*'],
      fs: [{ path: '', read: true, write: true }],
      net: [],
      secrets: [],
      budgets: {},
      not_before: 0,
      expires_at: Date.now() + HOUR,
      ...grant,
    },
  });
  return capability_token_id as string;
}
const endOf = (operationId: string): Promise<JsonValue> =>
  world.until(operationId, ['rolled_back', 'committed', 'ambiguous']);
const cancel = (operationId: string): Promise<unknown> => world.agent.post(`/v1/operations/${operationId}/cancel`, {});
/** Follows a command that runs until it has shown a text. */
async function followUntil(operationId: string, shown: string, after?: string): Promise<OutputMessage[]> {
  let text = '';
  return await followOutput(world.agent, operationId, {
    ...(after === undefined ? {} : { after }),
    enough: (message) => (text += shownText([message])).includes(shown),
  });
}
/** What each attempt has shown. The id of an event names its attempt. */
function shownByAttempt(messages: readonly OutputMessage[]): string[] {
  const attempts = Map.groupBy(messages, ({ id }) => id?.split('.')[0]);
  return [...attempts.values()].map(shownText).filter((text) => text !== '');
}
/** Follows an operation and reads nothing of it. */
async function followStuck(operationId: string): Promise<ClientRequest> {
  const stuck = request(`${stack.url}/v1/operations/${operationId}/output?follow`, {
    headers: { authorization: `Bearer ${world.agent.key ?? ''}` },
  });
  stuck.end();
  const [response] = (await once(stuck, 'response')) as [NodeJS.ReadableStream];
  response.pause();
  return stuck;
}
/**
 * Follows a command from its start, with one more who reads nothing. Another command has the only slot until all who
 * follow are there.
 */
async function followedFromStart(by: readonly Api[], command: string): Promise<[string, OutputMessage[][]]> {
  const before = await begin('sleep 1000', UNENDING);
  await performing(before);
  const id = await begin(command, UNENDING);
  const stuck = await followStuck(id);
  let ready = 0;
  const followed = Promise.all(
    by.map((each) =>
      followOutput(each, id, {
        enough: ({ event }) => {
          if (event === 'ready') ready += 1;
          return false;
        },
      }),
    ),
  );
  await Promise.race([followed, eventually('all follow', () => Promise.resolve(ready === by.length))]);
  await cancel(before);
  const messages = await followed;
  stuck.destroy();
  return [id, messages];
}

it('a call asks for as much time as its tenant and its token allow, and more is refused', async () => {
  const asked = async (ms: number, over: Record<string, unknown> = {}) =>
    (await world.call('shell.run', { command: 'echo x', timeout_ms: ms }, over)).body;
  expect(await asked(HOUR + 1)).toMatchObject({
    status: 'error',
    error: { code: 'command.too_long', message: expect.stringContaining("the tenant's setting") },
  });
  const capability_token_id = await tokenOf({ expires_at: Date.now() + HOUR / 2 });
  expect(await asked(HOUR - 60_000, { capability_token_id })).toMatchObject({
    status: 'error',
    error: { code: 'command.too_long', message: expect.stringContaining('its capability token ends in') },
  });
  const bounded = await tokenOf({ budgets: { wall_ms: HOUR, cpu_ms: 2 * HOUR } });
  expect(await asked(HOUR / 2, { capability_token_id: bounded })).toMatchObject({ status: 'ok' });
  const [budget] = await observer.rows<{ used: number; reserved: number }>(
    `SELECT used::float8, reserved::float8 FROM kernel.budget WHERE capability_token_id = $1 AND dimension = 'wall_ms'`,
    [bounded],
  );
  expect(budget).toMatchObject({ reserved: 0 });
  expect(budget?.used).toBeLessThan(60_000);
});

it('those who may not see a call learn nothing of its output', async () => {
  const id = await begin('sleep 1000', UNENDING);
  for (const by of [other.admin, other.agent])
    expect((await by.get(`/v1/operations/${id}/output?follow`)).body).toMatchObject({ code: 'not_found' });
  const { agent_id } = await world.admin.must('/v1/agents', { name: 'another' });
  const { api_key } = await world.admin.must('/v1/api-keys', { name: 'another', role: 'agent', agent_id });
  const answer = await world.admin.as(api_key as string).get(`/v1/operations/${id}/output?follow=true`);
  expect(answer.body).toMatchObject({ code: 'not_found' });
  expect((await world.agent.get(`/v1/operations/${id}/output?follow&stream=stdout`)).body).toMatchObject({
    code: 'query.invalid',
  });
  await cancel(id);
});

it('nothing of a call with secrets is shown while it runs', async () => {
  await world.admin.request('PUT', '/v1/secrets', { name: 'KEY', value: 'hunter2-of-a-tenant' });
  const capability_token_id = await tokenOf({ secrets: ['KEY'] });
  const id = await begin('echo "key: ${secret:KEY}" | rev; sleep 1000', UNENDING, { capability_token_id });
  const messages = await followOutput(world.agent, id, {
    enough: ({ event }) => {
      if (event === 'withheld') void cancel(id);
      return false;
    },
  });
  const shown = new Set(messages.map(({ event }) => event).filter((event) => event !== 'alive'));
  expect([...shown]).toEqual(['ready', 'attempt', 'withheld', 'end']);
  expect(messages.at(-1)?.data).toMatchObject({ reason: 'ended', state: 'rolled_back', withheld: true });
});

it('a running command is cancelled: rolled back, recorded, and told to those who follow it', async () => {
  const id = await begin('echo half > half.txt; echo begun; sleep 1000', UNENDING);
  const followed = followOutput(world.auditor, id);
  await followUntil(id, 'begun');
  await cancel(id);
  expect((await endOf(id)).result).toMatchObject({ error: { code: 'cancelled' }, tx_outcome: 'rolled_back' });
  expect(await world.file('half.txt')).toBeNull();
  expect((await followed).at(-1)?.data).toMatchObject({ state: 'rolled_back', error: { code: 'cancelled' } });
  const { record } = await verifiedReceipt(stack, world, id);
  expect(record).toMatchObject({ fault_code: 'cancelled', tx_outcome: 'rolled_back' });
});

it('who goes away and comes back sees each byte once', async () => {
  const id = await begin('for i in 1 2 3; do echo "line $i"; sleep 0.2; done; sleep 1000', UNENDING);
  const first = await followUntil(id, 'line 1\n');
  const rest = shownText(first).includes('line 3\n') ? [] : await followUntil(id, 'line 3\n', first.at(-1)?.id ?? '');
  for (const shown of shownByAttempt([...first, ...rest]).slice(-1)) expect(shown).toBe('line 1\nline 2\nline 3\n');
  await cancel(id);
});

it('a command that outlives its lease commits, and all who follow it see each byte once', async () => {
  const lines = Array.from({ length: SECONDS }, (_none, i) => `line ${i + 1}\n`).join('');
  const readers = Array.from({ length: 50 }, () => world.operator);
  const [id, all] = await followedFromStart(
    readers,
    `for i in $(seq ${SECONDS}); do echo "line $i"; sleep 1; done; echo done > done.txt`,
  );
  for (const each of all) {
    const shown = shownByAttempt(each);
    expect(shown.at(-1)).toBe(lines);
    for (const lost of shown) expect(lines.startsWith(lost)).toBe(true);
    expect(each.at(-1)?.data).toMatchObject({ reason: 'ended', state: 'committed', exit_code: 0 });
    if (SECONDS > 12) expect(each.some(({ event }) => event === 'alive')).toBe(true);
  }
  expect(await world.file('done.txt')).toBe('done\n');
  expect((await world.admin.get(`/v1/operations/${id}`)).body.result).toMatchObject({
    status: 'ok',
    result: { output: lines },
  });
  // Who comes too late gets the end.
  expect((await followOutput(world.agent, id)).map(({ event }) => event)).toEqual(['ready', 'end']);
});

it('a lost executor is noticed: another attempt begins from the start, and the call ends once', async () => {
  const id = await begin('echo begun; sleep 1000', UNENDING);
  const followed = followOutput(world.agent, id);
  const lost = (await followUntil(id, 'begun')).at(-1)?.data['attempt'] as number;
  await stack.services.executor.kill();
  await stack.services.executor.start();
  await followOutput(world.agent, id, {
    enough: ({ event, data }) => event === 'output' && (data['attempt'] as number) > lost,
  });
  await cancel(id);
  const messages = await followed;
  const attempts = messages.filter(({ event }) => event === 'attempt').map(({ data }) => data['attempt'] as number);
  expect(attempts).toEqual(attempts.map((_attempt, i) => i + 1));
  expect(attempts.length).toBeGreaterThan(1);
  expect(new Set(shownByAttempt(messages))).toEqual(new Set(['begun\n']));
  expect(messages.filter(({ event }) => event === 'end')).toHaveLength(1);
  expect(messages.at(-1)?.data).toMatchObject({ state: 'rolled_back', attempt: attempts.at(-1) });
  expectCleanLog(stack);
});

it('a revoked token and a freeze end a running command', async () => {
  const capability_token_id = await tokenOf({});
  const revoked = await begin('sleep 1000', UNENDING, { capability_token_id });
  await performing(revoked);
  await world.admin.post(`/v1/capability-tokens/${capability_token_id}/revoke`, {});
  expect((await endOf(revoked)).result).toMatchObject({ error: { code: 'token.revoked' } });
  const frozen = await begin('sleep 1000', UNENDING);
  await performing(frozen);
  const freeze = await world.admin.must('/v1/freezes', { scope: 'agent', id: world.agentId, reason: 'look first' });
  expect((await endOf(frozen)).result).toMatchObject({ error: { code: 'frozen' } });
  await world.admin.post(`/v1/freezes/${String(freeze.freeze_id)}/lift`, {});
});
