// SPDX-License-Identifier: Apache-2.0
// Permits that go back because their holder never received them.
import type { Caller, Envelope } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { newNonce, payloadOf, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { callerOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let run: TestExecution;
let manage: TestManagement;
let tenant: TestTenant;
let worker: Caller;
let operation: string;
openKernelSpec((on) => {
  ({ kernel, run, manage } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  worker = workerOf();
  kernel.policy.answer = () => AUTOPILOT;
  await manage.applyTools.run({
    ...requestBy(callerOf(tenant.tenantId)),
    file: {
      functions: [
        {
          name: 'billing.charge',
          description: 'Charges.',
          category: 'write',
          mode: 'pull',
          parameters: { type: 'object' },
        },
      ],
    },
    dry_run: false,
  });
  const call = tenant.writeCall(await tenant.token(), { tool_id: 'billing.charge', args: {} });
  operation = (await kernel.admit.run(call, null)).operation_id;
});

const workerOf = (): Caller => ({
  ...callerOf(tenant.tenantId),
  api_key_id: newId('apiKey'),
  role: 'worker',
  tools: ['billing.*'],
});
const take = async (caller = worker): Promise<Envelope> => {
  const { permit } = await run.functionCalls.take({ ...requestBy(caller), operation_id: null });
  if (permit === null) throw new Error('no call waits');
  return permit;
};
const release = async (permit: Envelope, caller = worker): Promise<boolean> =>
  (await run.functionCalls.release({ ...requestBy(caller), permit })).released;
const redeem = (permit: Envelope, caller = worker) =>
  run.functionCalls.redeem({ ...requestBy(caller), permit, nonce: newNonce() });

it('a permit that goes back is worth nothing, and its call is taken again at once, with no attempt lost', async () => {
  const old = await take();
  expect(await release(old)).toBe(true);
  expect(await tenant.row(operation)).toMatchObject({ state: 'admitted', leases_lost: 0, effect_started: false });
  await expect(redeem(old)).rejects.toMatchObject({ code: 'permit.expired' });
  const other = workerOf();
  const permit = await take(other);
  expect(payloadOf(permit)).toMatchObject({ operation_id: operation, attempt: 2 });
  // Neither the old permit nor its holder has a say about the new attempt.
  expect(await release(old)).toBe(false);
  await expect(release(permit)).rejects.toMatchObject({ code: 'permit.invalid' });
  expect(await redeem(permit, other)).toMatchObject({ operation_id: operation, attempt: 2 });
});

it('a permit that was redeemed does not go back: its call may have taken effect', async () => {
  const permit = await take();
  await redeem(permit);
  expect(await release(permit)).toBe(false);
  expect(await tenant.row(operation)).toMatchObject({ state: 'performing', effect_started: true });
});

it('a permit of another tenant, or of another key, does not go back', async () => {
  const permit = await take();
  const stranger: Caller = { ...workerOf(), tenant_id: (await kernel.newTenant()).tenantId };
  for (const caller of [stranger, workerOf()])
    await expect(release(permit, caller)).rejects.toMatchObject({ code: 'permit.invalid' });
  expect(await redeem(permit)).toMatchObject({ operation_id: operation });
});
