// SPDX-License-Identifier: Apache-2.0
// A change of an information store, killed at each point between its first row and its receipt: it becomes visible once
// and whole, or not at all. Locks stop a process at exactly that point.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import {
  eventually,
  expectConsistent,
  makeWorld,
  Observer,
  startStack,
  type Answer,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const LEASE_MS = 4_000;
const TUNING = { WRIT_LEASE_MS: String(LEASE_MS), WRIT_PERMIT_TTL_MS: '3000', WRIT_SWEEP_MS: '250' };
const DOCUMENTS = [
  { document_id: 'tea', text: 'Green tea is brewed at 80 degrees.' },
  { document_id: 'coffee', text: 'Coffee is brewed at 94 degrees.' },
];

let stack: Stack;
let world: World;
let observer: Observer;
let token: string;
let store: string;
let key: string;

beforeAll(async () => {
  stack = await startStack({ env: { kernel: TUNING }, busProxies: ['kernel', 'executor'] });
  world = await makeWorld(stack.url, stack.keys.platformKey);
  observer = new Observer(stack);
  token = await newToken();
  for (const right of ['use', 'create']) {
    const { status } = await world.admin.request('PUT', '/v1/resource-grants', {
      kind: 'info_store',
      resource_id: null,
      right,
      agent_id: world.agentId,
      clearance: 'autopilot',
    });
    expect(status).toBe(200);
  }
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
});
beforeEach(async () => {
  key = randomUUID();
  store = `store-${key.slice(0, 8)}`;
  const made = await call('store.register', { name: store, embedding: 'none' }, {});
  expect(made.body).toMatchObject({ tx_outcome: 'committed' });
});
afterEach(async () => {
  await observer.close();
  for (const name of ['kernel', 'executor'] as const) stack.busProxy(name).release();
  for (const service of [stack.services.kernel, stack.services.executor]) if (!service.isRunning) await service.start();
});

const newToken = async (): Promise<string> =>
  (
    await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        tools: ['*'],
        fs: [],
        net: [],
        secrets: [],
        resources: ['info_store:*'],
        budgets: {},
        not_before: 0,
        expires_at: Date.now() + 3_600_000,
      },
    })
  ).capability_token_id as string;

const call = (tool: string, args: JsonValue, over: JsonValue): Promise<Answer<JsonValue>> =>
  world.call(tool, args, { capability_token_id: token, ...over });
/** Puts both documents into the store; the API may close its connection, and the call continues. */
const upsert = (): Promise<unknown> =>
  call('vecdb.upsert', { store, documents: DOCUMENTS }, { idempotency_key: key }).catch(() => undefined);
const found = async (): Promise<string[]> =>
  (await call('vecdb.query', { store, text: 'brewed' }, {})).body.result.hits
    .map(({ document_id }: JsonValue) => document_id as string)
    .sort();
/** What attempts of the call staged: how many changes are sealed, and how many are published. */
const changes = async (): Promise<JsonValue> => {
  const { operation_id } = await eventually('the operation', () => observer.operation(key));
  const [counts] = await observer.rows(
    `SELECT count(sealed_at)::int AS sealed, count(published_version)::int AS published
     FROM info_store.change WHERE operation_id = $1`,
    [operation_id],
  );
  return counts;
};
const untilSealed = (): Promise<unknown> => eventually('a sealed change', async () => (await changes()).sealed === 1);

/**
 * The call committed, with a receipt, and its documents are there once. @param attempt the one that committed, where
 * that is certain: a lease can expire while a kernel starts or a report is repeated
 */
async function expectPublishedOnce(attempt?: number): Promise<void> {
  await observer.untilState(key, 'committed');
  const { operation_id } = await observer.operation(key);
  await expectConsistent(stack, world, observer, operation_id as string, {
    tx_outcome: 'committed',
    ...(attempt === undefined ? {} : { attempt }),
  });
  expect(await changes()).toMatchObject({ published: 1 });
  expect(await found()).toEqual(['coffee', 'tea']);
}

it('an executor dies while it stages: nothing is visible, and the next attempt commits', async () => {
  const letGo = await observer.hold('LOCK TABLE info_store.chunk IN EXCLUSIVE MODE');
  const answer = upsert();
  await observer.untilBlocked('writ_executor');
  await stack.services.executor.kill();
  await observer.abort('writ_executor');
  await letGo();
  expect(await changes()).toEqual({ sealed: 0, published: 0 });
  await stack.services.executor.start();
  await answer;
  await expectPublishedOnce(2);
});

it('an executor dies with its change staged and its report unsent: the next attempt commits, once', async () => {
  const letGo = await observer.hold('LOCK TABLE info_store.chunk IN EXCLUSIVE MODE');
  const answer = upsert();
  await observer.untilBlocked('writ_executor');
  stack.busProxy('executor').hold('out');
  await letGo();
  await untilSealed();
  await stack.services.executor.kill();
  stack.busProxy('executor').cut();
  expect(await changes()).toEqual({ sealed: 1, published: 0 });
  await stack.services.executor.start();
  await answer;
  await expectPublishedOnce(2);
});

it('a report is lost: its change is published once all the same', async () => {
  const letGo = await observer.hold('LOCK TABLE info_store.chunk IN EXCLUSIVE MODE');
  const answer = upsert();
  await observer.untilBlocked('writ_executor');
  stack.busProxy('executor').hold('out');
  await letGo();
  await untilSealed();
  stack.busProxy('executor').cut();
  await answer;
  await expectPublishedOnce();
});

it('the kernel dies in the transaction that publishes: nothing is visible until the repeated report commits', async () => {
  const letGo = await observer.hold('LOCK TABLE info_store.document IN EXCLUSIVE MODE');
  const answer = upsert();
  await observer.untilBlocked('writ_kernel');
  await stack.services.kernel.kill();
  await observer.abort('writ_kernel');
  await letGo();
  expect(await changes()).toEqual({ sealed: 1, published: 0 });
  await stack.services.kernel.start();
  await answer;
  await expectPublishedOnce();
});
