// SPDX-License-Identifier: Apache-2.0
import { vi } from 'vitest';
import type { Caller, OperationView as View } from '@writ/contract';
import { HeldCalls } from '../../execution/held/index.ts';
import { newId } from '@writ/nest-kit';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import { deltaFor, reportOf, textsAt, type TestExecution } from '../../specs/test-executor.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let run: TestExecution;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel, run } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello', 'b.txt': 'b', 'c.txt': 'c' });
  token = await tenant.token({ budgets: { calls: 5, cpu_ms: 1_000_000 } });
  kernel.policy.hash = '1'.repeat(64);
  kernel.policy.answer = requires('soft_gate');
});

const as = (role: Caller['role'] = 'operator', more: Partial<Caller> = {}): Caller => ({
  tenant_id: tenant.tenantId,
  api_key_id: newId('apiKey'),
  role,
  agent_id: null,
  ...more,
});
/** Decides on the effect that is shown now, unless `more` names another effect or none. */
const decide = async (
  held: { approval_id: string | null },
  decision: 'approve' | 'deny' = 'approve',
  more: { effect_digest?: string | null } = {},
  caller = as(),
): Promise<View> => {
  const effect_digest = (await show(held)).binding.effect_digest;
  return await kernel.decide.run({
    v: 1,
    caller,
    approval_id: held.approval_id ?? '',
    decision,
    comment: null,
    effect_digest,
    ...more,
  });
};
const show = async (held: { approval_id: string | null }) =>
  await kernel.approvals.read({ v: 1, caller: as(), approval_id: held.approval_id ?? '' });
const outcomesOf = async ({ operation_id }: { operation_id: string }) =>
  (await tenant.records()).filter((record) => record.phase === 'outcome' && record.operation_id === operation_id);

const preview = (held: { operation_id: string }, files: Record<string, string | null>): Promise<void> =>
  run.preview(tenant, held, files);
async function previewed(files: Record<string, string | null> = { 'a.txt': 'shown' }, more = {}): Promise<View> {
  const held = await kernel.admit.run(tenant.writeCall(token, more), null);
  await preview(held, files);
  return held;
}
/** Another call changes a file and commits. */
async function others(files: Record<string, string | null>): Promise<void> {
  const before = kernel.policy.answer;
  kernel.policy.answer = () => AUTOPILOT;
  const { attempt } = await run.perform(tenant, tenant.writeCall(token));
  await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, files)));
  kernel.policy.answer = before;
}
/** A call that ran, and whose effect on `b.txt` needs an approval. */
async function ranAndHeld(): Promise<OperationRow> {
  kernel.policy.answer = (action) =>
    action.resources.some(({ path }) => path === 'b.txt') ? requires('soft_gate')() : AUTOPILOT;
  const { attempt } = await run.perform(tenant, tenant.writeCall(token));
  const report = reportOf(attempt, await deltaFor(kernel, attempt, { 'b.txt': 'hook' }));
  expect(await run.commit.run(report)).toEqual({ v: 1, state: 'held', tx_outcome: null });
  expect(await run.newCommit().run(report)).toEqual({ v: 1, state: 'held', tx_outcome: null });
  return await tenant.row(attempt.operation_id);
}

describe('an approval of an effect', () => {
  it('commits exactly the delta that was shown, without a run, under a new decision', async () => {
    const held = await previewed({ 'a.txt': 'shown', 'new.txt': 'n' });
    const { binding } = await show(held);
    const done = await decide(held, 'approve', { effect_digest: String(binding.effect_digest) });
    expect(done).toMatchObject({
      state: 'committed',
      attempt: 0,
      result: { tx_outcome: 'committed', status: 'ok', result: { path: 'a.txt' } },
    });
    expect(await textsAt(kernel, tenant, ['a.txt', 'new.txt', 'b.txt'])).toEqual({
      'a.txt': 'shown',
      'new.txt': 'n',
      'b.txt': 'b',
    });
    const row = await tenant.row(held.operation_id);
    const [, , approval, decision] = (await tenant.records()).filter(
      ({ operation_id }) => operation_id === held.operation_id,
    );
    expect(approval).toMatchObject({
      kind: 'approval',
      effect_digest: binding.effect_digest,
      change: { verb: 'approve' },
    });
    expect(decision).toMatchObject({
      phase: 'decision',
      verdict: 'admitted',
      approval_refs: [held.approval_id],
      record_id: row.decision_record_id,
    });
    expect(await outcomesOf(held)).toMatchObject([
      {
        tx_outcome: 'committed',
        effect_digest: binding.effect_digest,
        decision_record_id: row.decision_record_id,
        budget_delta: { calls: 1 },
        new_snapshot_id: row.new_snapshot_id,
      },
    ]);
    expect(await tenant.budgetOf(token)).toMatchObject({
      calls: { used: 1, reserved: 0 },
      cpu_ms: { used: 3, reserved: 0 },
    });
    expect(
      (await kernel.admin.query('SELECT staged FROM kernel.payload WHERE operation_id = $1', [held.operation_id])).rows,
    ).toEqual([{ staged: null }]);
  });

  it('commits nothing where the action was approved just as its preview ended: nobody saw the effect', async () => {
    const held = await kernel.admit.run(tenant.writeCall(token), null);
    const find = HeldCalls.prototype.find;
    vi.spyOn(HeldCalls.prototype, 'find').mockImplementationOnce(async function (this: HeldCalls, ...of) {
      const seen = await find.apply(this, of);
      await preview(held, { 'a.txt': 'shown' });
      return seen;
    });
    await expect(decide(held)).rejects.toMatchObject({ code: 'approval.effect_unseen' });
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'hello' });
    expect(await decide(held)).toMatchObject({ state: 'committed', attempt: 0, result: { tx_outcome: 'committed' } });
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'shown' });
    expect(await outcomesOf(held)).toHaveLength(1);
  });

  it('is used once: eight concurrent approvals commit once', async () => {
    const held = await previewed();
    const views = await Promise.all(Array.from({ length: 8 }, () => decide(held)));
    expect(new Set(views.map(({ outcome_record_id }) => outcome_record_id)).size).toBe(1);
    expect(await outcomesOf(held)).toHaveLength(1);
    await expect(decide(held, 'deny')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('is not given by the proposer of the call', async () => {
    await expect(
      decide(await previewed(), 'approve', {}, as('admin', { api_key_id: tenant.keyId })),
    ).rejects.toMatchObject({ code: 'approval.own_call' });
  });

  it('is refused for another effect than the staged one', async () => {
    const held = await previewed();
    await expect(decide(held, 'approve', { effect_digest: '0'.repeat(64) })).rejects.toMatchObject({
      code: 'approval.effect_unseen',
    });
    expect((await tenant.row(held.operation_id)).state).toBe('held');
  });

  it('commits on a head that changed in other files, and keeps that change', async () => {
    const held = await previewed();
    await others({ 'b.txt': 'other' });
    expect(await decide(held)).toMatchObject({ state: 'committed' });
    expect(await textsAt(kernel, tenant, ['a.txt', 'b.txt'])).toEqual({ 'a.txt': 'shown', 'b.txt': 'other' });
  });

  it('causes one more preview for a stale effect, and the second effect is approved by its digest', async () => {
    const held = await previewed();
    const first = String((await show(held)).binding.effect_digest);
    await others({ 'a.txt': 'other' });
    await expect(decide(held)).rejects.toMatchObject({ code: 'approval.previewed_anew' });
    expect(await show(held)).toMatchObject({ state: 'pending', of: 'action', preview: { state: 'waiting', round: 2 } });
    await expect(decide(held, 'approve', { effect_digest: first })).rejects.toMatchObject({
      code: 'approval.effect_unseen',
    });
    await preview(held, { 'a.txt': 'shown again' });
    const second = String((await show(held)).binding.effect_digest);
    await expect(decide(held, 'approve', { effect_digest: null })).rejects.toMatchObject({
      code: 'approval.effect_unseen',
    });
    await expect(decide(held, 'approve', { effect_digest: first })).rejects.toMatchObject({
      code: 'approval.effect_unseen',
    });
    expect(await decide(held, 'approve', { effect_digest: second })).toMatchObject({ state: 'committed' });
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'shown again' });
  });

  it('causes no preview for a stale effect under a freeze', async () => {
    const held = await previewed();
    await others({ 'a.txt': 'other' });
    await kernel.admin.query('BEGIN');
    await kernel.admin.query('SELECT kernel.change_rules($1)', [tenant.tenantId]);
    const deciding = decide(held);
    deciding.catch(() => undefined);
    await kernel.untilBlocked();
    await tenant.query(
      `INSERT INTO kernel.freeze (freeze_id, tenant_id, scope, subject, reason, placed_by) VALUES ($1, $2, 'tenant', $2, 'stop', 'spec')`,
      [newId('freeze'), tenant.tenantId],
    );
    await kernel.admin.query('COMMIT');
    await expect(deciding).rejects.toMatchObject({ code: 'frozen' });
    expect(await show(held)).toMatchObject({ state: 'pending', of: 'effect', preview: { state: 'ready', round: 1 } });
  });

  it('refuses the call where its effect went stale twice', async () => {
    const held = await previewed();
    await others({ 'a.txt': 'other' });
    await expect(decide(held)).rejects.toMatchObject({ code: 'approval.previewed_anew' });
    await preview(held, { 'a.txt': 'shown again' });
    await others({ 'a.txt': 'and another' });
    const seen = { effect_digest: String((await show(held)).binding.effect_digest) };
    expect(await decide(held, 'approve', seen)).toMatchObject({
      state: 'refused',
      result: { error: { code: 'approval.stale' }, tx_outcome: 'rolled_back' },
    });
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'and another' });
  });

  it.each<[string, string, () => Promise<unknown>]>([
    [
      'a token that was revoked meanwhile',
      'token.revoked',
      () => tenant.query('UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1', [token]),
    ],
    [
      'a budget of calls that was used up meanwhile',
      'budget.exhausted',
      () =>
        tenant.query(`UPDATE kernel.budget SET used = bound WHERE capability_token_id = $1 AND dimension = 'calls'`, [
          token,
        ]),
    ],
    [
      'a policy that now forbids it',
      'policy.denied',
      () => {
        kernel.policy.answer = requires('no_go');
        return Promise.resolve();
      },
    ],
    [
      'a policy that is another',
      'approval.stale',
      () => {
        kernel.policy.hash = '2'.repeat(64);
        return Promise.resolve();
      },
    ],
  ])('does not help against %s', async (_what, code, move) => {
    const held = await previewed();
    await move();
    expect(await decide(held)).toMatchObject({
      state: 'refused',
      result: { error: { code }, tx_outcome: 'rolled_back' },
    });
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'hello' });
  });

  it('does not override a precondition that no longer holds', async () => {
    const version = (await kernel.blobs.put(tenant.tenantId, Buffer.from('b'))).sha256;
    const held = await previewed(
      { 'a.txt': 'shown' },
      { precondition_refs: [{ kind: 'path', ref: 'b.txt', version }] },
    );
    await others({ 'b.txt': 'other' });
    expect(await decide(held)).toMatchObject({ state: 'refused', result: { error: { code: 'precondition.failed' } } });
  });

  it('ends the call as no_op where the effect changes nothing', async () => {
    expect(await decide(await previewed({}))).toMatchObject({ state: 'no_op', result: { tx_outcome: 'no_op' } });
  });

  it('that is denied refuses the call, which costs only what its preview used', async () => {
    const held = await previewed();
    expect(await decide(held, 'deny')).toMatchObject({
      state: 'refused',
      result: { error: { code: 'approval.denied' }, tx_outcome: 'rolled_back' },
    });
    expect(await tenant.budgetOf(token)).toMatchObject({
      calls: { used: 0, reserved: 0 },
      cpu_ms: { used: 3, reserved: 0 },
    });
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'hello' });
  });
});

describe('a call that ran, and whose effect needs an approval', () => {
  it('is held with its delta staged and its usage settled, by a new decision', async () => {
    const row = await ranAndHeld();
    expect(row).toMatchObject({
      state: 'held',
      attempt: 1,
      tx_outcome: null,
      outcome_record_id: null,
      reserved: {},
      budget_delta: { calls: 1, cpu_ms: 3 },
    });
    expect(await textsAt(kernel, tenant, ['b.txt'])).toEqual({ 'b.txt': 'b' });
    expect((await tenant.records()).at(-1)).toMatchObject({
      phase: 'decision',
      verdict: 'held',
      record_id: row.decision_record_id,
      approval_refs: [row.approval_id],
      autonomy_mode: 'soft_gate',
    });
    expect(await show(row)).toMatchObject({
      of: 'effect',
      state: 'pending',
      reasons: [{ code: 'rule.test' }],
      preview: { state: 'ready', changes_total: 1 },
    });
  });

  it('commits that delta when a person approves it, without further cost', async () => {
    const row = await ranAndHeld();
    expect(await decide(row)).toMatchObject({ state: 'committed', autonomy_mode: 'soft_gate', attempt: 1 });
    expect(await textsAt(kernel, tenant, ['b.txt'])).toEqual({ 'b.txt': 'hook' });
    expect(await outcomesOf(row)).toMatchObject([
      { tx_outcome: 'committed', attempt: 1, budget_delta: { calls: 1, cpu_ms: 3 } },
    ]);
    expect(await tenant.budgetOf(token)).toMatchObject({ calls: { used: 1, reserved: 0 }, cpu_ms: { used: 3 } });
  });

  it.each(['denied', 'expired', 'cancelled'] as const)(
    'is rolled back when it is %s, and costs what it used',
    async (how) => {
      const row = await ranAndHeld();
      if (how === 'denied') await decide(row, 'deny');
      if (how === 'cancelled') await kernel.cancel.run({ v: 1, caller: as('admin'), operation_id: row.operation_id });
      if (how === 'expired') {
        await tenant.query('UPDATE kernel.approval SET expires_at = 1 WHERE approval_id = $1', [row.approval_id]);
        await kernel.expire.run();
      }
      expect(await tenant.row(row.operation_id)).toMatchObject({
        state: 'rolled_back',
        tx_outcome: 'rolled_back',
        fault_code: how === 'cancelled' ? 'cancelled' : `approval.${how}`,
      });
      expect(await outcomesOf(row)).toMatchObject([
        { tx_outcome: 'rolled_back', verdict: null, attempt: 1, budget_delta: { calls: 1, cpu_ms: 3 } },
      ]);
      expect(await textsAt(kernel, tenant, ['b.txt'])).toEqual({ 'b.txt': 'b' });
      expect(await tenant.budgetOf(token)).toMatchObject({ calls: { used: 1, reserved: 0 } });
    },
  );

  it('can go stale like a preview, and is previewed once more on the current head', async () => {
    const row = await ranAndHeld();
    await others({ 'b.txt': 'other' });
    kernel.policy.answer = requires('soft_gate');
    await expect(decide(row)).rejects.toMatchObject({ code: 'approval.previewed_anew' });
    await preview(await kernel.views.of(await tenant.row(row.operation_id)), { 'b.txt': 'hook again' });
    const { binding } = await show(row);
    expect(await decide(row, 'approve', { effect_digest: String(binding.effect_digest) })).toMatchObject({
      state: 'committed',
    });
    expect(await textsAt(kernel, tenant, ['b.txt'])).toEqual({ 'b.txt': 'hook again' });
  });
});
