// SPDX-License-Identifier: Apache-2.0
// The crash table for calls that a tenant's own process runs: worker, kernel and replies are lost at each point.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import {
  eventually,
  FunctionWorker,
  makeWorld,
  Observer,
  startStack,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';

const TUNING = { WRIT_LEASE_MS: '3000', WRIT_PERMIT_TTL_MS: '2000', WRIT_SWEEP_MS: '250' };

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const CHARGE = { description: 'Charges.', category: 'write', mode: 'pull', parameters: { type: 'object' } };
const DONE = { outcome: 'succeeded', result: { charge: 'ch-1' } };

let stack: Stack;
let world: World;
let observer: Observer;
let worker: FunctionWorker;
let token: string;
beforeAll(async () => {
  stack = await startStack({ env: { kernel: TUNING } });
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one' } });
  observer = new Observer(stack);
  const functions = [
    { ...CHARGE, name: 'billing.once' },
    { ...CHARGE, name: 'billing.again', idempotent: true },
  ];
  expect((await world.admin.request('PUT', '/v1/tools', { functions })).body).toMatchObject({ valid: true });
  const issued = await world.admin.must('/v1/capability-tokens', {
    agent_id: world.agentId,
    workspace_id: world.workspaceId,
    grant: {
      tools: ['billing.*'],
      fs: [],
      net: [],
      secrets: [],
      budgets: {},
      not_before: 0,
      expires_at: Date.now() + 3_600_000,
    },
  });
  token = issued['capability_token_id'] as string;
  worker = await FunctionWorker.create(world, ['billing.*']);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
});

const propose = async (tool: string): Promise<string> => {
  const { body } = await world.call(tool, { id: randomUUID() }, { capability_token_id: token }, 0);
  return body['operation_id'] as string;
};
const begin = async (tool: string) => {
  const operation = await propose(tool);
  const proof = await worker.take();
  expect((await worker.redeem(proof)).body).toMatchObject({ operation_id: operation });
  return { operation, proof };
};
const restartKernel = async (): Promise<void> => {
  await stack.services.kernel.kill();
  await stack.services.kernel.start();
};

it('worker killed before it redeems: the permit expires, and the call is offered again', async () => {
  const operation = await propose('billing.once');
  await worker.take();
  const again = await worker.take();
  expect((await worker.redeem(again)).body).toMatchObject({ operation_id: operation, attempt: 2 });
  expect((await worker.report(again, DONE)).body).toMatchObject({ state: 'committed' });
});

it('worker killed after it redeemed: the call ends ambiguous, and is never offered again', async () => {
  const { operation, proof } = await begin('billing.once');
  await world.until(operation, ['ambiguous']);
  expect((await worker.report(proof, DONE)).body).toEqual({ state: 'ambiguous', tx_outcome: 'ambiguous' });
  expect((await worker.api.post('/v1/worker/permits', {})).body).toEqual({ permit: null });
});

it('worker of an idempotent function killed before its report: another attempt, and the stale one is fenced', async () => {
  const { operation, proof } = await begin('billing.again');
  const again = await worker.take();
  expect((await worker.redeem(again)).body).toMatchObject({ operation_id: operation, attempt: 2 });
  expect((await worker.report(proof, DONE)).body).toMatchObject({ code: 'attempt.fenced' });
  expect((await worker.report(again, DONE)).body).toMatchObject({ state: 'committed' });
});

it('kernel killed at the redemption: the same proof redeems once it is back, and the call runs once', async () => {
  const operation = await propose('billing.once');
  const proof = await worker.take();
  const letGo = await observer.hold('LOCK TABLE kernel.operation IN ACCESS EXCLUSIVE MODE');
  const lost = worker.redeem(proof).catch(() => null);
  await observer.untilBlocked('writ_kernel');
  await stack.services.kernel.kill();
  await observer.abort('writ_kernel');
  await letGo();
  await stack.services.kernel.start();
  await lost;
  const redeemed = await eventually('a redemption', async () => {
    const taken = (await worker.redeem(proof)).body as JsonValue;
    return taken['operation_id'] === undefined ? (taken['code'] === 'permit.expired' ? taken : null) : taken;
  });
  // The permit's time may be over by then: in both cases nothing ran twice.
  const held = redeemed['operation_id'] === operation ? proof : await worker.take();
  if (held !== proof) await worker.redeem(held);
  expect((await worker.report(held, DONE)).body).toMatchObject({ state: 'committed' });
});

it('kernel killed at the report, and the reply lost: the same report gets the one outcome', async () => {
  const { operation, proof } = await begin('billing.once');
  const letGo = await observer.hold('LOCK TABLE kernel.outbox IN ACCESS EXCLUSIVE MODE');
  const lost = worker.report(proof, DONE).catch(() => null);
  await observer.untilBlocked('writ_kernel');
  await stack.services.kernel.kill();
  await observer.abort('writ_kernel');
  await letGo();
  await stack.services.kernel.start();
  await lost;
  const state = await eventually('an end', async () => {
    const { body } = await worker.report(proof, DONE);
    return body['state'] as string | undefined;
  });
  // Committed within the lease, else ambiguous: never offered again.
  expect(['committed', 'ambiguous']).toContain(state);
  expect((await worker.report(proof, DONE)).body).toMatchObject({ state });
  await restartKernel();
  expect(await world.until(operation, [state])).toMatchObject({ attempt: 1 });
});

it('of two workers that race for one call, one runs it', async () => {
  await propose('billing.once');
  const other = await FunctionWorker.create(world, ['*']);
  const taken = await Promise.all(
    [worker, other, worker, other].map(
      async ({ api }) => (await api.post('/v1/worker/permits', {})).body['permit'] as unknown,
    ),
  );
  expect(taken.filter((permit) => permit !== null)).toHaveLength(1);
});
