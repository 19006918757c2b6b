// SPDX-License-Identifier: Apache-2.0
// The crash table for calls that a tenant's own process runs. Worker, kernel, orchestrator and network fail at each
// point between the call and its receipt. Each call ends once, and one that may have taken effect says so.
import { randomUUID } from 'node:crypto';
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

const TUNING = { WRIT_LEASE_MS: '4000', WRIT_PERMIT_TTL_MS: '3000', WRIT_SWEEP_MS: '250' };
/** A lease that outlasts the restart of a process on a busy machine. */
const PATIENT = { ...TUNING, WRIT_LEASE_MS: '30000', WRIT_PERMIT_TTL_MS: '30000' };

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const CHARGE = { description: 'Charges.', category: 'write', mode: 'pull', parameters: { type: 'object' } };
const DONE = { outcome: 'succeeded', result: { charge: 'ch-1' } };

let stack: Stack;
let world: World;
let observer: Observer;
let worker: FunctionWorker;
let token: string;

/** Starts a stack for the tests of the surrounding block. */
function withStack(tuning: Record<string, string>): void {
  beforeAll(async () => {
    stack = await startStack({ env: { kernel: tuning }, busProxies: ['kernel', 'orchestrator'] });
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
    token = issued.capability_token_id as string;
    worker = await FunctionWorker.create(world, ['billing.*']);
  });
  afterEach(async () => {
    await observer.close();
    for (const name of ['kernel', 'orchestrator'] as const) stack.busProxy(name).release();
    for (const service of Object.values(stack.services)) if (!service.isRunning) await service.start();
  });
  afterAll(async () => {
    await observer?.close();
    await stack?.stop();
  });
}

const propose = async (tool: string): Promise<string> => {
  const { body } = await world.call(tool, { id: randomUUID() }, { capability_token_id: token }, 0);
  return body.operation_id as string;
};
const begin = async (tool: string): Promise<{ operation: string; proof: AttemptProof }> => {
  const operation = await propose(tool);
  const proof = await worker.take();
  expect((await worker.redeem(proof)).body).toMatchObject({ operation_id: operation });
  return { operation, proof };
};
const stateOf = async (operation: string): Promise<string> =>
  (await observer.rows('SELECT state FROM kernel.operation WHERE operation_id = $1', [operation]))[0]?.['state'];
/** Sends a request again until it is answered by other than a fault of the way to the kernel. */
const insist = (what: string, send: () => Promise<{ status: number; body: JsonValue }>): Promise<JsonValue> =>
  eventually(what, async () => {
    const { status, body } = await send().catch(() => ({ status: 0, body: null }));
    return status === 0 || status >= 500 ? null : body;
  });
/** Kills the kernel while a statement of its waits for a lock, and undoes that statement. */
const killBlocked = async (table: string, begun: () => Promise<unknown>): Promise<void> => {
  const letGo = await observer.hold(`LOCK TABLE kernel.${table} IN ACCESS EXCLUSIVE MODE`);
  const lost = begun().catch(() => null);
  await observer.untilBlocked('writ_kernel');
  await stack.services.kernel.kill();
  await observer.abort('writ_kernel');
  await letGo();
  await stack.services.kernel.start();
  await lost;
};
/** Loses the answer of the kernel to one request, which the kernel has carried out. */
const loseAnswer = async (begun: () => Promise<unknown>, isDone: () => Promise<boolean>): Promise<void> => {
  stack.busProxy('orchestrator').hold('in');
  const lost = begun().catch(() => null);
  await eventually('the request to be carried out', isDone);
  stack.busProxy('orchestrator').cut();
  await lost;
};
const expectCommitted = async (operation: string, attempt: number): Promise<void> => {
  await expectConsistent(stack, world, observer, operation, { tx_outcome: 'committed', attempt });
  const { record } = await verifiedReceipt(stack, world, operation);
  expect(record).toMatchObject({ execution: { contained: false, result: 'claimed', executor: worker.keyId } });
};
const expectAmbiguous = async (operation: string, attempt: number): Promise<void> => {
  await expectConsistent(stack, world, observer, operation, { tx_outcome: 'ambiguous', attempt });
  const { body } = await world.admin.get(`/v1/operations/${operation}`);
  expect(body).toMatchObject({ result: { error: { code: 'effect.ambiguous' } } });
  // Whoever may have acted can't take it again.
  expect((await worker.api.post('/v1/worker/permits', {})).body).toEqual({ permit: null });
};

describe('a worker that is killed', () => {
  withStack(TUNING);

  it('before it redeems: the permit expires, and the call is offered again', async () => {
    const operation = await propose('billing.once');
    const old = await worker.take();
    const again = await worker.take();
    expect((await worker.redeem(old)).body).toMatchObject({ code: 'permit.expired' });
    expect((await worker.redeem(again)).body).toMatchObject({ operation_id: operation, attempt: 2 });
    expect((await worker.report(again, DONE)).body).toMatchObject({ state: 'committed' });
    await expectCommitted(operation, 2);
  });

  it('after it redeemed: the call ends ambiguous, and is never offered again', async () => {
    const { operation, proof } = await begin('billing.once');
    await world.until(operation, ['ambiguous']);
    expect((await worker.report(proof, DONE)).body).toEqual({ state: 'ambiguous', tx_outcome: 'ambiguous' });
    await expectAmbiguous(operation, 1);
  });

  it('after it renewed its lease: the same', async () => {
    const { operation, proof } = await begin('billing.once');
    expect((await worker.renew(proof)).body).toMatchObject({ stop: false });
    await expectAmbiguous(operation, 1);
  });

  it('while it runs an idempotent function: another attempt follows, and the stale one is fenced', async () => {
    const { operation, proof } = await begin('billing.again');
    const again = await worker.take();
    expect((await worker.redeem(again)).body).toMatchObject({ operation_id: operation, attempt: 2 });
    expect((await worker.report(proof, DONE)).body).toMatchObject({ code: 'attempt.fenced' });
    expect((await worker.report(again, DONE)).body).toMatchObject({ state: 'committed' });
    await expectCommitted(operation, 2);
  });

  it('in each of three attempts of an idempotent function: the call ends ambiguous', async () => {
    const operation = await propose('billing.again');
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const proof = await worker.take();
      expect((await worker.redeem(proof)).body).toMatchObject({ operation_id: operation, attempt });
    }
    await expectAmbiguous(operation, 3);
  });

  it('as one of two that race for a call: only one of them had it', async () => {
    const operation = await propose('billing.once');
    const other = await FunctionWorker.create(world, ['*']);
    const taken = await Promise.all(
      [worker, other, worker, other].map(
        async ({ api }) => (await api.post('/v1/worker/permits', {})).body.permit as unknown,
      ),
    );
    expect(taken.filter((permit) => permit !== null)).toHaveLength(1);
    const proof = await worker.take();
    expect((await worker.redeem(proof)).body).toMatchObject({ operation_id: operation, attempt: 2 });
    expect((await worker.report(proof, DONE)).body).toMatchObject({ state: 'committed' });
    await expectCommitted(operation, 2);
  });
});

describe('a process of ours or a network that fails', () => {
  withStack(PATIENT);

  it('kernel killed while it issues a permit: no attempt began, and the worker gets the first one', async () => {
    const operation = await propose('billing.once');
    const letGo = await observer.hold('SELECT 1 FROM kernel.operation WHERE operation_id = $1 FOR UPDATE', [operation]);
    // The row is skipped while another transaction has it, so no permit is taken.
    expect((await worker.api.post('/v1/worker/permits', {})).body).toEqual({ permit: null });
    await letGo();
    await killBlocked('operation', () => worker.api.post('/v1/worker/permits', {}));
    const proof = await worker.take();
    expect((await worker.redeem(proof)).body).toMatchObject({ operation_id: operation, attempt: 1 });
    expect((await worker.report(proof, DONE)).body).toMatchObject({ state: 'committed' });
    await expectCommitted(operation, 1);
  });

  it('kernel killed at the redemption: the same proof redeems once it is back', async () => {
    const operation = await propose('billing.once');
    const proof = await worker.take();
    await killBlocked('operation', () => worker.redeem(proof));
    expect(await stateOf(operation)).toBe('dispatched');
    expect(await insist('a redemption', () => worker.redeem(proof))).toMatchObject({ operation_id: operation });
    expect((await worker.report(proof, DONE)).body).toMatchObject({ state: 'committed' });
    await expectCommitted(operation, 1);
  });

  it('the answer to a redemption is lost: the same proof gets it again, and another nonce does not', async () => {
    const operation = await propose('billing.once');
    const proof = await worker.take();
    await loseAnswer(
      () => worker.redeem(proof),
      async () => (await stateOf(operation)) === 'performing',
    );
    const other = { ...proof, nonce: '0'.repeat(32) };
    expect(await insist('an answer', () => worker.redeem(other))).toMatchObject({ code: 'permit.spent' });
    expect(await insist('a redemption', () => worker.redeem(proof))).toMatchObject({ operation_id: operation });
    expect((await worker.report(proof, DONE)).body).toMatchObject({ state: 'committed' });
    await expectCommitted(operation, 1);
  });

  it('kernel killed while the function runs: the attempt goes on, and its report counts', async () => {
    const { operation, proof } = await begin('billing.once');
    await stack.services.kernel.kill();
    await stack.services.kernel.start();
    expect(await insist('a renewal', () => worker.renew(proof))).toMatchObject({ stop: false });
    expect(await insist('a report', () => worker.report(proof, DONE))).toMatchObject({ state: 'committed' });
    await expectCommitted(operation, 1);
  });

  it('kernel killed before the COMMIT of the report: the repeated report gets the one outcome', async () => {
    const { operation, proof } = await begin('billing.once');
    await killBlocked('outbox', () => worker.report(proof, DONE));
    expect(await stateOf(operation)).toBe('performing');
    expect(await insist('a report', () => worker.report(proof, DONE))).toMatchObject({ state: 'committed' });
    await expectCommitted(operation, 1);
  });

  it('the answer to a report is lost: the repeated one gets the outcome, whatever it claims now', async () => {
    const { operation, proof } = await begin('billing.once');
    await loseAnswer(
      () => worker.report(proof, DONE),
      async () => (await stateOf(operation)) === 'committed',
    );
    const claim = { outcome: 'failed', message: 'no' };
    expect(await insist('an answer', () => worker.report(proof, claim))).toMatchObject({ state: 'committed' });
    await expectCommitted(operation, 1);
  });

  it('orchestrator killed while a worker waits and while one runs: neither call is lost', async () => {
    const { operation, proof } = await begin('billing.once');
    const waits = worker.api.post('/v1/worker/permits?wait=20000', {}).catch(() => null);
    await stack.services.orchestrator.kill();
    await waits;
    await stack.services.orchestrator.start();
    expect(await insist('a report', () => worker.report(proof, DONE))).toMatchObject({ state: 'committed' });
    await expectCommitted(operation, 1);
    const other = await begin('billing.once');
    expect((await worker.report(other.proof, DONE)).body).toMatchObject({ state: 'committed' });
    await expectCommitted(other.operation, 1);
  });
});
