// SPDX-License-Identifier: Apache-2.0
import { memoryBus, type Bus, type Subscription } from '@writ/bus';
import type { AssignedEvent } from '@writ/contract';
import { inTransaction } from '@writ/database';
import { argsHash } from '@writ/digest';
import { openPermit } from '@writ/permit';
import { parseVerifier } from '@writ/signing';
import { Admit, admissionStatements, Decisions } from '../../admission/admit/index.ts';
import type { SentCall } from '../../admission/admit/proposal.ts';
import { Dispatcher, PermitIssuer, Slots } from '../dispatch/index.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import {
  deltaFor,
  LEASE_MS,
  PERMIT_TTL_MS,
  reportOf,
  credentialsOf,
  SUBJECTS,
  type Attempt,
  type TestExecution,
} from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requires } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';
import { Release } from '../sweep/index.ts';
import { Assign } from './assign.ts';

const MARK = 'life.12';

let kernel: TestKernel;
let run: TestExecution;
let tenant: TestTenant;
let token: string;
let executorId: string;
let slots: Slots;
let dispatcher: Dispatcher;
let bus: Bus;
let subscription: Subscription;
let faults: unknown[];
let sent: AssignedEvent[];
let admit: Admit;
let assign: Assign;
openKernelSpec((on) => {
  ({ kernel, run } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token();
  executorId = newId('executor');
  [faults, sent] = [[], []];
  bus = memoryBus({ now: () => Date.now() });
  subscription = await bus.subscribe(SUBJECTS.event('assigned', executorId), ({ payload }) => {
    sent.push(payload as AssignedEvent);
  });
  // An event that never expires.
  slots = new Slots(() => 0);
  announceSlots(8);
  admit = newAdmit();
});
afterEach(async () => {
  await dispatcher.stop();
  await bus.close();
  expect(faults).toEqual([]);
});

const announceSlots = (inline: number): void =>
  slots.note({ v: 1, executor_id: executorId, inline, sandboxed: 8, assignable: { public_key: '', mark: MARK } });
function newAdmit(leaseMs = LEASE_MS): Admit {
  const permits = {
    permitTtlMs: PERMIT_TTL_MS,
    leaseMs,
    report: (error: unknown) => faults.push(error),
    now: () => performance.now(),
  };
  const permitIssuer = new PermitIssuer(kernel.signer, bus, SUBJECTS, (_traceparent, _operation, work) => work());
  dispatcher = new Dispatcher(kernel.workers, permitIssuer, slots, permits);
  assign = new Assign(
    dispatcher,
    permitIssuer,
    run.redeem,
    new Release(kernel.tenants, run.sweeper, kernel.bell),
    permits,
  );
  const decisions = new Decisions(
    admissionStatements(kernel.tenants),
    kernel.sealer,
    kernel.vault,
    kernel.images,
    assign,
  );
  return new Admit(kernel.sources, kernel.judge, decisions, { ...kernel, assigner: assign });
}
const propose = async (call: SentCall): Promise<SentCall> => {
  await admit.decide(call, null, 0);
  return call;
};
const until = async (reached: () => boolean | Promise<boolean>): Promise<void> => {
  for (let left = 2_000; !(await reached()); left -= 1) {
    if (left === 0) throw new Error('it never came to that');
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
  }
};
const stateOf = async (call: SentCall): Promise<unknown> => (await tenant.row(call.operation_id)).state;
/** How often a lane's dispatcher was woken. */
const wokenCount = (): number => kernel.bell.woken.length;

it('a call is admitted, dispatched and redeemed at once, and sent to the executor with everything that it needs', async () => {
  const before = wokenCount();
  const call = await propose(tenant.writeCall(token));
  await until(() => sent.length === 1);
  const [event] = sent as [AssignedEvent];
  const row = await tenant.row(call.operation_id);
  expect(row).toMatchObject({
    state: 'performing',
    attempt: 1,
    executor_id: executorId,
    nonce: event.nonce,
    leases_lost: 0,
  });
  const permit = openPermit(event.permit, new Map([[kernel.signer.keyid, parseVerifier(kernel.signer.publicJwk)]]));
  expect(permit).toMatchObject({
    operation_id: call.operation_id,
    tenant_id: tenant.tenantId,
    attempt: 1,
    mode: 'run',
    lane: 'inline',
    action_digest: row.action_digest,
    expires_at: row.permit_until,
  });
  expect(event).toMatchObject({
    mark: MARK,
    redemption: {
      operation_id: call.operation_id,
      attempt: 1,
      args: { path: 'a.txt', content: 'x' },
      lease_ms: LEASE_MS,
      lease_until: row.lease_until,
      state_snapshot_id: tenant.head,
    },
  });
  expect(argsHash(Buffer.from(event.redemption.args_salt, 'base64'), event.redemption.args)).toBe(row.args_hash);
  expect(wokenCount()).toBe(before);
  expect((await tenant.records()).map(({ phase }) => phase)).toEqual(['decision']);
});

it("the executor's report ends an assigned call as any other, and one with other credentials is fenced", async () => {
  const call = await propose(tenant.writeCall(token));
  await until(() => sent.length === 1);
  const [{ nonce }] = sent as [AssignedEvent];
  const attempt: Attempt = {
    tenant,
    operation_id: call.operation_id,
    attempt: 1,
    executor_id: executorId,
    nonce,
    snapshot: tenant.head,
  };
  const delta = await deltaFor(kernel, attempt, { 'a.txt': 'x' });
  await expect(run.commit.run(reportOf({ ...attempt, nonce: '0'.repeat(32) }, delta))).rejects.toMatchObject({
    code: 'attempt.fenced',
  });
  expect(await run.commit.run(reportOf(attempt, delta))).toMatchObject({ tx_outcome: 'committed' });
});

it("the permit of an assigned call can't be redeemed, by any executor", async () => {
  await propose(tenant.writeCall(token));
  await until(() => sent.length === 1);
  const [{ permit }] = sent as [AssignedEvent];
  await expect(
    run.redeem.run({ v: 1, permit, executor_id: newId('executor'), nonce: '1'.repeat(32) }),
  ).rejects.toMatchObject({ code: 'permit.spent' });
});

describe('a call waits in its lane like any other', () => {
  afterEach(async () => {
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
    expect(sent).toEqual([]);
  });
  const waits = async (call = tenant.writeCall(token)): Promise<void> => {
    const before = wokenCount();
    await propose(call);
    expect([await stateOf(call), wokenCount() - before, (await tenant.row(call.operation_id)).attempt]).toEqual([
      'admitted',
      1,
      0,
    ]);
  };

  it('where no executor has a slot free', async () => {
    announceSlots(0);
    await waits();
  });

  it('where a call of the tenant waits there already', async () => {
    const first = tenant.writeCall(token);
    await kernel.admit.run(first, null);
    await waits();
    expect(await stateOf(first)).toBe('admitted');
  });

  it('where the tenant has its maximum of calls under way', async () => {
    await tenant.query('UPDATE kernel.tenant SET cap = 1 WHERE tenant_id = $1', [tenant.tenantId]);
    await run.perform(tenant, tenant.writeCall(token));
    await waits();
  });

  it('where calls in the lane are being counted by another replica', async () => {
    await inTransaction(kernel.workers.pool, async (client) => {
      await client.query(`SELECT pg_advisory_xact_lock(hashtext('writ.dispatch.inline'))`);
      await waits();
    });
  });

  it("where leases are short compared to the age of an executor's event", async () => {
    await dispatcher.stop();
    admit = newAdmit(3_599);
    await waits();
  });

  it("where it has to go to a session's shell", async () => {
    const call = tenant.writeCall(token, { tool_id: 'shell.session', args: { command: 'true' }, session_id: 's1' });
    await propose(call);
    expect(await stateOf(call)).toBe('admitted');
  });
});

it('a tenant beside others gets no more of the lane than its share, and its next call waits', async () => {
  const other = await kernel.newTenant();
  await other.write({ 'a.txt': 'hello' });
  await propose(other.writeCall(await other.token()));
  await until(() => sent.length === 1);
  // A quarter of the eight slots.
  const calls = [tenant.call(token), tenant.call(token), tenant.call(token)];
  for (const call of calls) await propose(call);
  expect(await Promise.all(calls.map(stateOf))).toEqual(['performing', 'performing', 'admitted']);
  await until(() => sent.length === 3);
});

it("of calls that arrive at once each is run by one executor, and none beyond the tenant's cap", async () => {
  await tenant.query('UPDATE kernel.tenant SET cap = 3 WHERE tenant_id = $1', [tenant.tenantId]);
  const calls = Array.from({ length: 8 }, () => tenant.call(token));
  await Promise.all(calls.map(propose));
  const states = await Promise.all(calls.map(stateOf));
  const performing = states.filter((state) => state === 'performing').length;
  expect(performing).toBeGreaterThan(0);
  expect(performing).toBeLessThanOrEqual(3);
  await until(() => sent.length === performing);
  expect(new Set(sent.map(({ redemption }) => redemption.operation_id)).size).toBe(performing);
});

it.each([
  ["can't be sent", () => bus.close()],
  ['has no subscribed executor', () => subscription.close()],
])("an assigned call that %s is given back at once, and the attempt isn't counted as lost", async (_what, happens) => {
  await happens();
  const before = wokenCount();
  const call = await propose(tenant.writeCall(token));
  await assign.settled();
  expect(wokenCount()).toBe(before + 1);
  expect(await tenant.row(call.operation_id)).toMatchObject({
    state: 'admitted',
    executor_id: null,
    nonce: null,
    lease_until: null,
    leases_lost: 0,
  });
});

it('a call that is refused or held is not assigned', async () => {
  const { answer } = kernel.policy;
  kernel.policy.answer = requires('soft_gate');
  const held = await propose(tenant.writeCall(token)).finally(() => {
    kernel.policy.answer = answer;
  });
  const refused = await propose(tenant.writeCall(newId('token')));
  expect(await Promise.all([held, refused].map(stateOf))).toEqual(['held', 'refused']);
  expect(sent).toEqual([]);
});

it('a call that never arrives is found when its lease runs out, and gets another attempt', async () => {
  const call = await propose(tenant.writeCall(token));
  await tenant.query('UPDATE kernel.operation SET lease_until = 1 WHERE operation_id = $1', [call.operation_id]);
  expect(await run.sweeper.sweep()).toMatchObject({ lost: 1 });
  const { attempt } = await run.performAdmitted(tenant, call.operation_id);
  expect(attempt.attempt).toBe(2);
  const [{ nonce }] = sent as [AssignedEvent];
  await expect(
    run.commit.run({
      ...reportOf({ ...attempt, attempt: 1, executor_id: executorId, nonce }, null),
      ...credentialsOf({ ...attempt, attempt: 1, executor_id: executorId, nonce }),
    }),
  ).rejects.toMatchObject({ code: 'attempt.fenced' });
});
