// SPDX-License-Identifier: Apache-2.0
import type { Caller, OperationView as View } from '@writ/contract';
import { newId } from '@writ/nest-kit';
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
  await tenant.write({ 'a.txt': 'hello', 'b.txt': 'b' });
  token = await tenant.token();
  kernel.policy.answer = requires('soft_gate', 2);
});

interface Held {
  readonly approval_id: string | null;
}
const as = (role: Caller['role'] = 'operator'): Caller => ({
  tenant_id: tenant.tenantId,
  api_key_id: newId('apiKey'),
  role,
  agent_id: null,
});
const show = async ({ approval_id }: Held) =>
  await kernel.approvals.read({ v: 1, caller: as(), approval_id: approval_id ?? '' });
const approve = async (held: Held, caller = as()): Promise<View> =>
  await kernel.decide.run({
    v: 1,
    caller,
    approval_id: held.approval_id ?? '',
    decision: 'approve',
    comment: null,
    effect_digest: (await show(held)).binding.effect_digest,
  });
const hold = (more = {}): Promise<View> => kernel.admit.run(tenant.writeCall(token, more), null);

/** Another call changes a file and commits. */
async function others(files: Record<string, string | null>): Promise<void> {
  const before = kernel.policy.answer;
  kernel.policy.answer = () => AUTOPILOT;
  const { attempt } = await run.perform(tenant, tenant.writeCall(token));
  await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, files)));
  kernel.policy.answer = before;
}

describe('a quorum for an effect', () => {
  it('commits in the transaction of the last vote, exactly what all voters saw', async () => {
    const held = await hold();
    await run.preview(tenant, held, { 'a.txt': 'shown' });
    expect(await approve(held)).toMatchObject({ state: 'held', votes: { given: 1, needed: 2 } });
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'hello' });
    expect(await approve(held)).toMatchObject({ state: 'committed' });
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'shown' });
    const { effect_digest } = (await show(held)).binding;
    expect((await show(held)).voted).toMatchObject([
      { effect_digest, stands: true },
      { effect_digest, stands: true },
    ]);
  });

  it("doesn't count an approval of the action before its effect was shown", async () => {
    const held = await hold();
    const early = as();
    await approve(held, early);
    await run.preview(tenant, held, { 'a.txt': 'shown' });
    expect(await show(held)).toMatchObject({
      of: 'effect',
      votes: { given: 0, needed: 2 },
      voted: [{ effect_digest: null, stands: false }],
    });
    expect(await approve(held, early)).toMatchObject({ state: 'held', votes: { given: 1 } });
    expect(await approve(held)).toMatchObject({ state: 'committed' });
  });

  it('is void for a stale effect: all vote again on the new effect', async () => {
    const held = await hold();
    await run.preview(tenant, held, { 'a.txt': 'shown' });
    const [first, second] = [as(), as()];
    await approve(held, first);
    await others({ 'a.txt': 'other' });
    await expect(approve(held, second)).rejects.toMatchObject({ code: 'approval.previewed_anew' });
    expect((await show(held)).votes).toMatchObject({ given: 0, needed: 2 });
    await run.preview(tenant, held, { 'a.txt': 'shown' });
    expect((await show(held)).votes).toMatchObject({ given: 0, needed: 2 });
    expect(await approve(held, second)).toMatchObject({ state: 'held', votes: { given: 1 } });
    expect(await approve(held, first)).toMatchObject({ state: 'committed' });
  });

  it("is the policy's quorum for the effect, where that is larger than for the action", async () => {
    kernel.policy.answer = requires('soft_gate', 1);
    const held = await hold();
    kernel.policy.answer = (action) =>
      requires('soft_gate', action.resources.some(({ path }) => path === 'b.txt') ? 3 : 1)();
    await run.preview(tenant, held, { 'b.txt': 'more' });
    const shown = await show(held);
    // The reason that held the call also holds its effect, and it is listed once.
    expect([shown.votes, shown.reasons.length]).toEqual([{ given: 0, needed: 3, role: 'operator' }, 1]);
    await approve(held);
    await approve(held);
    expect(await approve(held)).toMatchObject({ state: 'committed' });
  });

  it('is required again after one person approved the action, where the effect needs two', async () => {
    kernel.policy.answer = (action) =>
      requires('soft_gate', action.resources.some(({ path }) => path === 'b.txt') ? 2 : 1)();
    const call = tenant.writeCall(token);
    const held = await kernel.admit.run(call, null);
    await approve(held);
    const { attempt } = await run.performAdmitted(tenant, held.operation_id);
    expect(await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'b.txt': 'hook' })))).toMatchObject(
      { state: 'held' },
    );
    const again = await tenant.row(held.operation_id);
    expect((await show(again)).votes).toEqual({ given: 0, needed: 2, role: 'operator' });
    await approve(again);
    expect(await approve(again)).toMatchObject({ state: 'committed' });
    expect(await textsAt(kernel, tenant, ['b.txt'])).toEqual({ 'b.txt': 'hook' });
  });
});

describe('under a freeze', () => {
  it('nothing is previewed, and no vote commits an effect that was previewed before', async () => {
    kernel.policy.answer = requires('soft_gate', 1);
    const shown = await hold();
    await run.preview(tenant, shown, { 'a.txt': 'shown' });
    const waiting = await hold();
    await tenant.query(
      `INSERT INTO kernel.freeze (freeze_id, tenant_id, scope, subject, reason, placed_by) VALUES ($1, $2, 'tenant', $2, 'x', 'x')`,
      [newId('freeze'), tenant.tenantId],
    );
    await expect(approve(shown)).rejects.toMatchObject({ code: 'frozen' });
    run.speak(100);
    await run.previewDispatcher.run();
    const { rows } = await kernel.admin.query<{ state: string }>(
      'SELECT state FROM kernel.preview WHERE operation_id = $1',
      [waiting.operation_id],
    );
    expect(rows).toEqual([{ state: 'waiting' }]);
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'hello' });
    await tenant.query('UPDATE kernel.freeze SET lifted_at = 1 WHERE tenant_id = $1', [tenant.tenantId]);
    expect(await approve(shown)).toMatchObject({ state: 'committed' });
  });
});
