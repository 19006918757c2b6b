// SPDX-License-Identifier: Apache-2.0
//
// Calls that are decided again after an approval, or after another call changed their files. The set that is active
// when that decision is written counts, whatever was active before.
import type { Attempt } from '../../specs/test-executor.ts';
import { deltaFor, newNonce, payloadOf, reportOf, textsAt, type TestExecution } from '../../specs/test-executor.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { openPolicyKernel, setOf, type PolicyKernel } from '../../specs/test-policies.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import type { OperationView } from '@writ/contract';
import { newId } from '@writ/nest-kit';

let kernel: PolicyKernel;
let run: TestExecution;
let tenant: TestTenant;
let token: string;
openKernelSpec<PolicyKernel>((on) => {
  ({ kernel, run } = on);
}, openPolicyKernel);
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello', 'b.txt': 'b' });
  token = await tenant.token({ budgets: { calls: 10 } });
});

/** A condition on arguments only; a rule on an effect has `context has effect`. */
const ofArguments = (id: string, when = 'true') =>
  `@id("${id}") @reason("${id}") @would_pass("another set") forbid (principal, action == Action::"fs.write", resource) when { !(context has effect) && ${when} };`;
const OPEN = setOf('open');
const ASKS = setOf('asks', ofArguments('a.person', 'context.supervision == "autopilot"'));
const ASKS_ELSE = setOf('asks-else', ofArguments('another.person', 'context.supervision == "autopilot"'));
const CLOSED = setOf('closed', ofArguments('closed'));

/** Activates a set within another transaction, as the kernel's functions do under kernel.change_rules. */
const activated = async (name: string): Promise<void> => {
  const { policy_hash } = await kernel.show.read({ ...kernel.asAdmin(tenant), policy: name });
  await kernel.admin.query(
    `INSERT INTO kernel.policy_activation (tenant_id, seq, policy_hash, activated_by)
    VALUES ($1, (SELECT coalesce(max(seq), 0) + 1 FROM kernel.policy_activation WHERE tenant_id = $1), $2, 'spec')`,
    [tenant.tenantId, policy_hash],
  );
};
const frozen = () =>
  tenant.query(
    `INSERT INTO kernel.freeze (freeze_id, tenant_id, scope, subject, reason, placed_by) VALUES ($1, $2, 'tenant', $2, 'stop', 'spec')`,
    [newId('freeze'), tenant.tenantId],
  );
const revoked = () =>
  tenant.query('UPDATE kernel.token SET revoked_at = kernel.now_ms() WHERE capability_token_id = $1', [token]);

/** Changes the rules after the decision was made and before it is written. */
async function meanwhile<T>(deciding: () => Promise<T>, change: () => Promise<unknown>): Promise<T> {
  await kernel.admin.query('BEGIN');
  await kernel.admin.query('SELECT kernel.change_rules($1)', [tenant.tenantId]);
  const decision = deciding();
  decision.catch(() => undefined);
  await kernel.untilBlocked();
  await change();
  await kernel.admin.query('COMMIT');
  return await decision;
}
const outcomesOf = async (operationId: string) =>
  (await tenant.records()).filter((record) => record.operation_id === operationId && record.phase === 'outcome');

describe('a held call that a person approves', () => {
  let held: OperationView;
  beforeEach(async () => {
    for (const set of [OPEN, CLOSED, ASKS_ELSE]) await kernel.putSet(tenant, set);
    await kernel.install(tenant, ASKS);
    held = await kernel.admit.run(tenant.writeCall(token), null);
    expect(held.state).toBe('held');
  });
  const approve = () =>
    kernel.decide.run({
      ...kernel.asAdmin(tenant),
      approval_id: held.approval_id ?? '',
      decision: 'approve',
      comment: null,
    });

  it('is not refused by a set that is no longer active', async () => {
    await kernel.install(tenant, CLOSED);
    expect(await meanwhile(approve, () => activated('asks'))).toMatchObject({ state: 'admitted' });
    expect(await outcomesOf(held.operation_id)).toEqual([]);
  });

  it('is not refused under a freeze: it stays held, and its approval pending', async () => {
    await kernel.install(tenant, CLOSED);
    await expect(meanwhile(approve, frozen)).rejects.toMatchObject({ code: 'frozen' });
    expect((await tenant.row(held.operation_id)).state).toBe('held');
    expect(
      (await kernel.approvals.read({ ...kernel.asAdmin(tenant), approval_id: held.approval_id ?? '' })).state,
    ).toBe('pending');
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['a set that was activated as it was admitted', () => activated('closed'), 'policy.denied'],
    ['a set under which it was never shown', () => activated('asks-else'), 'approval.stale'],
    ['a revocation', revoked, 'token.revoked'],
  ])('is refused by %s', async (_what, change, code) => {
    expect(await meanwhile(approve, change)).toMatchObject({
      state: 'refused',
      result: { error: { code }, tx_outcome: 'rolled_back' },
    });
    expect(await outcomesOf(held.operation_id)).toMatchObject([{ fault_code: code, verdict: 'refused' }]);
    expect((await tenant.budgetOf(token))['calls']).toMatchObject({ used: 0, reserved: 0 });
  });

  it('is not admitted under a freeze that was placed during the approval', async () => {
    await expect(meanwhile(approve, frozen)).rejects.toMatchObject({ code: 'frozen' });
    expect((await tenant.row(held.operation_id)).state).toBe('held');
  });
});

describe('an inline call whose files another call changed', () => {
  const perform = async (more = {}): Promise<Attempt> =>
    (await run.perform(tenant, tenant.writeCall(token, more))).attempt;
  const writes = async (attempt: Attempt, text: string) =>
    reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': text }));
  /** Somebody else's change of the same file, under a token of their own. */
  const theirs = async (): Promise<void> => {
    const { attempt } = await run.perform(
      tenant,
      tenant.writeCall(await tenant.token(), { args: { path: 'a.txt', content: 'theirs' }, session_id: 'another' }),
    );
    await run.newCommit().run(await writes(attempt, 'theirs'));
  };
  const report = async (attempt: Attempt) => await run.newCommit().run(await writes(attempt, 'ours'));
  const ended = async ({ operation_id }: Attempt) => {
    const { state, fault_code, fault_message, reruns } = await tenant.row(operation_id);
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'theirs' });
    expect(await outcomesOf(operation_id)).toMatchObject([{ fault_code, tx_outcome: 'rolled_back' }]);
    expect((await tenant.budgetOf(token))['calls']).toMatchObject({ used: 1, reserved: 0 });
    return { state, fault_code, fault_message, reruns };
  };

  it('runs again under the active set, which its new decision names', async () => {
    await kernel.install(tenant, OPEN);
    const attempt = await perform();
    await theirs();
    await kernel.install(tenant, setOf('open-too'));
    expect(await report(attempt)).toMatchObject({ state: 'admitted' });
    const row = await tenant.row(attempt.operation_id);
    const [first, again] = (await tenant.records()).filter(({ operation_id }) => operation_id === attempt.operation_id);
    expect(again).toMatchObject({
      phase: 'decision',
      verdict: 'admitted',
      policy_hash: row.policy_hash,
      rule_ids: expect.arrayContaining(['workspace.rerun', 'open-too.all']),
    });
    expect(row.policy_hash).not.toBe(first?.policy_hash);
    run.dispatch('inline');
    let permit = await run.permitOf(attempt.operation_id);
    while (payloadOf(permit).attempt === attempt.attempt) {
      await new Promise((resolve) => {
        setTimeout(resolve, 2);
      });
      permit = await run.permitOf(attempt.operation_id);
    }
    expect(await run.redeem.run({ v: 1, permit, executor_id: newId('executor'), nonce: newNonce() })).toMatchObject({
      policy_hash: row.policy_hash,
      attempt: 2,
    });
  });

  it('does not run again where the active set forbids it', async () => {
    const attempt = await perform();
    await theirs();
    await kernel.install(tenant, CLOSED);
    await report(attempt);
    expect(await ended(attempt)).toEqual({
      state: 'rolled_back',
      fault_code: 'policy.denied',
      fault_message: 'closed',
      reruns: 0,
    });
  });

  it('does not run again where the active set needs an approval', async () => {
    const attempt = await perform();
    await theirs();
    await kernel.install(tenant, ASKS);
    await report(attempt);
    expect(await ended(attempt)).toMatchObject({
      state: 'rolled_back',
      fault_code: 'workspace.conflict',
      fault_message: expect.stringContaining('asks for a person'),
      reruns: 0,
    });
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['an activation', () => activated('closed'), 'policy.denied'],
    ['a revocation', revoked, 'token.revoked'],
    ['a freeze', frozen, 'frozen'],
  ])('does not run again after %s that came between its decision and its writing', async (_what, change, code) => {
    await kernel.putSet(tenant, CLOSED);
    const attempt = await perform();
    await theirs();
    const words = await writes(attempt, 'ours');
    await meanwhile(() => run.newCommit().run(words), change);
    expect(await ended(attempt)).toMatchObject({ state: 'rolled_back', fault_code: code, reruns: 0 });
  });

  it.each([
    ['where the replica has cached the attempt', true],
    ['where the replica cached nothing', false],
  ])('is not refused by a set that is no longer active, %s', async (_what, remembers) => {
    await kernel.install(tenant, OPEN);
    const attempt = await perform();
    const memory = run.newMemory();
    await theirs();
    if (remembers) memory.remember(await run.factsOf(attempt));
    await kernel.install(tenant, CLOSED);
    const words = await writes(attempt, 'ours');
    expect(
      await meanwhile(
        () => run.newCommit(memory).run(words),
        () => activated('open'),
      ),
    ).toMatchObject({ state: 'admitted' });
  });

  it.each([
    ['runs again under the set of its approval', ASKS, 'admitted', null],
    ['does not run again under another set', ASKS_ELSE, 'rolled_back', 'approval.stale'],
  ] as const)('that a person had approved %s', async (_what, set, state, code) => {
    await kernel.install(tenant, ASKS);
    const { approval_id, operation_id } = await kernel.admit.run(tenant.writeCall(token), null);
    await kernel.decide.run({
      ...kernel.asAdmin(tenant),
      approval_id: approval_id ?? '',
      decision: 'approve',
      comment: null,
    });
    run.speak(100);
    run.dispatcher.wake('inline');
    const speaker = { executor_id: newId('executor'), nonce: newNonce() };
    let permit = await run.permitOf(operation_id);
    while (payloadOf(permit).mode !== 'run') {
      await new Promise((resolve) => {
        setTimeout(resolve, 2);
      });
      permit = await run.permitOf(operation_id);
    }
    const redeemed = await run.redeem.run({ v: 1, permit, ...speaker });
    const attempt: Attempt = {
      tenant,
      operation_id,
      attempt: redeemed.attempt,
      snapshot: redeemed.state_snapshot_id,
      ...speaker,
    };
    await kernel.install(tenant, OPEN);
    await theirs();
    await kernel.install(tenant, set);
    expect(await report(attempt)).toMatchObject({ state });
    expect(await tenant.row(operation_id)).toMatchObject({ fault_code: code, autonomy_mode: 'soft_gate' });
  });

  it("keeps its position in its session's history: neither itself nor later calls count against it", async () => {
    await kernel.install(
      tenant,
      setOf('once', '', {
        history: [{ id: 'once', kind: 'at_most', tools: ['fs.write'], n: 1, then: 'refuse', reason: 'once is enough' }],
      }),
    );
    const attempt = await perform({ session_id: 'one' });
    await theirs();
    expect(await report(attempt)).toMatchObject({ state: 'admitted' });
  });
});
