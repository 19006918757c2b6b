// SPDX-License-Identifier: Apache-2.0
// The row of the crash table where a retry would repeat an external effect: the executor dies after it announced one.
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { vi } from 'vitest';
import {
  eventually,
  expectConsistent,
  makeWorld,
  Observer,
  startStack,
  verifiedReceipt,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { repositoryRoot } from '@writ/testing';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const LEASE_MS = 2_000;
const PROGRAM = join(repositoryRoot(), 'tests', 'fault', 'src', 'programs', 'executor-with-effect.mjs');

let fakeInternet: Server;
let posts: string[];
let stack: Stack;
let world: World;
let observer: Observer;

beforeAll(async () => {
  fakeInternet = createServer((request, response) => {
    const parts: Buffer[] = [];
    request
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => {
        posts.push(Buffer.concat(parts).toString());
        response.end();
      });
  });
  fakeInternet.listen(0, '127.0.0.1');
  await once(fakeInternet, 'listening');
  stack = await startStack({
    env: {
      kernel: { WRIT_LEASE_MS: String(LEASE_MS), WRIT_SWEEP_MS: '200' },
      executor: { WRIT_TEST_EFFECT_URL: `http://127.0.0.1:${(fakeInternet.address() as AddressInfo).port}/` },
    },
    programs: { executor: [PROGRAM] },
  });
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' }, budgets: { calls: 10 } });
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
  fakeInternet?.close();
});
beforeEach(async () => {
  posts = [];
  if (!stack.services.executor.isRunning) await stack.services.executor.start();
});

const head = async (): Promise<string> =>
  (await world.admin.get(`/v1/workspaces/${world.workspaceId}`)).body.head_snapshot_id as string;
const reserved = async (): Promise<JsonValue> =>
  (
    await observer.rows(
      `SELECT reserved::int, used::int FROM kernel.budget WHERE capability_token_id = $1 AND dimension = 'calls'`,
      [world.tokenId],
    )
  )[0];

async function started(key: string): Promise<string> {
  void world.call('shell.run', { command: 'echo x > x.txt' }, { idempotency_key: key }, 0).catch(() => undefined);
  await eventually('the effect', () => Promise.resolve(posts.length > 0));
  return (await observer.operation(key)).operation_id as string;
}

it('executor dies with an effect started: the operation is ambiguous and never retried', async () => {
  const key = randomUUID();
  const [before, was] = [await head(), await reserved()];
  const id = await started(key);
  expect(posts).toEqual([id]);
  await stack.services.executor.kill();
  // An executor that would run the call again if the kernel retried it.
  const other = await stack.another('executor');
  await expectConsistent(stack, world, observer, id, { tx_outcome: 'ambiguous', attempt: 1 });
  expect(await observer.operation(key)).toMatchObject({
    state: 'ambiguous',
    tx_outcome: 'ambiguous',
    effect_started: true,
  });
  expect(await head()).toBe(before);
  expect(await reserved()).toEqual({ reserved: was.reserved + 1, used: was.used });
  const again = await world.call('shell.run', { command: 'echo x > x.txt' }, { idempotency_key: key });
  expect([again.status, again.body.operation_id, again.body.tx_outcome]).toEqual([200, id, 'ambiguous']);
  expect(posts).toEqual([id]);
  expect(await observer.outcomes(id)).toBe(1);
  await other.kill();
});

it('a person resolves an ambiguous operation once: recorded, workspace unchanged, never run again', async () => {
  const key = randomUUID();
  const [before, was] = [await head(), await reserved()];
  const id = await started(key);
  await stack.services.executor.kill();
  await world.until(id, ['ambiguous']);
  const unresolved = async () =>
    ((await world.operator.get('/v1/operations?unresolved=true')).body.items as JsonValue[]).map(
      ({ operation_id }) => operation_id,
    );
  expect(await unresolved()).toContain(id);
  const resolve = (outcome: string, who = world.operator) =>
    who.post(`/v1/operations/${id}/resolve`, { outcome, note: 'the server has the request in its log' });
  expect((await resolve('committed', world.agent)).body.code).toBe('auth.role');
  const [one, other] = await Promise.all([resolve('committed'), resolve('committed', world.admin)]);
  expect([one.status, other.status]).toEqual([200, 200]);
  expect(one.body.resolution).toEqual(other.body.resolution);
  expect((await resolve('rolled_back')).body).toMatchObject({ status: 409, code: 'conflict' });
  await expectConsistent(stack, world, observer, id, { tx_outcome: 'ambiguous', attempt: 1 });
  expect(await reserved()).toEqual({ reserved: was.reserved, used: was.used + 1 });
  expect([await head(), await unresolved()]).toEqual([before, expect.not.arrayContaining([id])]);
  const { record } = await verifiedReceipt(stack, world, id, 'resolution');
  expect(record).toMatchObject({
    kind: 'resolution',
    tx_outcome: 'committed',
    change: { verb: 'resolve', subject: id },
  });
  const again = await world.call('shell.run', { command: 'echo x > x.txt' }, { idempotency_key: key });
  expect([again.body.operation_id, again.body.tx_outcome]).toEqual([id, 'ambiguous']);
  expect(posts).toEqual([id]);
});

it('a cancelled call with an effect started is ambiguous too: the effect may have happened', async () => {
  const id = await started(randomUUID());
  const before = await head();
  expect((await world.agent.post(`/v1/operations/${id}/cancel`)).status).toBe(200);
  await expectConsistent(stack, world, observer, id, { tx_outcome: 'ambiguous', attempt: 1 });
  expect(await head()).toBe(before);
  expect(posts).toEqual([id]);
});
