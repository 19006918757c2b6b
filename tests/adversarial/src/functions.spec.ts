// SPDX-License-Identifier: Apache-2.0
// Keys, permits and reports of functions that are not what they claim to be. Each gets the answer that a forged one
// gets, the call stays whose it is, and it ends once.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { vi } from 'vitest';
import {
  eventually,
  expectConsistent,
  FunctionWorker,
  makeWorld,
  Observer,
  startStack,
  verifiedReceipt,
  type AttemptProof,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const LEASE_MS = 4_000;
const CHARGE = {
  name: 'billing.charge',
  description: 'Charges a customer.',
  category: 'write',
  mode: 'pull',
  parameters: {
    type: 'object',
    properties: { cents: { type: 'integer', minimum: 1 }, id: { type: 'string' } },
    required: ['cents'],
    additionalProperties: false,
  },
  result: {
    type: 'object',
    properties: { charge: { type: 'string', pattern: '^ch-' } },
    required: ['charge'],
    additionalProperties: false,
  },
};
const DONE = { outcome: 'succeeded', result: { charge: 'ch-1' } };
const newNonce = (): string => randomBytes(16).toString('hex');

let stack: Stack;
let observer: Observer;
let world: World;
let foreign: World;
let worker: FunctionWorker;
let thief: FunctionWorker;
let token: string;
beforeAll(async () => {
  stack = await startStack({ env: { kernel: { WRIT_LEASE_MS: String(LEASE_MS), WRIT_SWEEP_MS: '250' } } });
  observer = new Observer(stack);
  [world, foreign] = await Promise.all([newWorld(), newWorld()]);
  token = await tokenOf(world);
  worker = await FunctionWorker.create(world, ['billing.charge']);
  thief = await FunctionWorker.create(world, ['*']);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
});

async function newWorld(): Promise<World> {
  const made = await makeWorld(stack.url, stack.keys.platformKey);
  const functions = [CHARGE, { ...CHARGE, name: 'billing.refund', mode: 'caller' }];
  expect((await made.admin.request('PUT', '/v1/tools', { functions })).body).toMatchObject({ valid: true });
  return made;
}

async function tokenOf({ admin, agentId, workspaceId }: World): Promise<string> {
  const issued = await admin.must('/v1/capability-tokens', {
    agent_id: agentId,
    workspace_id: workspaceId,
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
  return issued.capability_token_id as string;
}

const propose = async (tool = 'billing.charge', args: unknown = { cents: 7, id: randomUUID() }): Promise<string> => {
  const { body } = await world.call(tool, args, { capability_token_id: token }, 0);
  return body.operation_id as string;
};
const begin = async (): Promise<{ operation: string; proof: AttemptProof }> => {
  const operation = await propose();
  const proof = await worker.take();
  expect((await worker.redeem(proof)).body).toMatchObject({ operation_id: operation });
  return { operation, proof };
};
const finish = async (operation: string, proof: AttemptProof): Promise<void> => {
  expect((await worker.report(proof, DONE)).body).toMatchObject({ state: 'committed' });
  await expectConsistent(stack, world, observer, operation, { tx_outcome: 'committed', attempt: 1 });
};
const payloadOf = ({ permit }: AttemptProof): JsonValue =>
  JSON.parse(Buffer.from((permit as JsonValue).payload as string, 'base64').toString()) as JsonValue;

describe('a key', () => {
  it("of an agent has no route of workers, and a worker's key has no other route", async () => {
    for (const { api } of [{ api: world.admin }, { api: world.operator }, { api: world.auditor }])
      for (const path of ['next', 'own', 'redemptions', 'renewals', 'reports'])
        expect((await api.post(`/v1/permits/${path}`, {})).body).toMatchObject({ code: 'auth.role' });
    expect((await world.agent.post('/v1/permits/next', {})).body).toMatchObject({ code: 'auth.role' });
    expect((await worker.api.post('/v1/permits/own', {})).body).toMatchObject({ code: 'auth.role' });
    for (const path of ['operations', 'tools', 'api-keys', 'capability-tokens', 'workspaces', 'log/checkpoint'])
      expect([path, (await worker.api.get(`/v1/${path}`)).body.code]).toEqual([path, 'auth.role']);
    expect(
      (await worker.api.post('/v1/tool-calls', { tool_id: 'billing.charge', args: { cents: 1 } })).body,
    ).toMatchObject({ code: 'auth.role' });
  });

  it('is of a worker only with tools, and of an agent only without', async () => {
    for (const key of [
      { role: 'worker' },
      { role: 'worker', tools: [] },
      { role: 'worker', tools: ['billing.*'], agent_id: world.agentId },
      { role: 'agent', agent_id: world.agentId, tools: ['billing.*'] },
      { role: 'worker', tools: ['billing.**'] },
    ])
      expect((await world.admin.post('/v1/api-keys', { name: 'x', ...key })).status).toBe(400);
  });

  it('that is revoked takes and reports nothing any more, and its call ends ambiguous', async () => {
    const revoked = await FunctionWorker.create(world, ['billing.charge']);
    const operation = await propose();
    const proof = await revoked.take();
    expect((await revoked.redeem(proof)).status).toBe(200);
    expect((await world.admin.request('DELETE', `/v1/api-keys/${revoked.keyId}`)).status).toBe(200);
    expect((await revoked.report(proof, DONE)).body).toMatchObject({ code: 'auth.invalid' });
    await expectConsistent(stack, world, observer, operation, { tx_outcome: 'ambiguous', attempt: 1 });
  });
});

describe('a permit', () => {
  it("of another worker, another tenant's, a changed and a forged one get one answer", async () => {
    const operation = await propose();
    const proof = await worker.take();
    const stranger = await FunctionWorker.create(foreign, ['*']);
    const envelope = proof.permit as JsonValue;
    const changed = Buffer.from(JSON.stringify({ ...payloadOf(proof), api_key_id: thief.keyId })).toString('base64');
    const answers = await Promise.all([
      thief.redeem(proof),
      stranger.redeem(proof),
      thief.redeem({ ...proof, permit: { ...envelope, payload: changed } }),
      worker.redeem({ ...proof, permit: { ...envelope, payload: changed } }),
      worker.redeem({
        ...proof,
        permit: { ...envelope, signatures: [{ ...envelope.signatures[0], sig: randomBytes(64).toString('base64') }] },
      }),
      worker.redeem({ ...proof, permit: { ...envelope, payloadType: 'application/vnd.writ.permit.v1+json' } }),
      world.agent.post('/v1/permits/redemptions', proof),
      foreign.agent.post('/v1/permits/redemptions', proof),
      thief.renew(proof),
      thief.report(proof, DONE),
      stranger.report(proof, DONE),
    ]);
    const texts = answers.map(({ text }) => text.replaceAll(/req_[0-9a-z]+/g, 'req'));
    expect(answers[0]?.body).toMatchObject({ code: 'permit.invalid' });
    expect(new Set(texts).size).toBe(1);
    expect((await worker.redeem(proof)).status).toBe(200);
    await finish(operation, proof);
  });

  it('that two workers hold is redeemed by one process: the other nonce gets nothing', async () => {
    const operation = await propose();
    const { permit } = await worker.take();
    const twins = Array.from({ length: 8 }, () => ({ permit, nonce: newNonce() }));
    const answers = await Promise.all(twins.map((proof) => worker.redeem(proof)));
    expect(answers.map(({ status, body }) => (status === 200 ? 'redeemed' : body.code)).sort()).toEqual([
      ...Array.from({ length: 7 }, () => 'permit.spent'),
      'redeemed',
    ]);
    const losers = twins.filter((_proof, n) => answers[n]?.status !== 200);
    for (const proof of losers.slice(0, 2))
      expect((await worker.report(proof, DONE)).body).toMatchObject({ code: 'attempt.fenced' });
    await finish(
      operation,
      twins.find((_proof, n) => answers[n]?.status === 200)!,
    );
  });

  it("for exactly one call's arguments reports no other call, also where both are its worker's", async () => {
    const one = await begin();
    const two = await begin();
    expect((await worker.report({ permit: one.proof.permit, nonce: two.proof.nonce }, DONE)).body).toMatchObject({
      code: 'attempt.fenced',
    });
    expect((await worker.report({ permit: two.proof.permit, nonce: one.proof.nonce }, DONE)).body).toMatchObject({
      code: 'attempt.fenced',
    });
    // Both before their records are verified, which takes about as long as a lease on a busy machine.
    for (const { proof } of [one, two])
      expect((await worker.report(proof, DONE)).body).toMatchObject({ state: 'committed' });
    for (const { operation } of [one, two])
      await expectConsistent(stack, world, observer, operation, { tx_outcome: 'committed', attempt: 1 });
  });

  it('has no arguments, so whoever reads one learns none', async () => {
    const operation = await propose('billing.charge', { cents: 4_711, id: 'hidden-customer' });
    const proof = await worker.take();
    expect(JSON.stringify(payloadOf(proof))).not.toMatch(/4711|hidden-customer/);
    expect((await worker.redeem(proof)).body).toMatchObject({ args: { cents: 4_711, id: 'hidden-customer' } });
    await finish(operation, proof);
  });

  it("for an inline call is given to its proposer's key alone", async () => {
    const operation = await propose('billing.refund');
    const key = await world.admin.must('/v1/api-keys', { name: 'twin', role: 'agent', agent_id: world.agentId });
    const twin = world.agent.as(key.api_key as string);
    for (const api of [twin, foreign.agent])
      expect((await api.post('/v1/permits/own', { operation_id: operation })).body).toEqual({ permit: null });
    expect((await thief.api.post('/v1/permits/next', {})).body).toEqual({ permit: null });
    const { body } = await world.agent.post('/v1/permits/own', { operation_id: operation });
    const proof = { permit: body.permit as JsonValue, nonce: newNonce() };
    expect((await twin.post('/v1/permits/redemptions', proof)).body).toMatchObject({ code: 'permit.invalid' });
    expect((await world.agent.post('/v1/permits/redemptions', proof)).status).toBe(200);
    expect((await world.agent.post('/v1/permits/reports', { ...proof, outcome: DONE })).body).toMatchObject({
      state: 'committed',
    });
  });
});

describe('a report', () => {
  it('before the redemption counts for nothing', async () => {
    const operation = await propose();
    const proof = await worker.take();
    expect((await worker.report(proof, DONE)).body).toMatchObject({ code: 'attempt.fenced' });
    expect((await worker.renew(proof)).body).toMatchObject({ code: 'attempt.fenced' });
    expect((await worker.redeem(proof)).status).toBe(200);
    await finish(operation, proof);
  });

  it('that is repeated, also with another claim, gets the outcome of the first and changes nothing', async () => {
    const { operation, proof } = await begin();
    await finish(operation, proof);
    for (const claim of [
      DONE,
      { outcome: 'failed', message: 'no' },
      { outcome: 'succeeded', result: { charge: 'ch-2' } },
    ])
      expect((await worker.report(proof, claim)).body).toEqual({ state: 'committed', tx_outcome: 'committed' });
    expect((await world.admin.get(`/v1/operations/${operation}`)).body).toMatchObject({
      result: { result: DONE.result },
    });
    await expectConsistent(stack, world, observer, operation, { tx_outcome: 'committed', attempt: 1 });
  });

  it('after the lease commits nothing: the call is ambiguous, and says who may have acted', async () => {
    const { operation, proof } = await begin();
    await sleep(LEASE_MS);
    const late = await worker.report(proof, DONE);
    // The sweep may have ended the call by then: its answer is that end.
    expect(late.status === 200 ? late.body.state : late.body.code).toMatch(/^(ambiguous|attempt\.fenced)$/);
    await expectConsistent(stack, world, observer, operation, { tx_outcome: 'ambiguous', attempt: 1 });
    const { record } = await verifiedReceipt(stack, world, operation);
    expect(record).toMatchObject({
      tx_outcome: 'ambiguous',
      execution: { contained: false, result: 'claimed', executor: worker.keyId },
    });
  });

  it.each<[string, unknown]>([
    ['of another form than the schema', { charge: 7 }],
    ['that its expression excludes', { charge: 'x' }],
    ['with more members than the schema', { charge: 'ch-1', more: 1 }],
    ['of 100 KiB', { charge: `ch-${'x'.repeat(100_000)}` }],
    ['that is no object', null],
  ])('of a result %s is no success, and the result is not kept', async (_what, result) => {
    const { operation, proof } = await begin();
    expect((await worker.report(proof, { outcome: 'succeeded', result })).body).toMatchObject({ state: 'ambiguous' });
    const { body } = await world.admin.get(`/v1/operations/${operation}`);
    expect(body).toMatchObject({ result: { error: { code: 'function.result_invalid' } } });
    expect(body.result.result ?? null).toBeNull();
    await expectConsistent(stack, world, observer, operation, { tx_outcome: 'ambiguous', attempt: 1 });
  });

  it.each<[string, string, number]>([
    ['above the size of a request', JSON.stringify({ outcome: 'succeeded', result: 'x'.repeat(3 * 1024 * 1024) }), 413],
    ['nested by the thousand', `{"outcome":"succeeded","result":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 400],
    ['with a member twice', '{"outcome":"succeeded","result":{"charge":"ch-1","charge":"ch-2"}}', 400],
  ])('%s is refused at the edge, and the call goes on', async (_what, outcome, status) => {
    const { operation, proof } = await begin();
    const body = `${JSON.stringify(proof).slice(0, -1)},"outcome":${outcome}}`;
    const answer = await worker.api
      .request('POST', '/v1/permits/reports', body, { 'content-type': 'application/json' })
      .catch(() => ({ status: 413 }));
    expect(answer.status).toBe(status);
    await finish(operation, proof);
  });
});

describe('a worker that waits', () => {
  it('waits no longer than allowed, and asks for no negative time', async () => {
    for (const wait of ['60000', '-1', '1e9', 'Infinity'])
      expect((await worker.api.post(`/v1/permits/next?wait=${wait}`, {})).body).toMatchObject({
        code: 'query.invalid',
      });
  });

  it('with too many others is sent away, and another tenant is served meanwhile', async () => {
    const ends = new AbortController();
    const waiting = Array.from({ length: 70 }, () =>
      fetch(`${stack.url}/v1/permits/next?wait=50000`, {
        method: 'POST',
        headers: { authorization: `Bearer ${worker.api.key!}`, 'content-type': 'application/json' },
        body: '{}',
        signal: ends.signal,
      })
        .then(({ status }) => status)
        .catch(() => 0),
    );
    try {
      const first = await Promise.race(waiting);
      expect(first).toBe(429);
      const stranger = await FunctionWorker.create(foreign, ['*']);
      expect((await stranger.api.post('/v1/permits/next?wait=100', {})).body).toEqual({ permit: null });
    } finally {
      ends.abort();
    }
    const statuses = await Promise.all(waiting);
    expect(statuses.filter((status) => status === 429).length).toBe(6);
    // Those who left take no permit and no place. A server notices one after the other that they have left.
    await eventually('all places', async () => {
      const asked = Array.from({ length: 64 }, () => worker.api.post('/v1/permits/next?wait=200', {}));
      return (await Promise.all(asked)).every(({ status }) => status === 200) ? true : null;
    });
    const operation = await propose();
    const proof = await worker.take();
    expect((await worker.redeem(proof)).body).toMatchObject({ operation_id: operation, attempt: 1 });
    await finish(operation, proof);
  });
});

describe('a schema of a tenant', () => {
  it('that takes for ever to check is cut, and its call refused, while others are served', async () => {
    const levels = Array.from({ length: 30 }, (_, n) => [
      `a${n}`,
      { anyOf: [{ $ref: `#/$defs/a${n + 1}` }, { $ref: `#/$defs/a${n + 1}` }] },
    ]);
    const parameters = {
      type: 'object',
      properties: { x: { $ref: '#/$defs/a0' } },
      $defs: { ...Object.fromEntries(levels), a30: { type: 'string', minLength: 1 } },
    };
    const functions = [{ ...CHARGE, name: 'billing.endless', parameters }];
    expect((await world.admin.request('PUT', '/v1/tools', { functions })).body).toMatchObject({ valid: true });
    const began = Date.now();
    const [endless, other] = await Promise.all([
      world.call('billing.endless', { x: 1 }, { capability_token_id: token }, 20_000),
      propose(),
    ]);
    expect(endless.body).toMatchObject({ error: { code: 'args.invalid' } });
    expect(Date.now() - began).toBeLessThan(15_000);
    const proof = await worker.take();
    expect((await worker.redeem(proof)).body).toMatchObject({ operation_id: other });
    await finish(other, proof);
  });
});
