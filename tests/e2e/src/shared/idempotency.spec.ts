// SPDX-License-Identifier: Apache-2.0
// Idempotency keys of calls and runs, by the API and as the guide describes them.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import { makeWorld, RECORDED_MODEL, sharedStack, type SharedStack, type World } from '@writ/stack';
import { GuideFolder } from '../guide.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: SharedStack;
let world: World;
beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'first\n' } });
});

it('every command of docs/how-to/idempotency.md works as the guide describes', async () => {
  const folder = await GuideFolder.open(stack);
  try {
    expect(await folder.run('how-to/idempotency.md', { MODEL: RECORDED_MODEL })).toMatch(/idempotent-replayed: true/i);
  } finally {
    folder.remove();
  }
});

it('a key that a call of one tool has is refused to every other tool', async () => {
  const idempotency_key = randomUUID();
  const write = { path: 'a.txt', content: 'second\n' };
  const first = await world.call('fs.write', write, { idempotency_key });
  const others = [
    await world.call('shell.run', { command: 'echo third > a.txt' }, { idempotency_key }),
    await world.call('fs.read', { path: 'a.txt' }, { idempotency_key }),
  ];
  expect(others.map(({ body }) => [body.tx_outcome, body.error.code, body.error.message])).toEqual([
    ['rolled_back', 'idempotency.mismatch', 'the idempotency key was used with another tool'],
    ['no_op', 'idempotency.mismatch', 'the idempotency key was used with another tool'],
  ]);
  expect(await world.file('a.txt')).toBe('second\n');
  const again = await world.call('fs.write', write, { idempotency_key });
  expect(again.body.operation_id).toBe(first.body.operation_id);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
});

it('a run is started once for a key in the header `Idempotency-Key`', async () => {
  const session = await world.admin.must('/v1/sessions', {
    agent_id: world.agentId,
    capability_token_id: world.tokenId,
    workspace_id: world.workspaceId,
    model: RECORDED_MODEL,
  });
  const start = async (key: string, body: object = { input: 'do it' }) => {
    const answer = await fetch(`${stack.url}/v1/sessions/${session.session_id as string}/runs`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.admin.key ?? ''}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const [first, again, another] = [await start('k'), await start('k'), await start('l')];
  expect([first.status, again.status, another.status]).toEqual([202, 202, 202]);
  expect(again.body['run_id']).toBe(first.body['run_id']);
  expect(another.body['run_id']).not.toBe(first.body['run_id']);
  expect(await start('k', { input: 'do it', idempotency_key: 'l' })).toMatchObject({
    status: 400,
    body: { code: 'request.malformed', pointer: '/idempotency_key' },
  });
});
