// SPDX-License-Identifier: Apache-2.0
//
// A call whose files another call changed while it ran.
import { UNBALANCED_BUDGETS } from '@writ/testing';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import {
  deltaFor,
  newNonce,
  payloadOf,
  reportOf,
  textsAt,
  type Attempt,
  type TestExecution,
} from '../../specs/test-executor.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import { hashOf, type TestTenant } from '../../specs/test-tenant.ts';

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
  token = await tenant.token({ budgets: { calls: 50, cpu_ms: 1_000_000 } });
  kernel.policy.answer = () => AUTOPILOT;
});

const perform = async (more = {}): Promise<Attempt> =>
  (await run.perform(tenant, tenant.writeCall(token, more))).attempt;
/** Another caller's call, from its beginning to its end. */
const meanwhile = async (files: Record<string, string | null>): Promise<void> => {
  const attempt = await perform();
  await run.newCommit().run(reportOf(attempt, await deltaFor(kernel, attempt, files)));
};
/** The next attempt of a call that went back to the queue, by another executor. */
const next = async (before: Attempt): Promise<Attempt> => {
  run.dispatch('inline');
  for (;;) {
    const permit = await run.permitOf(before.operation_id);
    if (payloadOf(permit).attempt > before.attempt) {
      const speaker = { executor_id: before.executor_id, nonce: newNonce() };
      const { attempt, state_snapshot_id } = await run.redeem.run({ v: 1, permit, ...speaker });
      return { ...before, ...speaker, attempt, snapshot: state_snapshot_id };
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
  }
};
const recordsOf = async (operationId: string) =>
  (await tenant.records()).filter((record) => record.operation_id === operationId);
const writes = async (attempt: Attempt, text: string) =>
  reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': text }));

describe('an inline call whose files another call changed', () => {
  it('runs again on the newest head: same operation, another attempt, a new decision on the newer snapshot, no more reserved', async () => {
    const first = await perform();
    await meanwhile({ 'a.txt': 'theirs' });
    expect(await run.commit.run(await writes(first, 'ours'))).toEqual({ v: 1, state: 'admitted', tx_outcome: null });
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'theirs' });
    expect(await tenant.row(first.operation_id)).toMatchObject({
      state: 'admitted',
      reruns: 1,
      executor_id: null,
      nonce: null,
      spent: { calls: 1, cpu_ms: 3 },
    });
    expect((await tenant.budgetOf(token))['calls']).toMatchObject({ reserved: 1, used: 1 });
    const second = await next(first);
    expect(second.attempt).toBe(2);
    expect(second.snapshot).not.toBe(first.snapshot);
    expect(await run.commit.run(await writes(second, 'ours'))).toMatchObject({ state: 'committed' });
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'ours' });
    const [decided, anew, outcome, ...more] = await recordsOf(first.operation_id);
    expect(more).toEqual([]);
    expect(decided).toMatchObject({ phase: 'decision', state_snapshot_id: first.snapshot });
    expect(anew).toMatchObject({
      phase: 'decision',
      verdict: 'admitted',
      rule_ids: ['workspace.rerun', 'permit-all'],
      state_snapshot_id: second.snapshot,
      budget_delta: null,
    });
    expect(outcome).toMatchObject({
      phase: 'outcome',
      decision_record_id: anew?.record_id,
      attempt: 2,
      state_snapshot_id: second.snapshot,
      budget_delta: { calls: 1, cpu_ms: 6 },
    });
    expect((await tenant.budgetOf(token))['cpu_ms']).toMatchObject({ reserved: 0, used: 9 });
  });

  it('runs again twice at most: then it ends with the conflict', async () => {
    let attempt = await perform();
    for (const text of ['one', 'two']) {
      await meanwhile({ 'a.txt': text });
      expect(await run.commit.run(await writes(attempt, 'ours'))).toMatchObject({ state: 'admitted' });
      attempt = await next(attempt);
    }
    await meanwhile({ 'a.txt': 'three' });
    expect(await run.commit.run(await writes(attempt, 'ours'))).toMatchObject({ state: 'rolled_back' });
    const row = await tenant.row(attempt.operation_id);
    expect(row).toMatchObject({
      fault_code: 'workspace.conflict',
      attempt: 3,
      reruns: 2,
      reserved: {},
      budget_delta: { calls: 1, cpu_ms: 9 },
    });
    expect(row.fault_hint).toContain('propose the call anew');
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'three' });
    expect((await recordsOf(attempt.operation_id)).filter(({ phase }) => phase === 'outcome')).toHaveLength(1);
  });

  it('is fenced from late reports of its first attempt, also on the replica that has that attempt cached', async () => {
    const first = await perform();
    const late = await writes(first, 'late');
    await meanwhile({ 'a.txt': 'theirs' });
    // Another replica receives the report: this one keeps the first attempt cached.
    await run.newCommit().run(late);
    await expect(run.newCommit().run(late)).rejects.toMatchObject({ code: 'attempt.fenced' });
    const second = await next(first);
    await expect(run.newCommit().run(late)).rejects.toMatchObject({ code: 'attempt.fenced' });
    expect(await run.newCommit().run(await writes(second, 'ours'))).toMatchObject({ state: 'committed' });
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'ours' });
  });

  it('whose report goes to a replica with an earlier attempt cached commits by the later one', async () => {
    const [one, other] = [run.newMemory(), run.newMemory()];
    const first = await perform();
    await meanwhile({ 'a.txt': 'theirs' });
    one.remember(await run.factsOf(first));
    await run.newCommit(other).run(await writes(first, 'ours'));
    const second = await next(first);
    expect(await run.newCommit(one).run(await writes(second, 'ours'))).toMatchObject({ state: 'committed' });
  });

  it('waits like any other between its attempts: cancelled there, it ends once and costs what it has used', async () => {
    const first = await perform();
    await meanwhile({ 'a.txt': 'theirs' });
    await run.commit.run(await writes(first, 'ours'));
    await kernel.cancel.run({
      v: 1,
      caller: { tenant_id: tenant.tenantId, api_key_id: tenant.keyId, role: 'operator', agent_id: null },
      operation_id: first.operation_id,
    });
    expect(await tenant.row(first.operation_id)).toMatchObject({
      state: 'rolled_back',
      fault_code: 'cancelled',
      reserved: {},
      budget_delta: { calls: 1, cpu_ms: 3 },
    });
    expect((await recordsOf(first.operation_id)).filter(({ phase }) => phase === 'outcome')).toHaveLength(1);
  });
});

describe('these are not run again:', () => {
  it('a call that ran in a sandbox: it ends with its conflict', async () => {
    const attempt = await perform();
    await tenant.query(`UPDATE kernel.operation SET lane = 'sandboxed' WHERE operation_id = $1`, [
      attempt.operation_id,
    ]);
    await meanwhile({ 'a.txt': 'theirs' });
    expect(await run.newCommit().run(await writes(attempt, 'ours'))).toMatchObject({ state: 'rolled_back' });
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ fault_code: 'workspace.conflict', reruns: 0 });
  });

  it('a call that relied on what the other changed: its precondition failed', async () => {
    const attempt = await perform({ precondition_refs: [{ kind: 'path', ref: 'a.txt', version: hashOf('hello') }] });
    await meanwhile({ 'a.txt': 'theirs' });
    await run.commit.run(await writes(attempt, 'ours'));
    expect(await tenant.row(attempt.operation_id)).toMatchObject({
      state: 'rolled_back',
      fault_code: 'precondition.failed',
      reruns: 0,
    });
  });

  it('a call whose path resolves elsewhere by now: policy never judged that path', async () => {
    const attempt = await perform({ args: { path: 'd/a.txt', content: 'x' } });
    const report = reportOf(
      attempt,
      await deltaFor(kernel, attempt, { d: null, 'd/a.txt': 'x' }).then((delta) => ({
        ...delta,
        changes: [
          { path: 'd', before: null, after: { kind: 'dir' as const, mode: null, sha256: null, size: 0 } },
          ...delta.changes.slice(1),
        ],
      })),
    );
    await tenant.write({ d: '->src', 'src/a.txt': 'linked' });
    expect(await run.newCommit().run(report)).toMatchObject({ state: 'rolled_back' });
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ fault_code: 'workspace.conflict', reruns: 0 });
  });

  it.each([
    ['cancelled', 'cancelled', 'UPDATE kernel.operation SET cancel_requested = true WHERE operation_id = $1'],
    [
      'whose token was revoked',
      'token.revoked',
      'UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = (SELECT capability_token_id FROM kernel.operation WHERE operation_id = $1)',
    ],
  ])('a call %s just before', async (_what, code, sql) => {
    const attempt = await perform();
    await meanwhile({ 'a.txt': 'theirs' });
    const report = await writes(attempt, 'ours');
    // The commit decides on facts that it cached before.
    const memory = run.newMemory();
    memory.remember(await run.factsOf(attempt));
    await tenant.query(sql, [attempt.operation_id]);
    expect(await run.newCommit(memory).run(report)).toMatchObject({ state: 'rolled_back' });
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ fault_code: code, reruns: 0, reserved: {} });
  });
});

it('16 editors of one file: each edit lands or ends with a code, in one line of heads, and nothing is lost', async () => {
  const edit = async (index: number): Promise<{ index: number; state: string; operation_id: string }> => {
    let attempt = await perform();
    for (;;) {
      const [before = null] = Object.values(await run.textsOf(attempt, ['a.txt']));
      const reply = await run
        .newCommit()
        .run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': `${before ?? ''}\n${String(index)}` })));
      if (reply.state !== 'admitted') return { index, state: reply.state, operation_id: attempt.operation_id };
      attempt = await next(attempt);
    }
  };
  const ends = await Promise.all(Array.from({ length: 16 }, (_, index) => edit(index)));
  const landed = ends.filter(({ state }) => state === 'committed').map(({ index }) => String(index));
  const text = (await textsAt(kernel, tenant, ['a.txt']))['a.txt'] ?? '';
  expect(text.split('\n').slice(1).sort()).toEqual(landed.sort());
  // In each of three rounds one of them is first.
  expect(landed.length).toBeGreaterThanOrEqual(3);
  for (const { operation_id, state } of ends) {
    const row = await tenant.row(operation_id);
    expect(row).toMatchObject(
      state === 'committed'
        ? { fault_code: null }
        : { state: 'rolled_back', fault_code: 'workspace.conflict', reruns: 2 },
    );
    expect((await recordsOf(operation_id)).filter(({ phase }) => phase === 'outcome')).toHaveLength(1);
  }
  const { rows } = await kernel.admin.query<{ seq: number }>(
    'SELECT seq FROM kernel.snapshot WHERE workspace_id = $1 AND operation_id IS NOT NULL',
    [tenant.workspaceId],
  );
  expect(rows).toHaveLength(landed.length);
  expect((await kernel.admin.query(UNBALANCED_BUDGETS)).rows).toEqual([]);
}, 120_000);
