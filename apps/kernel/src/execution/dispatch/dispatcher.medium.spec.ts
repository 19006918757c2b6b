// SPDX-License-Identifier: Apache-2.0
import type { Envelope } from '@writ/contract';
import { verifyPermit } from '@writ/permit';
import { parseVerifier } from '@writ/signing';
import { newId } from '@writ/nest-kit';
import { openTestKernel, type TestKernel } from '../../specs/test-kernel.ts';
import { openExecution, payloadOf, PERMIT_TTL_MS, type TestExecution } from '../../specs/test-executor.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { Dispatcher, Slots } from './index.ts';

let kernel: TestKernel;
let run: TestExecution;
beforeEach(async () => {
  kernel = await openTestKernel();
  run = openExecution(kernel);
});
afterEach(async () => {
  await run.close();
  await kernel.close();
});

const newTenant = async (weight = 1, cap = 64): Promise<TestTenant> => {
  const tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  await tenant.query('UPDATE kernel.tenant SET weight = $2, cap = $3 WHERE tenant_id = $1', [
    tenant.tenantId,
    weight,
    cap,
  ]);
  return tenant;
};
const admit = async (tenant: TestTenant, count: number): Promise<string[]> => {
  const token = await tenant.token();
  const calls = Array.from({ length: count }, () => tenant.call(token));
  for (const call of calls) await kernel.admit.run(call, null);
  return calls.map((call) => call.operation_id);
};
/** One pass to its end. */
const pass = async (dispatcher = run.dispatcher): Promise<void> => {
  dispatcher.wake('inline');
  await dispatcher.stop();
};
const stateCount = async (state: string, tenant?: TestTenant): Promise<number> => {
  const { rows } = await kernel.admin.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM kernel.operation WHERE state = $1 AND ($2::text IS NULL OR tenant_id = $2)',
    [state, tenant?.tenantId ?? null],
  );
  return rows[0]?.n ?? 0;
};
const newDispatcher = (slots: Slots, permitIssuer = run.desk): Dispatcher =>
  new Dispatcher(kernel.workers, permitIssuer, slots, {
    permitTtlMs: PERMIT_TTL_MS,
    report: (error) => run.faults.push(error),
    now: () => performance.now(),
  });
const slotsOf = (inline: number): Slots => {
  const slots = new Slots(() => 0);
  slots.note({ v: 1, executor_id: newId('executor'), inline, sandboxed: 0 });
  return slots;
};

it('an admitted call is dispatched as a permit that verifies, once', async () => {
  const tenant = await newTenant();
  const [id] = await admit(tenant, 1);
  run.speak(1);
  run.dispatcher.wake('inline');
  const permit = await run.permitOf(String(id));
  const row = await tenant.row(String(id));
  expect(row).toMatchObject({ state: 'dispatched', attempt: 1 });
  expect(
    verifyPermit(permit, new Map([[kernel.signer.keyid, parseVerifier(kernel.signer.publicJwk)]]), Date.now()),
  ).toMatchObject({
    operation_id: id,
    tenant_id: tenant.tenantId,
    attempt: 1,
    mode: 'run',
    lane: 'inline',
    tool_id: 'fs.read',
    action_digest: row.action_digest,
    expires_at: row.permit_until,
  });
  run.dispatcher.wake('inline');
  await run.dispatcher.stop();
  expect(run.permits.inline).toHaveLength(1);
});

it('nothing is dispatched without a free slot, and at most twice as many as are free', async () => {
  const tenant = await newTenant();
  await admit(tenant, 12);
  await pass(newDispatcher(slotsOf(0)));
  expect(await stateCount('dispatched')).toBe(0);
  await pass(newDispatcher(slotsOf(3)));
  expect(await stateCount('dispatched')).toBe(6);
  await pass(newDispatcher(slotsOf(3)));
  expect(await stateCount('dispatched')).toBe(6);
});

it('five replicas at once stay within the bound together, and dispatch each call once', async () => {
  const tenant = await newTenant();
  await admit(tenant, 30);
  await Promise.all(Array.from({ length: 5 }, () => pass(newDispatcher(slotsOf(10)))));
  expect(await stateCount('dispatched')).toBe(20);
  const { rows } = await kernel.admin.query(`SELECT DISTINCT attempt FROM kernel.operation WHERE state = 'dispatched'`);
  expect(rows).toEqual([{ attempt: 1 }]);
});

it('tenants are served in turns by their weight, whoever came first', async () => {
  const [first, second, heavy] = [await newTenant(), await newTenant(), await newTenant(2)];
  await admit(first, 20);
  await admit(second, 4);
  await admit(heavy, 10);
  await pass(newDispatcher(slotsOf(2)));
  expect(await stateCount('dispatched', first)).toBe(1);
  expect(await stateCount('dispatched', second)).toBe(1);
  expect(await stateCount('dispatched', heavy)).toBe(2);
});

it('turns go by weight where one slot at a time is free, too', async () => {
  const [light, heavy] = [await newTenant(), await newTenant(3)];
  await admit(light, 8);
  await admit(heavy, 8);
  const [slots, executor_id] = [new Slots(() => 0), newId('executor')];
  // One of many is free.
  for (const inline of [1_000, 1]) slots.note({ v: 1, executor_id, inline, sandboxed: 0 });
  const dispatcher = newDispatcher(slots);
  for (let i = 0; i < 8; i++) {
    dispatcher.wake('inline');
    await dispatcher.settled();
    // They are redeemed at once, so that the next pass has room for two.
    await kernel.admin.query(
      `UPDATE kernel.operation SET state = 'performing', executor_id = 'exc', nonce = 'n', lease_until = 9e12 WHERE state = 'dispatched'`,
    );
    if (i === 3) expect([await stateCount('performing', light), await stateCount('performing', heavy)]).toEqual([2, 6]);
  }
  expect([await stateCount('performing', light), await stateCount('performing', heavy)]).toEqual([8, 8]);
});

it('a tenant has at most its cap dispatched or performing', async () => {
  const [capped, other] = [await newTenant(1, 3), await newTenant()];
  await admit(capped, 8);
  await admit(other, 4);
  await pass(newDispatcher(slotsOf(20)));
  expect(await stateCount('dispatched', capped)).toBe(3);
  expect(await stateCount('dispatched', other)).toBe(4);
});

it('an executor without an event for three seconds has no slots', async () => {
  let now = 0;
  const slots = new Slots(() => now);
  slots.note({ v: 1, executor_id: newId('executor'), inline: 5, sandboxed: 1 });
  now = 3_000;
  slots.note({ v: 1, executor_id: newId('executor'), inline: 2, sandboxed: 0 });
  expect([slots.free('inline'), slots.free('sandboxed')]).toEqual([7, 1]);
  now = 3_001;
  expect([slots.free('inline'), slots.free('sandboxed')]).toEqual([2, 0]);
});

it('a slot that becomes free gets a call that was left waiting', async () => {
  const tenant = await newTenant();
  const ids = await admit(tenant, 1);
  run.dispatcher.wake('inline');
  expect(await stateCount('dispatched')).toBe(0);
  run.speak(1);
  await run.permitOf(String(ids[0]));
});

it('a permit that could not be published goes back at once, and the next one is another attempt', async () => {
  const tenant = await newTenant();
  const [id] = await admit(tenant, 1);
  const permitIssuer = { issue: () => Promise.reject(new Error('no bus')) } as unknown as typeof run.desk;
  await pass(newDispatcher(slotsOf(1), permitIssuer));
  expect(run.faults).toHaveLength(1);
  expect(await tenant.row(String(id))).toMatchObject({ state: 'admitted', attempt: 1 });
  await pass(newDispatcher(slotsOf(1)));
  const permit: Envelope = await run.permitOf(String(id));
  expect(payloadOf(permit).attempt).toBe(2);
});

it("executors' events are bounded: neither a number nor a crowd stops a lane", () => {
  const slots = new Slots(() => 0);
  slots.note({ v: 1, executor_id: newId('executor'), inline: Number.MAX_SAFE_INTEGER, sandboxed: 0 });
  expect(slots.free('inline')).toBe(1_000);
  for (let n = 0; n < 2_000; n += 1) slots.note({ v: 1, executor_id: newId('executor'), inline: 1_000, sandboxed: 0 });
  expect(slots.free('inline')).toBe(1_000_000);
});
