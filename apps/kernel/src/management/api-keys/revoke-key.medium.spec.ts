// SPDX-License-Identifier: Apache-2.0
//
// The revocation of an API key, in every state of a call of the key: how the call ends, and the contents of its
// records.
import type { AuditRecord, OperationView } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import {
  deltaFor,
  reportOf,
  credentialsOf,
  textsAt,
  type Attempt,
  type TestExecution,
} from '../../specs/test-executor.ts';
import { requestBy, callerOf, refusalOf, type TestManagement } from '../../specs/test-management.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { shownEffectDigest } from '../../specs/shown-effect.ts';
import { newId } from '@writ/nest-kit';

let kernel: TestKernel;
let manage: TestManagement;
let run: TestExecution;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel, run, manage } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token({ budgets: { calls: 50 } });
  kernel.policy.answer = () => AUTOPILOT;
});

/** The administrator who revokes. */
const admin = () => callerOf(tenant.tenantId);
const revoke = (api_key_id: string = tenant.keyId, by = admin()) =>
  manage.revokeKey.run({ ...requestBy(by), api_key_id });
const codeOf = ({ result }: OperationView): string | undefined => result?.error?.code;
const approve = async (approval_id: string | null) =>
  await kernel.decide.run({
    ...requestBy(callerOf(tenant.tenantId, 'operator')),
    approval_id: approval_id ?? '',
    decision: 'approve',
    comment: null,
    effect_digest: await shownEffectDigest(kernel, tenant.tenantId, approval_id),
  });

/** A call in a certain state. */
interface TestCall {
  readonly operation_id: string;
  readonly approval_id: string | null;
  readonly attempt: Attempt | null;
}

const admitted = async (more: object = {}): Promise<TestCall> => {
  const { operation_id, approval_id } = await kernel.admit.run(tenant.writeCall(token, more), null);
  return { operation_id, approval_id, attempt: null };
};
const held = async (more: object = {}): Promise<TestCall> => {
  kernel.policy.answer = requires('soft_gate');
  const placed = await admitted(more);
  kernel.policy.answer = () => AUTOPILOT;
  return placed;
};
const dispatched = async (): Promise<TestCall> => {
  const placed = await admitted();
  run.speak(100);
  run.dispatcher.wake('inline');
  await run.permitOf(placed.operation_id);
  return placed;
};
const performing = async (): Promise<TestCall> => {
  const { attempt } = await run.perform(tenant, tenant.writeCall(token));
  return { operation_id: attempt.operation_id, approval_id: null, attempt };
};
const withEffect = async (): Promise<TestCall> => {
  const placed = await performing();
  await run.renew.effectStarted(credentialsOf(placed.attempt as Attempt));
  return placed;
};
/** One that ran, and whose effect waits for a person. */
const heldEffect = async (): Promise<TestCall> => {
  kernel.policy.answer = (action) =>
    action.resources.some(({ path }) => path === 'b.txt') ? requires('soft_gate')() : AUTOPILOT;
  const placed = await performing();
  await run.commit.run(
    reportOf(placed.attempt as Attempt, await deltaFor(kernel, placed.attempt as Attempt, { 'b.txt': 'hook' })),
  );
  expect(await tenant.row(placed.operation_id)).toMatchObject({ state: 'held' });
  return { ...placed, attempt: null };
};
const report = async ({ attempt }: TestCall) =>
  run.commit.run(reportOf(attempt as Attempt, await deltaFor(kernel, attempt as Attempt, { 'a.txt': 'written' })));
const loseLease = ({ operation_id }: TestCall) =>
  tenant.query('UPDATE kernel.operation SET lease_until = 1 WHERE operation_id = $1', [operation_id]);
const silent = async (placed: TestCall): Promise<void> => {
  await loseLease(placed);
  await run.sweeper.sweep();
};
const recordsOf = async (operationId: string): Promise<AuditRecord[]> =>
  (await tenant.records()).filter(({ operation_id }) => operation_id === operationId);
/** Ages the marks by a second, the time that is reserved for the marking kernel. */
const age = () =>
  tenant.query(`UPDATE kernel.operation SET updated_at = updated_at - 10000 WHERE tenant_id = $1`, [tenant.tenantId]);

describe('a call of the key', () => {
  it.each([
    ['that waits for a person', held, null, 'refused', 'key.revoked'],
    ['whose effect waits for a person', heldEffect, null, 'rolled_back', 'key.revoked'],
    ['that waits for an executor', admitted, null, 'refused', 'key.revoked'],
    ['that has a permit', dispatched, null, 'rolled_back', 'key.revoked'],
    ['that runs, once it reports', performing, report, 'rolled_back', 'key.revoked'],
    ['that runs and falls silent, once its lease is over', performing, silent, 'rolled_back', 'key.revoked'],
    ['that began an effect, once it reports', withEffect, report, 'ambiguous', 'effect.ambiguous'],
    ['that began an effect and falls silent', withEffect, silent, 'ambiguous', 'effect.ambiguous'],
  ] as const)('%s ends, and commits nothing', async (_what, place, then, state, code) => {
    const placed = await place();
    const by = admin();
    await revoke(tenant.keyId, by);
    if (then !== null) await then(placed);
    expect(await tenant.row(placed.operation_id)).toMatchObject({
      state,
      fault_code: code,
      proposed_by: tenant.keyId,
      key_revoked: true,
    });
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'hello' });
    const outcome = (await recordsOf(placed.operation_id)).at(-1);
    expect(outcome).toMatchObject({
      kind: 'tool_call',
      phase: 'outcome',
      fault_code: code,
      ...(place === dispatched ? { actor: by.api_key_id } : {}),
    });
    if (placed.attempt !== null)
      expect(kernel.events.stops).toContain(`${placed.operation_id} ${String(placed.attempt.attempt)}`);
  });

  it("that is held can't be approved any more, and its approval names who ended it", async () => {
    const placed = await held();
    const by = admin();
    await revoke(tenant.keyId, by);
    expect(await refusalOf(approve(placed.approval_id))).toMatchObject({
      code: 'conflict',
      message: 'the approval is `cancelled` already',
    });
    expect((await recordsOf(placed.operation_id)).map(({ kind, actor }) => [kind, actor])).toEqual([
      ['tool_call', null],
      ['approval', by.api_key_id],
      ['tool_call', null],
    ]);
  });

  it('is refused from then on with a record, also right after a like call was admitted', async () => {
    for (let n = 0; n < 3; n++) await admitted();
    await revoke();
    const view = await kernel.admit.run(tenant.writeCall(token), null);
    expect([view.state, codeOf(view)]).toEqual(['refused', 'key.revoked']);
    expect((await recordsOf(view.operation_id)).at(-1)).toMatchObject({
      phase: 'decision',
      verdict: 'refused',
      fault_code: 'key.revoked',
    });
  });

  it('that had ended stays as it was, and is still replayed by its idempotency key', async () => {
    const call = tenant.writeCall(token);
    const { attempt } = await run.perform(tenant, call);
    await report({ operation_id: call.operation_id, approval_id: null, attempt });
    await revoke();
    expect(await kernel.admit.run({ ...call, operation_id: newId('operation') }, null)).toMatchObject({
      state: 'committed',
      replayed: true,
    });
  });

  it('that a person cancelled before ends as cancelled', async () => {
    const placed = await performing();
    await kernel.cancel.run({ ...requestBy(admin()), operation_id: placed.operation_id });
    await revoke();
    await report(placed);
    expect(await tenant.row(placed.operation_id)).toMatchObject({
      state: 'rolled_back',
      fault_code: 'cancelled',
      key_revoked: false,
    });
  });
});

describe('a call that the key did not propose', () => {
  it('continues where it has another key of the same agent and token', async () => {
    const other = newId('apiKey');
    const [waits, asked, runs] = [
      await admitted({ proposed_by: other }),
      await held({ proposed_by: other }),
      await run.perform(tenant, tenant.writeCall(token, { proposed_by: other })),
    ];
    await revoke();
    // A permit may have been issued for it meanwhile.
    expect(await tenant.row(waits.operation_id)).toMatchObject({ fault_code: null, key_revoked: false });
    expect(await approve(asked.approval_id)).toMatchObject({ state: 'admitted' });
    expect(
      await report({ operation_id: runs.attempt.operation_id, approval_id: null, attempt: runs.attempt }),
    ).toMatchObject({ state: 'committed' });
  });

  it('continues where it belongs to another tenant and names a key with the same id', async () => {
    const theirs = await kernel.newTenant();
    await theirs.write({ 'a.txt': 'theirs' });
    const call = theirs.writeCall(await theirs.token(), { proposed_by: tenant.keyId });
    await kernel.admit.run(call, null);
    await revoke();
    expect((await theirs.row(call.operation_id)).state).toBe('admitted');
    expect(
      await kernel.admit.run({ ...call, operation_id: newId('operation'), idempotency_key: newId('request') }, null),
    ).toMatchObject({ state: 'admitted' });
  });
});

describe('the revocation', () => {
  it('happens once, with one record, for any number of concurrent requests', async () => {
    const by = admin();
    await Promise.all(Array.from({ length: 8 }, () => revoke(tenant.keyId, by)));
    expect(await tenant.records()).toMatchObject([
      {
        kind: 'change',
        actor: by.api_key_id,
        change: { verb: 'api_key_revoked', subject: tenant.keyId, digest: null },
      },
    ]);
  });

  it('revokes the delegations that the key made', async () => {
    const lender = callerOf(tenant.tenantId, 'operator');
    const lent = await manage.delegations.create({
      ...requestBy(lender),
      to: 'bob',
      scope: { tools: null, agent_id: null, autonomy_mode: 'soft_gate' },
      note: 'away',
      expires_at: Date.now() + 60_000,
    });
    await revoke(lender.api_key_id);
    const { items } = await manage.delegations.list({
      ...requestBy(admin()),
      page: { cursor: null, limit: 10 },
      standing: false,
    });
    expect(items).toMatchObject([{ delegation_id: lent.delegation_id, state: 'revoked' }]);
    expect((await tenant.records()).map(({ change }) => change?.verb)).toEqual([
      'delegate',
      'api_key_revoked',
      'revoke_delegation',
    ]);
  });

  it('lists only the valid tokens that the key issued', async () => {
    const [past, gone, other] = [await tenant.token({ expires_at: 1 }), await tenant.token(), await tenant.token()];
    const child = await tenant.token({}, { parent_id: gone });
    await tenant.query('UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1', [gone]);
    await tenant.query('UPDATE kernel.token SET issuer = $2 WHERE capability_token_id = $1', [other, newId('apiKey')]);
    const { tokens, more_tokens } = await revoke();
    expect([tokens, more_tokens]).toEqual([
      [{ capability_token_id: token, agent_id: tenant.agentId, expires_at: expect.any(Number) }],
      false,
    ]);
    expect([past, child].some((id) => tokens.some(({ capability_token_id }) => capability_token_id === id))).toBe(
      false,
    );
    expect((await manage.tokens.read({ ...requestBy(admin()), capability_token_id: token })).revoked).toBe(false);
  });

  it("is an administrator's, and needs a valid id of a key", async () => {
    for (const role of ['operator', 'auditor', 'agent'] as const) {
      expect((await refusalOf(revoke(tenant.keyId, callerOf(tenant.tenantId, role, tenant.agentId)))).code).toBe(
        'auth.role',
      );
    }
    expect((await refusalOf(revoke('x'))).code).toBe('not_found');
    expect(await tenant.countOf('outbox')).toBe(0);
  });

  it('by an orchestrator of an earlier version ends the same calls with the next sweep', async () => {
    const by = admin();
    const [asked, waits] = [await held(), await admitted()];
    await manage.recordChange.run({ ...requestBy(by), verb: 'api_key_revoked', subject: tenant.keyId });
    // The call is marked and not ended yet, so an approval finds the key revoked.
    const yes = await approve(asked.approval_id);
    expect([yes.state, codeOf(yes)]).toEqual(['refused', 'key.revoked']);
    await kernel.endCalls.sweep();
    expect((await tenant.row(waits.operation_id)).state).toBe('admitted');
    await age();
    await kernel.endCalls.sweep();
    for (const { operation_id } of [asked, waits])
      expect(await tenant.row(operation_id)).toMatchObject({ state: 'refused', fault_code: 'key.revoked' });
    expect((await recordsOf(waits.operation_id)).at(-1)).toMatchObject({ phase: 'outcome', actor: by.api_key_id });
  });
});
