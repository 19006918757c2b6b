// SPDX-License-Identifier: Apache-2.0
import type { ApprovalView, Caller, Envelope, OperationView as View, ReportRequest } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requires } from '../../specs/test-ports.ts';
import {
  deltaFor,
  LEASE_MS,
  newNonce,
  openExecution,
  payloadOf,
  reportOf,
  textsAt,
  type Attempt,
  type TestExecution,
} from '../../specs/test-executor.ts';
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
  await tenant.write({ 'a.txt': 'hello', 'b.txt': 'b' });
  token = await tenant.token({ budgets: { calls: 1, cpu_ms: 1_000 } });
  kernel.policy.answer = requires('soft_gate');
});

const operator = (): Caller => ({
  tenant_id: tenant.tenantId,
  api_key_id: newId('apiKey'),
  role: 'operator',
  agent_id: null,
});
const hold = async (more = {}): Promise<View> =>
  await kernel.admit.run(tenant.writeCall(token, { args: { path: 'a.txt', content: 'shown' }, ...more }), null);
const show = async ({ approval_id }: View, caller = operator()): Promise<ApprovalView> =>
  await kernel.approvals.read({ v: 1, caller, approval_id: approval_id ?? '' });
const decide = async (
  { approval_id }: View,
  decision: 'approve' | 'deny',
  more: { effect_digest?: string } = {},
): Promise<View> =>
  await kernel.decide.run({
    v: 1,
    caller: operator(),
    approval_id: approval_id ?? '',
    decision,
    comment: null,
    ...more,
  });

/** Dispatches the waiting previews and redeems that of the held call. */
async function begin(held: View): Promise<Attempt> {
  run.speak(100);
  await run.previewDispatcher.run();
  const permit = await permitFor(run, held, (await previewOf(held))?.attempt ?? 0);
  const speaker = { executor_id: newId('executor'), nonce: newNonce() };
  const { operation_id, attempt, state_snapshot_id } = await run.redeem.run({ v: 1, permit, ...speaker });
  return { tenant, operation_id, attempt, snapshot: state_snapshot_id, ...speaker };
}
const report = async (attempt: Attempt, files: Record<string, string | null>, more: Partial<ReportRequest> = {}) =>
  await run.previewReports.run({ ...reportOf(attempt, await deltaFor(kernel, attempt, files), more), mode: 'preview' });
/** Holds a call and previews it as writing these files. */
async function previewed(files: Record<string, string | null> = { 'a.txt': 'shown' }, more = {}): Promise<View> {
  const held = await hold(more);
  await report(await begin(held), files);
  return held;
}
const pause = () =>
  new Promise((resolve) => {
    setTimeout(resolve, 2);
  });
/** The permit of that attempt, once it was published. */
async function permitFor({ permits, permitOf }: TestExecution, held: View, attempt: number): Promise<Envelope> {
  await permitOf(held.operation_id);
  for (;;) {
    const found = permits.inline.find(
      (envelope) => payloadOf(envelope).operation_id === held.operation_id && payloadOf(envelope).attempt === attempt,
    );
    if (found !== undefined) return found;
    await pause();
  }
}
const previewOf = async ({ operation_id }: View) =>
  (
    await kernel.admin.query<{ state: string; attempt: number; leases_lost: number; round: number }>(
      'SELECT * FROM kernel.preview WHERE operation_id = $1',
      [operation_id],
    )
  ).rows[0];

describe('a preview', () => {
  it('leaves the call held, shows its effect, and makes the approval one of the effect', async () => {
    const held = await previewed({ 'a.txt': 'shown', 'new.txt': 'n' });
    expect(await tenant.row(held.operation_id)).toMatchObject({ state: 'held', attempt: 0 });
    expect(await textsAt(kernel, tenant, ['a.txt', 'new.txt'])).toEqual({ 'a.txt': 'hello', 'new.txt': null });
    const view = await show(held);
    expect(view).toMatchObject({
      of: 'effect',
      preview: { state: 'ready', round: 1, changes_total: 2, would_ask_for: [], base_snapshot_id: tenant.head },
    });
    expect(view.preview.changes?.map(({ path }) => path)).toEqual(['a.txt', 'new.txt']);
    expect(view.preview.output).toMatchObject({ path: 'a.txt' });
    expect(view.binding).toEqual({
      action_digest: view.action_digest,
      effect_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      policy_hash: kernel.policy.hash,
      expires_at: view.expires_at,
    });
    expect(
      (await kernel.approvals.effect({ v: 1, caller: operator(), approval_id: held.approval_id ?? '' })).delta?.changes,
    ).toHaveLength(2);
  });

  it("costs what it used and is recorded; the call itself isn't counted", async () => {
    const held = await hold();
    expect(await tenant.budgetOf(token)).toMatchObject({ calls: { reserved: 0 }, cpu_ms: { reserved: 1_000 } });
    await report(await begin(held), { 'a.txt': 'shown' });
    expect(await tenant.budgetOf(token)).toMatchObject({
      calls: { used: 0, reserved: 0 },
      cpu_ms: { used: 3, reserved: 0 },
    });
    expect((await tenant.records()).at(-1)).toMatchObject({
      kind: 'change',
      change: { verb: 'previewed' },
      budget_delta: { cpu_ms: 3 },
      approval_refs: [held.approval_id],
    });
  });

  it('shows auditors its state and nothing of its findings', async () => {
    const held = await previewed();
    const auditor: Caller = { ...operator(), role: 'auditor' };
    expect((await show(held, auditor)).preview).toMatchObject({ state: 'ready', changes: null, output: null });
    await expect(
      kernel.approvals.effect({ v: 1, caller: auditor, approval_id: held.approval_id ?? '' }),
    ).rejects.toMatchObject({ code: 'auth.role' });
  });

  it.each<[string, Record<string, string>, Partial<ReportRequest>, object]>([
    [
      'that fails',
      {},
      { ended: 'failed', error: { code: 'file.kind', message: 'it is a directory', hint: null }, result: null },
      { why: 'it is a directory' },
    ],
    [
      "that requested something that a preview doesn't get",
      { 'a.txt': 'x' },
      { asked_for: [{ kind: 'egress', what: 'example.test' }] },
      { why: expect.stringContaining('`example.test`') },
    ],
  ])('%s leaves the approval one of the action, and says why', async (_what, files, more, shown) => {
    const held = await hold();
    await report(await begin(held), files, more);
    expect(await show(held)).toMatchObject({
      of: 'action',
      binding: { effect_digest: null },
      preview: { state: 'failed', ...shown },
    });
    expect(await decide(held, 'approve')).toMatchObject({ state: 'admitted' });
  });

  it("with an effect outside of the token's scope leaves no effect to approve", async () => {
    token = await tenant.token({ fs: [{ path: 'a.txt', read: true, write: true }] });
    expect(await show(await previewed({ 'b.txt': 'beyond' }))).toMatchObject({
      of: 'action',
      preview: { state: 'failed', why: expect.stringContaining('`b.txt`') },
    });
  });

  it('whose effect requires more supervision needs that person', async () => {
    const held = await hold();
    const attempt = await begin(held);
    kernel.policy.answer = requires('escalated');
    await report(attempt, { 'a.txt': 'x' });
    expect(await show(held)).toMatchObject({ of: 'effect', autonomy_mode: 'escalated' });
    await expect(decide(held, 'approve')).rejects.toMatchObject({ code: 'auth.role' });
  });

  it("doesn't exist for a call that reads, nor without a budget for it", async () => {
    expect((await show(await kernel.admit.run(tenant.call(token), null))).preview.state).toBe('none');
    token = await tenant.token({ budgets: { cpu_ms: 0 } });
    expect(await show(await hold())).toMatchObject({
      of: 'action',
      preview: { state: 'none', why: expect.stringContaining('budget') },
    });
  });
});

describe('an attempt of a preview', () => {
  it('is redeemed once, and never as a run', async () => {
    const held = await hold();
    const attempt = await begin(held);
    const permit = await run.permitOf(held.operation_id);
    await expect(
      run.redeem.run({ v: 1, permit, executor_id: newId('executor'), nonce: newNonce() }),
    ).rejects.toMatchObject({ code: 'permit.spent' });
    const { executor_id, nonce } = attempt;
    expect(await run.redeem.run({ v: 1, permit, executor_id, nonce })).toMatchObject({ attempt: 1, secrets: {} });
    await expect(
      run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'x' }))),
    ).rejects.toMatchObject({ code: 'attempt.fenced' });
    await expect(
      run.renew.run({
        v: 1,
        tenant_id: tenant.tenantId,
        operation_id: held.operation_id,
        attempt: 1,
        executor_id,
        nonce,
      }),
    ).rejects.toMatchObject({ code: 'attempt.fenced' });
    expect(
      (
        await run.renew.run({
          v: 1,
          tenant_id: tenant.tenantId,
          operation_id: held.operation_id,
          attempt: 1,
          mode: 'preview',
          executor_id,
          nonce,
        })
      ).stop,
    ).toBe(false);
    expect(
      (
        await run.renew.effectStarted({
          v: 1,
          tenant_id: tenant.tenantId,
          operation_id: held.operation_id,
          attempt: 1,
          mode: 'preview',
          executor_id,
          nonce,
        })
      ).stop,
    ).toBe(true);
    expect((await tenant.row(held.operation_id)).effect_started).toBe(false);
  });

  it('is fenced once the call has been decided, and its reservation is released', async () => {
    const held = await hold();
    const attempt = await begin(held);
    await decide(held, 'deny');
    expect(await tenant.budgetOf(token)).toMatchObject({ cpu_ms: { reserved: 0 } });
    await expect(report(attempt, { 'a.txt': 'x' })).rejects.toMatchObject({ code: 'attempt.fenced' });
    expect((await previewOf(held))?.state).toBe('abandoned');
  });

  it('that is lost is retried by others, three times in all, and then costs its reservation', async () => {
    const held = await hold();
    const lose = async (): Promise<void> => {
      await begin(held);
      await tenant.query('UPDATE kernel.preview SET lease_until = lease_until - $2 WHERE operation_id = $1', [
        held.operation_id,
        LEASE_MS + 1,
      ]);
    };
    for (const lost of [1, 2]) {
      await lose();
      expect(await run.previewSweeper.sweep()).toEqual({ again: 1, ended: 0 });
      expect(await previewOf(held)).toMatchObject({ state: 'waiting', leases_lost: lost });
    }
    await lose();
    expect(await run.previewSweeper.sweep()).toEqual({ again: 0, ended: 1 });
    expect(await show(held)).toMatchObject({ state: 'pending', of: 'action', preview: { state: 'failed' } });
    expect(await tenant.budgetOf(token)).toMatchObject({ cpu_ms: { reserved: 0, used: 1_000 } });
  });

  it('waits while runs fill the executors', async () => {
    const held = await hold();
    const other = await tenant.token();
    kernel.policy.answer = (action) =>
      ({
        ...requires('soft_gate')(),
        autonomy_mode: action.args['content'] === 'run' ? 'autopilot' : 'soft_gate',
      }) as ReturnType<ReturnType<typeof requires>>;
    const calls = await Promise.all(
      [1, 2].map(() => kernel.admit.run(tenant.writeCall(other, { args: { path: 'b.txt', content: 'run' } }), null)),
    );
    expect(calls.map(({ state }) => state)).toEqual(['admitted', 'admitted']);
    const narrow = openExecution(kernel);
    narrow.speak(1);
    narrow.dispatcher.wake('inline');
    while (narrow.permits.inline.length < 2) await pause();
    expect(await narrow.previewDispatcher.run()).toBe(0);
    expect((await previewOf(held))?.state).toBe('waiting');
    await narrow.close();
  });
});
