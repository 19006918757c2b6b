// SPDX-License-Identifier: Apache-2.0
// The crash table for calls that a tenant's own process runs. Worker, kernel, orchestrator and network fail at each
// point between the call and its receipt. Each call ends once, and one that may have taken effect says so.
// tests/fault/src/functions.spec.ts has two of the points, and runs always.
import { vi } from 'vitest';
import { FunctionWorker } from '@writ/stack';
import { DONE, FunctionCalls, insist } from './function-calls.ts';

const TUNING = { WRIT_LEASE_MS: '4000', WRIT_PERMIT_TTL_MS: '3000', WRIT_SWEEP_MS: '250' };
/** A lease that outlasts the restart of a process on a busy machine. */
const PATIENT = { ...TUNING, WRIT_LEASE_MS: '30000', WRIT_PERMIT_TTL_MS: '30000' };

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let on: FunctionCalls;

/** Starts a stack for the tests of the surrounding block. */
function withStack(tuning: Record<string, string>): void {
  beforeAll(async () => {
    on = await FunctionCalls.open(tuning);
  });
  afterEach(() => on.restore());
  afterAll(() => on?.close());
}

describe('a worker that is killed', () => {
  withStack(TUNING);

  it('before it redeems: the permit expires, and the call is offered again', async () => {
    const operation = await on.propose('billing.once');
    const old = await on.worker.take();
    const again = await on.worker.take();
    expect((await on.worker.redeem(old)).body).toMatchObject({ code: 'permit.expired' });
    expect((await on.worker.redeem(again)).body).toMatchObject({ operation_id: operation, attempt: 2 });
    expect((await on.worker.report(again, DONE)).body).toMatchObject({ state: 'committed' });
    await on.expectCommitted(operation, 2);
  });

  it('after it renewed its lease: the same', async () => {
    const { operation, proof } = await on.begin('billing.once');
    expect((await on.worker.renew(proof)).body).toMatchObject({ stop: false });
    await on.expectAmbiguous(operation, 1);
  });

  it('while it runs an idempotent function: another attempt follows, and the stale one is fenced', async () => {
    const { operation, proof } = await on.begin('billing.again');
    const again = await on.worker.take();
    expect((await on.worker.redeem(again)).body).toMatchObject({ operation_id: operation, attempt: 2 });
    expect((await on.worker.report(proof, DONE)).body).toMatchObject({ code: 'attempt.fenced' });
    expect((await on.worker.report(again, DONE)).body).toMatchObject({ state: 'committed' });
    await on.expectCommitted(operation, 2);
  });

  it('in each of three attempts of an idempotent function: the call ends ambiguous', async () => {
    const operation = await on.propose('billing.again');
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const proof = await on.worker.take();
      expect((await on.worker.redeem(proof)).body).toMatchObject({ operation_id: operation, attempt });
    }
    await on.expectAmbiguous(operation, 3);
  });

  it('as one of two that race for a call: only one of them had it', async () => {
    const operation = await on.propose('billing.once');
    const other = await FunctionWorker.create(on.world, ['*']);
    const taken = await Promise.all(
      [on.worker, other, on.worker, other].map(
        async ({ api }) => (await api.post('/v1/permits/next', {})).body.permit as unknown,
      ),
    );
    expect(taken.filter((permit) => permit !== null)).toHaveLength(1);
    const proof = await on.worker.take();
    expect((await on.worker.redeem(proof)).body).toMatchObject({ operation_id: operation, attempt: 2 });
    expect((await on.worker.report(proof, DONE)).body).toMatchObject({ state: 'committed' });
    await on.expectCommitted(operation, 2);
  });
});

describe('a process of ours or a network that fails', () => {
  withStack(PATIENT);

  it('kernel killed while it issues a permit: no attempt began, and the worker gets the first one', async () => {
    const operation = await on.propose('billing.once');
    const letGo = await on.hold(operation);
    // The row is skipped while another transaction has it, so no permit is taken.
    expect((await on.worker.api.post('/v1/permits/next', {})).body).toEqual({ permit: null });
    await letGo();
    await on.killBlocked('operation', () => on.worker.api.post('/v1/permits/next', {}));
    const proof = await on.worker.take();
    expect((await on.worker.redeem(proof)).body).toMatchObject({ operation_id: operation, attempt: 1 });
    expect((await on.worker.report(proof, DONE)).body).toMatchObject({ state: 'committed' });
    await on.expectCommitted(operation, 1);
  });

  it('the answer to a redemption is lost: the same proof gets it again, and another nonce does not', async () => {
    const operation = await on.propose('billing.once');
    const proof = await on.worker.take();
    await on.loseAnswer(
      () => on.worker.redeem(proof),
      async () => (await on.stateOf(operation)) === 'performing',
    );
    const other = { ...proof, nonce: '0'.repeat(32) };
    expect(await insist('an answer', () => on.worker.redeem(other))).toMatchObject({ code: 'permit.spent' });
    expect(await insist('a redemption', () => on.worker.redeem(proof))).toMatchObject({ operation_id: operation });
    expect((await on.worker.report(proof, DONE)).body).toMatchObject({ state: 'committed' });
    await on.expectCommitted(operation, 1);
  });

  it('kernel killed while the function runs: the attempt goes on, and its report counts', async () => {
    const { operation, proof } = await on.begin('billing.once');
    await on.stack.services.kernel.kill();
    await on.stack.services.kernel.start();
    expect(await insist('a renewal', () => on.worker.renew(proof))).toMatchObject({ stop: false });
    expect(await insist('a report', () => on.worker.report(proof, DONE))).toMatchObject({ state: 'committed' });
    await on.expectCommitted(operation, 1);
  });

  it('kernel killed before the COMMIT of the report: the repeated report gets the one outcome', async () => {
    const { operation, proof } = await on.begin('billing.once');
    await on.killBlocked('outbox', () => on.worker.report(proof, DONE));
    expect(await on.stateOf(operation)).toBe('performing');
    expect(await insist('a report', () => on.worker.report(proof, DONE))).toMatchObject({ state: 'committed' });
    await on.expectCommitted(operation, 1);
  });

  it('the answer to a report is lost: the repeated one gets the outcome, whatever it claims now', async () => {
    const { operation, proof } = await on.begin('billing.once');
    await on.loseAnswer(
      () => on.worker.report(proof, DONE),
      async () => (await on.stateOf(operation)) === 'committed',
    );
    const claim = { outcome: 'failed', message: 'no' };
    expect(await insist('an answer', () => on.worker.report(proof, claim))).toMatchObject({ state: 'committed' });
    await on.expectCommitted(operation, 1);
  });

  it('orchestrator killed while a worker waits and while one runs: neither call is lost', async () => {
    const { operation, proof } = await on.begin('billing.once');
    const waits = on.worker.api.post('/v1/permits/next?wait=20000', {}).catch(() => null);
    await on.stack.services.orchestrator.kill();
    await waits;
    await on.stack.services.orchestrator.start();
    expect(await insist('a report', () => on.worker.report(proof, DONE))).toMatchObject({ state: 'committed' });
    await on.expectCommitted(operation, 1);
    const other = await on.begin('billing.once');
    expect((await on.worker.report(other.proof, DONE)).body).toMatchObject({ state: 'committed' });
    await on.expectCommitted(other.operation, 1);
  });
});
