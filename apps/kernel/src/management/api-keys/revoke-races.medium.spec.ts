// SPDX-License-Identifier: Apache-2.0
//
// A revocation during concurrent decisions. INVARIANT: once it has resolved, each call of the key has ended, or runs
// and can't commit.
import { isFinal } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { deltaFor, reportOf, textsAt, type TestExecution } from '../../specs/test-executor.ts';
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
  token = await tenant.token();
  kernel.policy.answer = () => AUTOPILOT;
});

const revoke = (api_key_id: string) => manage.revokeKey.run({ ...requestBy(callerOf(tenant.tenantId)), api_key_id });
const approve = async (approval_id: string | null) =>
  await kernel.decide.run({
    ...requestBy(callerOf(tenant.tenantId, 'operator')),
    approval_id: approval_id ?? '',
    decision: 'approve',
    comment: null,
    effect_digest: await shownEffectDigest(kernel, tenant.tenantId, approval_id),
  });
const hold = async (proposed_by: string) => {
  kernel.policy.answer = requires('soft_gate');
  const view = await kernel.admit.run(tenant.writeCall(token, { proposed_by }), null);
  kernel.policy.answer = () => AUTOPILOT;
  return view;
};
const statesOf = async (key: string): Promise<string[]> =>
  (
    await kernel.admin.query<{ state: string }>(
      'SELECT state FROM kernel.operation WHERE tenant_id = $1 AND proposed_by = $2',
      [tenant.tenantId, key],
    )
  ).rows.map(({ state }) => state);

it('a concurrent approval and revocation leave no call that continues, whichever comes first', async () => {
  for (let round = 0; round < 12; round++) {
    const key = newId('apiKey');
    const { operation_id, approval_id } = await hold(key);
    const both = [() => approve(approval_id), () => revoke(key)];
    await Promise.allSettled((round % 2 === 0 ? both : both.toReversed()).map((act) => act()));
    expect(await tenant.row(operation_id)).toMatchObject({ state: 'refused', fault_code: 'key.revoked' });
  }
});

it('an approval of an effect during a revocation commits before the call is marked, or not at all', async () => {
  for (let round = 0; round < 8; round++) {
    const key = newId('apiKey');
    const before = (await textsAt(kernel, tenant, ['a.txt']))['a.txt'];
    const view = await hold(key);
    await run.preview(tenant, view, { 'a.txt': `round ${String(round)}` });
    const both = [() => approve(view.approval_id), () => revoke(key)];
    await Promise.allSettled((round % 2 === 0 ? both : both.toReversed()).map((act) => act()));
    const { state } = await tenant.row(view.operation_id);
    expect(['committed', 'refused']).toContain(state);
    expect((await textsAt(kernel, tenant, ['a.txt']))['a.txt']).toBe(
      state === 'committed' ? `round ${String(round)}` : before,
    );
  }
});

it('proposals during the revocation of their key end or are refused', async () => {
  for (let round = 0; round < 4; round++) {
    const key = newId('apiKey');
    const propose = () => kernel.admit.run(tenant.writeCall(token, { proposed_by: key }), null);
    const proposing = Array.from({ length: 10 }, propose);
    await proposing[0];
    const revoking = revoke(key);
    const late = Array.from({ length: 10 }, propose);
    await Promise.all([...proposing, revoking, ...late]);
    const states = await statesOf(key);
    expect(states).toHaveLength(20);
    expect(states.filter((state) => !isFinal(state as never))).toEqual([]);
  }
});

it('a report during a revocation commits before the call is marked, or not at all', async () => {
  for (let round = 0; round < 8; round++) {
    const key = newId('apiKey');
    const before = (await textsAt(kernel, tenant, ['a.txt']))['a.txt'];
    const { attempt } = await run.perform(tenant, tenant.writeCall(token, { proposed_by: key }));
    const written = reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': `round ${String(round)}` }));
    const both = [() => run.commit.run(written), () => revoke(key)];
    await Promise.all((round % 2 === 0 ? both : both.toReversed()).map((act) => act()));
    const { state, key_revoked } = await tenant.row(attempt.operation_id);
    expect([state, key_revoked]).toEqual(key_revoked ? ['rolled_back', true] : ['committed', false]);
    expect((await textsAt(kernel, tenant, ['a.txt']))['a.txt']).toBe(key_revoked ? before : `round ${String(round)}`);
  }
});

describe('a held call that was marked after its facts were read', () => {
  const mark = (operationId: string) =>
    tenant.query('UPDATE kernel.operation SET key_revoked = true, cancel_requested = true WHERE operation_id = $1', [
      operationId,
    ]);

  it('is not readmitted by an approval of its action', async () => {
    const { operation_id, approval_id } = await hold(tenant.keyId);
    await mark(operation_id);
    expect((await refusalOf(approve(approval_id))).code).toBe('overloaded');
    expect((await tenant.row(operation_id)).state).toBe('held');
  });

  it('has no effect committed by an approval of its effect', async () => {
    const view = await hold(tenant.keyId);
    await run.preview(tenant, view, { 'a.txt': 'shown' });
    await mark(view.operation_id);
    expect((await refusalOf(approve(view.approval_id))).code).toBe('overloaded');
    expect((await tenant.row(view.operation_id)).state).toBe('held');
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'hello' });
  });
});
