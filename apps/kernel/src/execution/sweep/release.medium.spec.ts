// SPDX-License-Identifier: Apache-2.0
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { deltaFor, reportOf, credentialsOf, type Attempt, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { Release } from './release.ts';

let kernel: TestKernel;
let run: TestExecution;
let tenant: TestTenant;
let token: string;
let woken: string[];
let release: Release;
openKernelSpec((on) => {
  ({ kernel, run } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token({ budgets: { calls: 10, cpu_ms: 100_000 } });
  woken = [];
  release = new Release(kernel.tenants, run.sweeper, {
    wake: (lane) => {
      woken.push(lane);
    },
    slotFreed: () => undefined,
  });
});

const perform = async (): Promise<Attempt> => (await run.perform(tenant, tenant.writeCall(token))).attempt;
const releaseAttempt = (attempt: Attempt, stopping = true, over: object = {}) =>
  release.run({ ...credentialsOf(attempt), stopping, ...over });
const ends = async (attempt: Attempt) =>
  (await tenant.records()).filter(
    (record) => record.phase === 'outcome' && record.operation_id === attempt.operation_id,
  );

describe('an attempt that its executor releases', () => {
  it("because it stops waits for another at once, doesn't count as lost, and the executor that released it is fenced", async () => {
    const attempt = await perform();
    await releaseAttempt(attempt);
    expect(woken).toEqual(['inline']);
    expect(await tenant.row(attempt.operation_id)).toMatchObject({
      state: 'admitted',
      leases_lost: 0,
      executor_id: null,
      nonce: null,
      lease_until: null,
      attempt: 1,
    });
    await expect(
      run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'late' }))),
    ).rejects.toMatchObject({ code: 'attempt.fenced' });
    await expect(releaseAttempt(attempt)).rejects.toMatchObject({ code: 'attempt.fenced' });
  });

  it('after an effect outside began ends ambiguous at once, with its record', async () => {
    const attempt = await perform();
    await run.renew.effectStarted(credentialsOf(attempt));
    await releaseAttempt(attempt);
    expect(await tenant.row(attempt.operation_id)).toMatchObject({
      state: 'ambiguous',
      fault_code: 'effect.ambiguous',
    });
    expect(await ends(attempt)).toHaveLength(1);
    expect(woken).toEqual([]);
  });

  it.each([true, false])('of a cancelled call ends it as cancelled at once (stopping: %s)', async (stopping) => {
    const attempt = await perform();
    await tenant.query('UPDATE kernel.operation SET cancel_requested = true WHERE operation_id = $1', [
      attempt.operation_id,
    ]);
    await releaseAttempt(attempt, stopping);
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ state: 'rolled_back', fault_code: 'cancelled' });
    expect(await ends(attempt)).toHaveLength(1);
  });

  it('for another reason than that it stops counts as lost: three of them end the call', async () => {
    const attempt = await perform();
    await releaseAttempt(attempt, false);
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ state: 'admitted', leases_lost: 1 });
    const last = await perform();
    await tenant.query('UPDATE kernel.operation SET leases_lost = 2 WHERE operation_id = $1', [last.operation_id]);
    await releaseAttempt(last, false);
    expect(await tenant.row(last.operation_id)).toMatchObject({
      state: 'rolled_back',
      fault_code: 'attempts.exhausted',
    });
  });
});

it.each([
  ['another executor', { executor_id: `exe_${'0'.repeat(26)}` }],
  ['another nonce', { nonce: '0'.repeat(32) }],
  ['another attempt', { attempt: 2 }],
  ['a preview', { mode: 'preview' }],
])('%s gives nothing back', async (_who, over) => {
  const attempt = await perform();
  await expect(releaseAttempt(attempt, true, over)).rejects.toMatchObject({ code: 'attempt.fenced' });
  expect(await tenant.row(attempt.operation_id)).toMatchObject({ state: 'performing', attempt: 1 });
});

it('nothing is released once its lease has run out', async () => {
  const attempt = await perform();
  await tenant.query('UPDATE kernel.operation SET lease_until = 1 WHERE operation_id = $1', [attempt.operation_id]);
  await expect(releaseAttempt(attempt)).rejects.toMatchObject({ code: 'attempt.fenced' });
});
