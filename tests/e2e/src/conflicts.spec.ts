// SPDX-License-Identifier: Apache-2.0
// A call whose workspace head moves while it runs, through the public API, with commands in real containers. The
// executor's report is delayed while a person changes files, which needs no executor.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import { makeWorld, Observer, startStack, type Answer, type JsonValue, type Stack, type World } from '@writ/stack';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let stack: Stack;
let world: World;
let observer: Observer;
let key: string;

beforeAll(async () => {
  // No time limit is reached during the delay.
  stack = await startStack({
    env: { kernel: { WRIT_LEASE_MS: '120000', WRIT_PERMIT_TTL_MS: '120000', WRIT_SWEEP_MS: '250' } },
    busProxies: ['executor'],
  });
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'read-me.txt': 'one\ntwo\nthree\n' } });
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
});
beforeEach(() => {
  key = randomUUID();
});
afterEach(() => stack.busProxy('executor').release());

const call = (toolId: string, args: JsonValue): Promise<Answer<JsonValue>> =>
  world.call(toolId, args, { idempotency_key: key }, 0);
/** A person's change, which the kernel applies itself. */
async function put(path: string, content: string): Promise<void> {
  const { status, text } = await world.admin.request(
    'PUT',
    `/v1/workspaces/${world.workspaceId}/files/${path}`,
    content,
    { 'content-type': 'application/octet-stream' },
  );
  expect([status, text]).toEqual([200, expect.anything()]);
}
const ended = (): Promise<JsonValue> =>
  observer
    .operation(key)
    .then((operation) => world.until(operation?.operation_id as string, ['committed', 'rolled_back', 'no_op']));

/**
 * Runs a command whose report is delayed until `meanwhile` is over, on the earlier files. Repeats it where the report
 * arrived first.
 */
async function whileItRuns(command: string, meanwhile: () => Promise<void>): Promise<JsonValue> {
  for (;;) {
    key = randomUUID();
    await call('shell.run', { command: `${command}; sleep 1` });
    await observer.untilState(key, 'performing', 'committed', 'rolled_back');
    stack.busProxy('executor').hold('out');
    if ((await observer.operation(key))?.state === 'performing') break;
    stack.busProxy('executor').release();
  }
  await meanwhile();
  stack.busProxy('executor').release();
  return await ended();
}

it('a command that changed other files than the head did commits on the new head without a rerun', async () => {
  const operation = await whileItRuns('echo mine > mine.txt', () => put('theirs.txt', 'theirs\n'));
  expect(operation).toMatchObject({ state: 'committed', attempt: 1 });
  expect([await world.file('mine.txt'), await world.file('theirs.txt')]).toEqual(['mine\n', 'theirs\n']);
});

it('a command that changed the same files as the head commits nothing: `workspace.conflict`', async () => {
  const operation = await whileItRuns('echo mine > both.txt; echo beside > beside.txt', () =>
    put('both.txt', 'theirs\n'),
  );
  expect(operation).toMatchObject({
    state: 'rolled_back',
    attempt: 1,
    result: { status: 'error', tx_outcome: 'rolled_back', error: { code: 'workspace.conflict' } },
  });
  expect([await world.file('both.txt'), await world.file('beside.txt')]).toEqual(['theirs\n', null]);
});

it('an inline call that changed the same files as the head runs again on the new head', async () => {
  stack.busProxy('executor').hold('out');
  await call('fs.edit', { path: 'read-me.txt', edits: [{ find: 'two', replace: '2' }] });
  await put('read-me.txt', 'ONE\ntwo\nTHREE\n');
  stack.busProxy('executor').release();
  expect(await ended()).toMatchObject({ state: 'committed', result: { status: 'ok' } });
  expect(await world.file('read-me.txt')).toBe('ONE\n2\nTHREE\n');
});
