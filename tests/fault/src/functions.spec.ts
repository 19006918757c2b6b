// SPDX-License-Identifier: Apache-2.0
// Points of the crash table for calls that a tenant's own process runs, before anything can have taken effect and after
// it. tests/fault/src/functions.long.spec.ts has every other point.
import { vi } from 'vitest';
import { eventually } from '@writ/stack';
import { DONE, FunctionCalls, insist } from './function-calls.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** A permit outlasts the restart of the kernel on a busy machine, while a lease is soon over. */
const PERMIT_MS = 30_000;

let on: FunctionCalls;
beforeAll(async () => {
  on = await FunctionCalls.open({ WRIT_LEASE_MS: '4000', WRIT_PERMIT_TTL_MS: String(PERMIT_MS), WRIT_SWEEP_MS: '250' });
});
afterEach(() => on.restore());
afterAll(() => on?.close());

it('kernel killed at the redemption: the same proof redeems once it is back', async () => {
  const operation = await on.propose('billing.once');
  const proof = await on.worker.take();
  await on.killBlocked('operation', () => on.worker.redeem(proof));
  expect(await on.stateOf(operation)).toBe('dispatched');
  expect(await insist('a redemption', () => on.worker.redeem(proof))).toMatchObject({ operation_id: operation });
  expect(await insist('a report', () => on.worker.report(proof, DONE))).toMatchObject({ state: 'committed' });
  await on.expectCommitted(operation, 1);
});

it('a worker killed after it redeemed: the call ends ambiguous, and is never offered again', async () => {
  const { operation, proof } = await on.begin('billing.once');
  await on.world.until(operation, ['ambiguous']);
  expect((await on.worker.report(proof, DONE)).body).toEqual({ state: 'ambiguous', tx_outcome: 'ambiguous' });
  await on.expectAmbiguous(operation, 1);
});

it('a worker that leaves while a permit is on its way: the call goes to another at once', async () => {
  const operation = await on.propose('billing.once');
  const leaves = new AbortController();
  on.stack.busProxy('orchestrator').hold('in');
  const lost = fetch(`${on.stack.url}/v1/permits/next?wait=20000`, {
    method: 'POST',
    headers: { authorization: `Bearer ${on.worker.api.key!}`, 'content-type': 'application/json' },
    body: '{}',
    signal: leaves.signal,
  }).catch(() => null);
  await eventually('the permit', async () => (await on.stateOf(operation)) === 'dispatched');
  leaves.abort();
  await lost;
  on.stack.busProxy('orchestrator').release();
  const from = Date.now();
  const proof = await on.worker.take();
  expect(Date.now() - from).toBeLessThan(PERMIT_MS / 2);
  expect((await on.worker.redeem(proof)).body).toMatchObject({ operation_id: operation, attempt: 2 });
  expect((await on.worker.report(proof, DONE)).body).toMatchObject({ state: 'committed' });
  await on.expectCommitted(operation, 2);
});
