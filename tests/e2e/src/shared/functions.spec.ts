// SPDX-License-Identifier: Apache-2.0
// Functions that a tenant's own processes run, through the public API.
import { randomBytes } from 'node:crypto';
import { vi } from 'vitest';
import { FunctionWorker, makeWorld, sharedStack, verifiedReceipt, type SharedStack, type World } from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const CHARGE = {
  name: 'billing.charge',
  description: 'Charges a customer.',
  category: 'write',
  mode: 'pull',
  parameters: {
    type: 'object',
    properties: { cents: { type: 'integer', minimum: 1 } },
    required: ['cents'],
    additionalProperties: false,
  },
  result: { type: 'object', properties: { charge: { type: 'string' } }, required: ['charge'] },
};
const DONE = { outcome: 'succeeded', result: { charge: 'ch-1' } };

let stack: SharedStack;
let world: World;
let worker: FunctionWorker;
let token: string;
beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one' } });
  const applied = await world.admin.request('PUT', '/v1/tools', {
    functions: [CHARGE, { ...CHARGE, name: 'billing.refund', mode: 'caller' }],
  });
  expect(applied.body).toMatchObject({ valid: true });
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
  worker = await FunctionWorker.create(world, ['billing.charge']);
});

const propose = (tool: string, args: unknown, waitMs = 0) =>
  world.call(tool, args, { capability_token_id: token, max_autonomy: 'autopilot' }, waitMs);

it('a worker takes, redeems, renews and reports a call, whose caller gets the result and a receipt', async () => {
  const { body } = await propose('billing.charge', { cents: 120 });
  const proof = await worker.take();
  expect((await worker.redeem(proof)).body).toMatchObject({ args: { cents: 120 }, operation_id: body['operation_id'] });
  expect((await worker.renew(proof)).body).toMatchObject({ stop: false });
  expect((await worker.report(proof, DONE)).body).toEqual({ state: 'committed', tx_outcome: 'committed' });
  const ended = await world.until(body['operation_id'] as string, ['committed']);
  expect(ended).toMatchObject({ result: { status: 'ok', result: DONE.result } });
  const { record } = await verifiedReceipt(stack, world, body['operation_id'] as string);
  expect(record).toMatchObject({ execution: { contained: false, result: 'claimed', executor: worker.keyId } });
});

it('the proposer of a call runs it under a permit of its own', async () => {
  const { status, body } = await propose('billing.refund', { cents: 5 }, 20_000);
  expect([status, body]).toMatchObject([202, { state: 'admitted', awaits: 'caller' }]);
  const { body: taken } = await world.agent.post('/v1/permits/own', { operation_id: body['operation_id'] });
  const proof = { permit: taken['permit'], nonce: randomBytes(16).toString('hex') };
  expect((await world.agent.post('/v1/permits/redemptions', proof)).body).toMatchObject({ args: { cents: 5 } });
  expect((await world.agent.post('/v1/permits/reports', { ...proof, outcome: DONE })).body).toMatchObject({
    state: 'committed',
  });
});

it('what a permit is redeemed, renewed and reported with may arrive twice, and has the same answer', async () => {
  await propose('billing.charge', { cents: 30 });
  const proof = await worker.take();
  const first = (await worker.redeem(proof)).body;
  expect((await worker.redeem(proof)).body).toEqual(first);
  for (let times = 0; times < 2; times += 1) expect((await worker.renew(proof)).body).toMatchObject({ stop: false });
  const reported = await worker.report(proof, DONE);
  expect(reported.body).toEqual({ state: 'committed', tx_outcome: 'committed' });
  expect((await worker.report(proof, { outcome: 'unknown', message: 'later' })).body).toEqual(reported.body);
});

it('no key does the work of another: roles, permits and arguments are bound', async () => {
  await propose('billing.charge', { cents: 7 });
  expect((await world.agent.post('/v1/permits/next', {})).status).toBe(403);
  expect((await worker.api.post('/v1/permits/own', { operation_id: 'op_x' })).status).toBe(403);
  expect((await worker.api.get('/v1/operations')).status).toBe(403);
  expect((await worker.api.get('/v1/tools')).status).toBe(403);
  const proof = await worker.take();
  const thief = await FunctionWorker.create(world, ['*']);
  expect((await thief.redeem(proof)).body).toMatchObject({ code: 'permit.invalid' });
  expect((await worker.redeem(proof)).status).toBe(200);
  expect((await worker.redeem({ ...proof, nonce: randomBytes(16).toString('hex') })).body).toMatchObject({
    code: 'permit.spent',
  });
  expect((await thief.report(proof, DONE)).body).toMatchObject({ code: 'permit.invalid' });
  expect((await worker.report(proof, DONE)).status).toBe(200);
});
