// SPDX-License-Identifier: Apache-2.0
import {
  CALL_LANES,
  type Caller,
  type Envelope,
  type FunctionOutcome,
  type FunctionToolSource,
  type OperationView,
} from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { newNonce, payloadOf, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { callerOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import { AUTOPILOT, requires } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let run: TestExecution;
let manage: TestManagement;
let tenant: TestTenant;
let token: string;
let worker: Caller;
openKernelSpec((on) => {
  ({ kernel, run, manage } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token();
  worker = workerOf(['billing.*']);
  kernel.policy.answer = () => AUTOPILOT;
});

const CHARGE: FunctionToolSource = {
  name: 'billing.charge',
  description: 'Charges a customer.',
  category: 'write',
  mode: 'pull',
  parameters: {
    type: 'object',
    properties: { customer: { type: 'string' }, cents: { type: 'integer', minimum: 1, maximum: 500 } },
    required: ['customer', 'cents'],
    additionalProperties: false,
  },
  result: { type: 'object', properties: { charge: { type: 'string' } }, required: ['charge'] },
};
const ARGS = { customer: 'c-1', cents: 120 };
const DONE: FunctionOutcome = { outcome: 'succeeded', result: { charge: 'ch-1' } };

const workerOf = (tools: string[], of = tenant): Caller => ({
  ...callerOf(of.tenantId),
  api_key_id: newId('apiKey'),
  role: 'worker',
  tools,
});
const apply = (functions: FunctionToolSource[]) =>
  manage.applyTools.run({ ...requestBy(callerOf(tenant.tenantId)), file: { functions }, dry_run: false });
const propose = async (args: Record<string, unknown> = ARGS, tool_id = CHARGE.name): Promise<OperationView> =>
  await kernel.admit.run(tenant.writeCall(token, { tool_id, args }), null);
const take = async (caller = worker, operation_id: string | null = null): Promise<Envelope | null> =>
  (await run.functionCalls.take({ ...requestBy(caller), operation_id })).permit;

interface Held {
  readonly permit: Envelope;
  readonly nonce: string;
}
/** Admits a call, takes its permit and redeems it. */
const begin = async (more: Partial<FunctionToolSource> = {}): Promise<Held & { operation_id: string }> => {
  await apply([{ ...CHARGE, ...more }]);
  await propose();
  return await again();
};
const again = async (caller = worker): Promise<Held & { operation_id: string }> => {
  const permit = await take(caller);
  if (permit === null) throw new Error('no call waits');
  const held = { permit, nonce: newNonce() };
  const { operation_id } = await run.functionCalls.redeem({ ...requestBy(caller), ...held });
  return { ...held, operation_id };
};
const report = (held: Held, outcome: FunctionOutcome = DONE, caller = worker) =>
  run.functionCalls.report({ ...requestBy(caller), permit: held.permit, nonce: held.nonce, outcome });
const loseLease = (operationId: string) =>
  tenant.query('UPDATE kernel.operation SET lease_until = kernel.now_ms() - 1 WHERE operation_id = $1', [operationId]);
const outcomes = async () =>
  (await tenant.records()).filter(({ kind, phase }) => kind === 'tool_call' && phase === 'outcome');

describe('a call of a function that a worker runs', () => {
  it('is taken, redeemed with exactly its arguments, and committed with a record that says who claims what', async () => {
    await apply([CHARGE]);
    const view = await propose();
    expect(view).toMatchObject({ state: 'admitted' });
    expect(view).not.toHaveProperty('awaits');
    const permit = (await take())!;
    expect(payloadOf(permit)).toMatchObject({
      operation_id: view.operation_id,
      attempt: 1,
      api_key_id: worker.api_key_id,
    });
    expect(JSON.stringify(payloadOf(permit))).not.toContain('c-1');
    const held = { permit, nonce: newNonce() };
    const redemption = await run.functionCalls.redeem({ ...requestBy(worker), ...held });
    expect(redemption).toMatchObject({ operation_id: view.operation_id, args: ARGS, idempotent: false });
    expect(await tenant.row(view.operation_id)).toMatchObject({
      state: 'performing',
      effect_started: true,
      lane: 'function',
    });
    expect(await report(held)).toEqual({ state: 'committed', tx_outcome: 'committed' });
    expect(await outcomes()).toMatchObject([
      {
        tx_outcome: 'committed',
        execution: { contained: false, result: 'claimed', executor: worker.api_key_id },
        new_snapshot_id: null,
      },
    ]);
    const { result } = await manage.readOperation.run({
      ...requestBy(callerOf(tenant.tenantId)),
      operation_id: view.operation_id,
    });
    expect(result).toMatchObject({ status: 'ok', result: { charge: 'ch-1' } });
    expect(await report(held)).toEqual({ state: 'committed', tx_outcome: 'committed' });
  });

  it('is never sent to an executor of ours, and labels its session as untrusted', async () => {
    await apply([CHARGE]);
    const { operation_id } = await propose();
    run.speak(100);
    for (const lane of CALL_LANES) run.dispatcher.wake(lane);
    await run.dispatcher.settled();
    expect(await tenant.row(operation_id)).toMatchObject({ state: 'admitted', attempt: 0 });
    expect(
      Object.values(run.permits)
        .flat()
        .map((each) => payloadOf(each).operation_id),
    ).not.toContain(operation_id);
    const { rows } = await kernel.admin.query('SELECT label FROM kernel.label WHERE tenant_id = $1', [tenant.tenantId]);
    expect(rows).toContainEqual({ label: 'untrusted_content' });
  });

  it('is refused where its arguments do not fit the schema, without repeating them', async () => {
    await apply([CHARGE]);
    const view = await propose({ customer: 'secret-name', cents: 900 });
    expect(view.result?.error?.code).toBe('args.invalid');
    expect(JSON.stringify(view.reasons)).toContain('/cents');
    expect(JSON.stringify(view.reasons)).not.toMatch(/900|secret-name/);
    expect(await take()).toBeNull();
  });

  it('is held for approval like any other, has no preview, and is taken only then', async () => {
    await apply([CHARGE]);
    kernel.policy.answer = requires('soft_gate');
    const view = await propose();
    expect(view).toMatchObject({ state: 'held' });
    expect(await take()).toBeNull();
    expect(await tenant.row(view.operation_id)).toMatchObject({ attempt: 0 });
    await kernel.decide.run({
      ...requestBy({ ...callerOf(tenant.tenantId), api_key_id: newId('apiKey') }),
      approval_id: view.approval_id ?? '',
      decision: 'approve',
      comment: null,
    });
    expect(payloadOf((await take())!).operation_id).toBe(view.operation_id);
  });

  it('goes to one of two workers that race for it, and to the one that redeems first', async () => {
    await apply([CHARGE]);
    await propose();
    const other = workerOf(['*']);
    const taken = await Promise.all([take(), take(other), take(), take(other)]);
    expect(taken.filter((permit) => permit !== null)).toHaveLength(1);
    const caller = taken.findIndex((permit) => permit !== null) % 2 === 0 ? worker : other;
    const permit = taken.find((each) => each !== null)!;
    const tries = await Promise.allSettled(
      [newNonce(), newNonce()].map((nonce) => run.newFunctionCalls().redeem({ ...requestBy(caller), permit, nonce })),
    );
    expect(tries.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(tries.find((each) => each.status === 'rejected')?.reason).toMatchObject({ code: 'permit.spent' });
  });

  it('gets the same reply for the same nonce, since a reply can be lost, and another nonce gets none', async () => {
    const held = await begin();
    expect(
      await run.functionCalls.redeem({ ...requestBy(worker), permit: held.permit, nonce: held.nonce }),
    ).toMatchObject({ args: ARGS, attempt: 1 });
    await expect(
      run.functionCalls.redeem({ ...requestBy(worker), permit: held.permit, nonce: newNonce() }),
    ).rejects.toMatchObject({ code: 'permit.spent' });
  });

  it('that is taken and not redeemed is offered again, and the old permit is fenced', async () => {
    await apply([CHARGE]);
    const { operation_id } = await propose();
    const old = (await take())!;
    await tenant.query('UPDATE kernel.operation SET permit_until = kernel.now_ms() - 1 WHERE operation_id = $1', [
      operation_id,
    ]);
    await run.sweeper.sweep();
    expect(await tenant.row(operation_id)).toMatchObject({ state: 'admitted', effect_started: false });
    const fresh = await again();
    expect(payloadOf(fresh.permit)).toMatchObject({ operation_id, attempt: 2 });
    await expect(
      run.functionCalls.redeem({ ...requestBy(worker), permit: old, nonce: newNonce() }),
    ).rejects.toMatchObject({ code: 'permit.expired' });
  });

  it('whose tool was changed before it began does not begin: it ends as `tool.changed`', async () => {
    await apply([CHARGE]);
    const { operation_id } = await propose();
    const permit = (await take())!;
    await apply([{ ...CHARGE, description: 'Charges otherwise.' }]);
    await expect(run.functionCalls.redeem({ ...requestBy(worker), permit, nonce: newNonce() })).rejects.toMatchObject({
      code: 'tool.changed',
    });
    expect(await tenant.row(operation_id)).toMatchObject({ state: 'rolled_back', fault_code: 'tool.changed' });
    expect((await outcomes())[0]).not.toHaveProperty('execution');
  });

  it('that is cancelled while it runs gets the order to stop with its renewal', async () => {
    const held = await begin();
    const renew = () => run.functionCalls.renew({ ...requestBy(worker), permit: held.permit, nonce: held.nonce });
    expect(await renew()).toMatchObject({ stop: false });
    await tenant.query('UPDATE kernel.operation SET cancel_requested = true WHERE operation_id = $1', [
      held.operation_id,
    ]);
    expect(await renew()).toMatchObject({ stop: true });
    expect(await report(held, { outcome: 'failed', message: 'stopped before it began' })).toMatchObject({
      state: 'rolled_back',
    });
  });
});

describe('a lost attempt of a function', () => {
  it('ends ambiguous, since it may have taken effect, and its late report is fenced', async () => {
    const held = await begin();
    await loseLease(held.operation_id);
    await expect(report(held)).rejects.toMatchObject({ code: 'attempt.fenced' });
    await run.sweeper.sweep();
    expect(await tenant.row(held.operation_id)).toMatchObject({ state: 'ambiguous', fault_code: 'effect.ambiguous' });
    expect(await outcomes()).toMatchObject([{ execution: { contained: false, executor: worker.api_key_id } }]);
    expect(await report(held)).toMatchObject({ state: 'ambiguous' });
  });

  it('of an idempotent one is offered again under the same operation, and the old attempt is fenced', async () => {
    const held = await begin({ idempotent: true });
    await loseLease(held.operation_id);
    await run.sweeper.sweep();
    expect(await tenant.row(held.operation_id)).toMatchObject({ state: 'admitted', leases_lost: 1 });
    const fresh = await again();
    expect(fresh.operation_id).toBe(held.operation_id);
    expect(payloadOf(fresh.permit).attempt).toBe(2);
    await expect(report(held)).rejects.toMatchObject({ code: 'attempt.fenced' });
    expect(await report(fresh)).toMatchObject({ state: 'committed' });
  });

  it('of an idempotent one stays in doubt even if the next attempt states that it did nothing', async () => {
    const held = await begin({ idempotent: true });
    await loseLease(held.operation_id);
    await run.sweeper.sweep();
    const fresh = await again();
    expect(await report(fresh, { outcome: 'failed', message: 'declined' })).toMatchObject({ state: 'ambiguous' });
  });

  it('of an idempotent one ends ambiguous once no further attempt follows: three lost, or cancelled while it waits', async () => {
    const held = await begin({ idempotent: true });
    for (let lost = 1; lost <= 2; lost += 1) {
      await loseLease(held.operation_id);
      await run.sweeper.sweep();
      await again();
    }
    await loseLease(held.operation_id);
    await run.sweeper.sweep();
    expect(await tenant.row(held.operation_id)).toMatchObject({ state: 'ambiguous', attempt: 3 });
    await propose({ ...ARGS, cents: 3 });
    const other = await again();
    await loseLease(other.operation_id);
    await run.sweeper.sweep();
    await kernel.cancel.run({ ...requestBy(callerOf(tenant.tenantId)), operation_id: other.operation_id });
    expect(await tenant.row(other.operation_id)).toMatchObject({ state: 'ambiguous' });
  });
});

describe('what a process reports', () => {
  it.each([
    [
      'that it failed and nothing took effect',
      { outcome: 'failed', message: 'card declined' },
      'rolled_back',
      'function.failed',
    ],
    [
      'that something may have taken effect',
      { outcome: 'unknown', message: 'timeout' },
      'ambiguous',
      'effect.ambiguous',
    ],
    ['a result of another form', { outcome: 'succeeded', result: { id: 7 } }, 'ambiguous', 'function.result_invalid'],
    [
      'a result that is too large',
      { outcome: 'succeeded', result: { charge: 'x'.repeat(70_000) } },
      'ambiguous',
      'function.result_invalid',
    ],
  ] as const)('%s', async (_what, outcome, state, fault_code) => {
    const held = await begin();
    expect(await report(held, outcome)).toMatchObject({ state });
    expect(await tenant.row(held.operation_id)).toMatchObject({ state, fault_code });
    expect(await outcomes()).toMatchObject([{ fault_code, execution: { result: 'claimed' } }]);
  });

  it('of a function that only reads leaves no doubt: a wrong result ends it as failed', async () => {
    const held = await begin({ category: 'read' });
    expect(await report(held, { outcome: 'succeeded', result: 7 })).toMatchObject({ state: 'no_op' });
    expect(await tenant.row(held.operation_id)).toMatchObject({
      fault_code: 'function.result_invalid',
      effect_started: false,
    });
  });
});

describe('a permit for a process of a tenant', () => {
  it('counts only for the key that took it, and no key gets another answer than for a forged one', async () => {
    await apply([CHARGE]);
    await propose();
    const permit = (await take())!;
    const forged = {
      ...permit,
      signatures: [{ keyid: permit.signatures[0]?.keyid ?? '', sig: Buffer.alloc(64).toString('base64') }],
    };
    const other = await kernel.newTenant();
    const agent: Caller = { ...worker, api_key_id: newId('apiKey'), role: 'agent', agent_id: tenant.agentId };
    const invalid = { code: 'permit.invalid' };
    for (const [caller, shown] of [
      [worker, forged],
      [workerOf(['*']), permit],
      [workerOf(['*'], other), permit],
      [agent, permit],
    ] as const) {
      const request = { ...requestBy(caller), permit: shown, nonce: newNonce() };
      await expect(run.functionCalls.redeem(request)).rejects.toMatchObject(invalid);
      await expect(run.functionCalls.renew(request)).rejects.toMatchObject(invalid);
      await expect(run.functionCalls.report({ ...request, outcome: DONE })).rejects.toMatchObject(invalid);
    }
    await expect(
      run.functionCalls.redeem({ ...requestBy(callerOf(tenant.tenantId)), permit, nonce: newNonce() }),
    ).rejects.toMatchObject({ code: 'auth.role' });
    // It has another payload type than a permit of an executor.
    await expect(
      run.redeem.run({ v: 1, permit, executor_id: newId('executor'), nonce: newNonce() }),
    ).rejects.toMatchObject(invalid);
  });

  it('does not report another operation, and its nonce is part of the proof', async () => {
    const one = await begin();
    await propose({ ...ARGS, cents: 2 });
    const two = await again();
    await expect(report({ permit: one.permit, nonce: two.nonce })).rejects.toMatchObject({ code: 'attempt.fenced' });
    await expect(report({ permit: one.permit, nonce: newNonce() })).rejects.toMatchObject({ code: 'attempt.fenced' });
    expect(await tenant.row(two.operation_id)).toMatchObject({ state: 'performing' });
  });

  it("is not given to a worker of other tools, nor for another tenant's call", async () => {
    await apply([CHARGE]);
    await propose();
    expect(await take(workerOf(['billing', 'shipping.*']))).toBeNull();
    expect(await take(workerOf(['*'], await kernel.newTenant()))).toBeNull();
    expect(await take(workerOf(['billing.charge']))).not.toBeNull();
  });
});

describe('a call that its proposer runs', () => {
  const INLINE: FunctionToolSource = { ...CHARGE, mode: 'caller' };
  const agentOf = (api_key_id: Caller['api_key_id']): Caller => ({
    ...callerOf(tenant.tenantId),
    api_key_id,
    role: 'agent',
    agent_id: tenant.agentId,
  });

  it('awaits its caller, who alone gets the permit', async () => {
    await apply([INLINE]);
    const view = await propose();
    expect(view).toMatchObject({ state: 'admitted', awaits: 'caller' });
    const { proposed_by } = await tenant.row(view.operation_id);
    const caller = agentOf(proposed_by as Caller['api_key_id']);
    expect(await take(workerOf(['*']))).toBeNull();
    expect(await take(agentOf(newId('apiKey')), view.operation_id)).toBeNull();
    await expect(take(caller)).rejects.toMatchObject({ code: 'request.malformed' });
    const held = { permit: (await take(caller, view.operation_id))!, nonce: newNonce() };
    expect(await run.functionCalls.redeem({ ...requestBy(caller), ...held })).toMatchObject({ args: ARGS });
    expect(await report(held, DONE, caller)).toMatchObject({ state: 'committed' });
  });

  it('ends like any other where its caller never comes: refused, at no cost', async () => {
    await apply([INLINE]);
    const { operation_id } = await propose();
    await tenant.query('UPDATE kernel.operation SET deadline = kernel.now_ms() - 1 WHERE operation_id = $1', [
      operation_id,
    ]);
    await run.sweeper.sweep();
    expect(await tenant.row(operation_id)).toMatchObject({
      state: 'refused',
      fault_code: 'deadline',
      effect_started: false,
    });
  });
});
