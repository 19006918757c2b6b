// SPDX-License-Identifier: Apache-2.0
// What becomes of a call when the head of its workspace moves under it: through the public API, with commands in real
// containers. What the executor says is held up while a person changes files, which takes no executor.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import { makeWorld, Observer, startStack, type Answer, type JsonValue, type Stack, type World } from '@writ/stack';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let stack: Stack;
let world: World;
let observer: Observer;
let key: string;

beforeAll(async () => {
  // Nothing that is held up here runs out while it is.
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
/** A person's change, which the kernel makes itself. */
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
 * Runs a command whose report isn't heard until `meanwhile` is over, on files as they were before it. Another one where
 * the report was faster than we were.
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

it("a command that wrote elsewhere than the head did is committed on the new head, and isn't run again", async () => {
  const operation = await whileItRuns('echo mine > mine.txt', () => put('theirs.txt', 'theirs\n'));
  expect(operation).toMatchObject({ state: 'committed', attempt: 1 });
  expect([await world.file('mine.txt'), await world.file('theirs.txt')]).toEqual(['mine\n', 'theirs\n']);
});

it('a command that wrote what the head wrote too leaves nothing, and says `workspace.conflict`', async () => {
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

it('an inline call that wrote what the head wrote too is done again on the new head', async () => {
  stack.busProxy('executor').hold('out');
  await call('fs.edit', { path: 'read-me.txt', edits: [{ find: 'two', replace: '2' }] });
  await put('read-me.txt', 'ONE\ntwo\nTHREE\n');
  stack.busProxy('executor').release();
  expect(await ended()).toMatchObject({ state: 'committed', result: { status: 'ok' } });
  expect(await world.file('read-me.txt')).toBe('ONE\n2\nTHREE\n');
});
