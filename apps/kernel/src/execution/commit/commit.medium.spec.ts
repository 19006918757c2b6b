// SPDX-License-Identifier: Apache-2.0
import { sha256Hex } from '@writ/digest';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import {
  deltaFor,
  putSealed,
  reportOf,
  textsAt,
  WRITTEN,
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
  await tenant.write({ 'a.txt': 'hello', 'b.txt': 'b', 'src/c.txt': 'c' });
  token = await tenant.token({ budgets: { calls: 10, cpu_ms: 1_000_000 } });
  kernel.policy.answer = () => AUTOPILOT;
});

const perform = async (more = {}): Promise<Attempt> =>
  (await run.perform(tenant, tenant.writeCall(token, more))).attempt;
const outcomes = async () => (await tenant.records()).filter((record) => record.phase === 'outcome');

describe('a report of an effect that may commit', () => {
  it('commits: head, snapshot, result, budget and one record that names its decision', async () => {
    const attempt = await perform();
    const delta = await deltaFor(kernel, attempt, { 'a.txt': 'changed', 'new.txt': 'n' });
    expect(await run.commit.run(reportOf(attempt, delta))).toEqual({
      v: 1,
      state: 'committed',
      tx_outcome: 'committed',
    });
    const row = await tenant.row(attempt.operation_id);
    expect(row).toMatchObject({
      state: 'committed',
      tx_outcome: 'committed',
      fault_code: null,
      reserved: {},
      budget_delta: { calls: 1, cpu_ms: 3 },
    });
    expect(await textsAt(kernel, tenant, ['a.txt', 'b.txt', 'new.txt'])).toEqual({
      'a.txt': 'changed',
      'b.txt': 'b',
      'new.txt': 'n',
    });
    expect(await tenant.budgetOf(token)).toEqual({
      calls: { bound: 10, reserved: 0, used: 1 },
      cpu_ms: { bound: 1_000_000, reserved: 0, used: 3 },
    });
    expect(await outcomes()).toMatchObject([
      {
        tx_outcome: 'committed',
        commit_delta_id: row.commit_delta_id,
        new_snapshot_id: row.new_snapshot_id,
        effect_digest: row.effect_digest,
        decision_record_id: row.decision_record_id,
        decision_hash: row.decision_hash,
        record_id: row.outcome_record_id,
        attempt: 1,
        result_hash: row.result_hash,
        budget_delta: { calls: 1, cpu_ms: 3 },
      },
    ]);
    const { rows } = await kernel.admin.query(
      'SELECT seq, snapshot_id, parent_snapshot_id, delta_id FROM kernel.snapshot WHERE workspace_id = $1 AND operation_id IS NOT NULL',
      [tenant.workspaceId],
    );
    expect(rows).toEqual([
      { seq: 2, snapshot_id: row.new_snapshot_id, parent_snapshot_id: tenant.head, delta_id: row.commit_delta_id },
    ]);
    expect((await kernel.views.of(row)).result).toMatchObject({
      status: 'ok',
      result: WRITTEN,
      tx_outcome: 'committed',
    });
    expect(
      Buffer.from(await kernel.blobs.get(tenant.tenantId, String(row.commit_delta_id).slice(6))).toString(),
    ).toContain('"new.txt"');
  });

  it('repeated gets the stored outcome, with nothing done twice', async () => {
    const attempt = await perform();
    const report = reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'changed' }));
    const first = await run.commit.run(report);
    expect(await run.commit.run(report)).toEqual(first);
    expect(await run.newCommit().run(report)).toEqual(first);
    expect(await outcomes()).toHaveLength(1);
    expect((await tenant.budgetOf(token))['calls']).toMatchObject({ used: 1, reserved: 0 });
  });

  it('sent ten times at once to ten replicas commits once', async () => {
    const attempt = await perform();
    const report = reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'changed' }));
    const replies = await Promise.all(Array.from({ length: 10 }, () => run.newCommit().run(report)));
    expect(new Set(replies.map(({ state }) => state))).toEqual(new Set(['committed']));
    expect(await outcomes()).toHaveLength(1);
    expect(
      (
        await kernel.admin.query('SELECT 1 FROM kernel.snapshot WHERE workspace_id = $1 AND operation_id IS NOT NULL', [
          tenant.workspaceId,
        ])
      ).rowCount,
    ).toBe(1);
  });

  it('that changed nothing ends as no_op and leaves the head', async () => {
    const attempt = await perform();
    expect(await run.commit.run(reportOf(attempt, null))).toMatchObject({ state: 'no_op', tx_outcome: 'no_op' });
    expect(await outcomes()).toMatchObject([{ tx_outcome: 'no_op', commit_delta_id: null, new_snapshot_id: null }]);
  });

  it('keeps a long result by reference', async () => {
    const attempt = await perform();
    const bytes = Buffer.from(JSON.stringify({ created: false, path: 'a.txt', sha256: '0'.repeat(64), size: 1 }));
    const ref = await putSealed(kernel, attempt, 'result', bytes);
    const delta = await deltaFor(kernel, attempt, { 'a.txt': 'long' });
    await run.commit.run({ ...reportOf(attempt, delta), result: null, result_ref: ref, result_hash: sha256Hex(bytes) });
    expect(await tenant.row(attempt.operation_id)).toMatchObject({
      state: 'committed',
      result_ref: { ...ref, sealed: { attempt: 1, mode: 'run' } },
      result_hash: sha256Hex(bytes),
    });
  });

  it('accepts a long delta by reference', async () => {
    const attempt = await perform();
    const delta = await deltaFor(kernel, attempt, { 'a.txt': 'by reference' });
    const delta_ref = await kernel.blobs.put(tenant.tenantId, Buffer.from(JSON.stringify(delta)));
    expect(await run.commit.run(reportOf(attempt, null, { delta_ref }))).toMatchObject({ state: 'committed' });
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'by reference' });
  });
});

describe('many commits on one workspace', () => {
  it('32 at once on disjoint paths all commit, over two replicas, and the tree has all', async () => {
    const wide = await tenant.token();
    const attempts = await Promise.all(
      Array.from({ length: 32 }, (_, index) =>
        run.perform(tenant, tenant.writeCall(wide, { args: { path: `n${index}.txt`, content: 'x' } })),
      ),
    );
    const replicas = [run.newCommit(), run.newCommit()];
    const replies = await Promise.all(
      attempts.map(async ({ attempt }, index) =>
        replicas[index % 2]?.run(
          reportOf(attempt, await deltaFor(kernel, attempt, { [`n${index}.txt`]: `text ${index}` })),
        ),
      ),
    );
    expect(replies.map((reply) => reply?.state)).toEqual(Array.from({ length: 32 }, () => 'committed'));
    const paths = attempts.map((_, index) => `n${index}.txt`);
    expect(await textsAt(kernel, tenant, [...paths, 'b.txt'])).toEqual({
      ...Object.fromEntries(paths.map((path, index) => [path, `text ${index}`])),
      'b.txt': 'b',
    });
    const { rows } = await kernel.admin.query(
      'SELECT seq FROM kernel.snapshot WHERE workspace_id = $1 AND operation_id IS NOT NULL ORDER BY seq',
      [tenant.workspaceId],
    );
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 32 }, (_, index) => index + 2));
  }, 120_000);

  it('of two commands that write one path the second rolls back whole', async () => {
    const [one, other] = [await perform(), await perform()];
    await tenant.query(`UPDATE kernel.operation SET lane = 'sandboxed' WHERE operation_id = $1`, [other.operation_id]);
    await run.commit.run(reportOf(one, await deltaFor(kernel, one, { 'a.txt': 'one' })));
    const late = reportOf(other, await deltaFor(kernel, other, { 'a.txt': 'other', 'b.txt': 'other' }));
    expect(await run.newCommit().run(late)).toMatchObject({ state: 'rolled_back' });
    expect(await tenant.row(other.operation_id)).toMatchObject({
      fault_code: 'workspace.conflict',
      tx_outcome: 'rolled_back',
      commit_delta_id: null,
      reserved: {},
    });
    expect(await textsAt(kernel, tenant, ['a.txt', 'b.txt'])).toEqual({ 'a.txt': 'one', 'b.txt': 'b' });
  });
});

describe('these do not commit:', () => {
  const endOf = async (attempt: Attempt, report: Parameters<typeof run.commit.run>[0]) => {
    await run.commit.run(report);
    const row = await tenant.row(attempt.operation_id);
    expect(await textsAt(kernel, tenant, ['a.txt', 'b.txt'])).toEqual({ 'a.txt': 'hello', 'b.txt': 'b' });
    expect((await outcomes()).at(-1)).toMatchObject({
      operation_id: attempt.operation_id,
      fault_code: row.fault_code,
      tx_outcome: row.tx_outcome,
      commit_delta_id: null,
    });
    return row;
  };

  it('an effect outside the write roots of the token, or of one above it', async () => {
    const parent = await tenant.token({
      fs: [
        { path: 'src', read: true, write: true },
        { path: 'a.txt', read: true, write: true },
      ],
    });
    const child = await tenant.token(
      {
        fs: [
          { path: 'src', read: true, write: true },
          { path: 'a.txt', read: true, write: true },
        ],
      },
      { parent_id: parent },
    );
    const { attempt } = await run.perform(tenant, tenant.writeCall(child));
    const row = await endOf(
      attempt,
      reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'x', 'b.txt': 'x' })),
    );
    expect(row).toMatchObject({ state: 'rolled_back', fault_code: 'effect.out_of_scope' });
    expect(row.fault_message).toContain('`b.txt`');
  });

  it('an effect that policy forbids, or requires a person for where none can be asked', async () => {
    const attempt = await perform({ session_mode: 'gateway' });
    kernel.policy.answer = (action) =>
      action.resources.some(({ path }) => path === 'b.txt') ? { ...AUTOPILOT, autonomy_mode: 'soft_gate' } : AUTOPILOT;
    expect(await endOf(attempt, reportOf(attempt, await deltaFor(kernel, attempt, { 'b.txt': 'x' })))).toMatchObject({
      fault_code: 'effect.out_of_scope',
    });
    const second = await perform();
    kernel.policy.answer = () => ({ effect: 'refuse', code: 'policy.error', message: 'a rule failed' });
    expect(await endOf(second, reportOf(second, await deltaFor(kernel, second, { 'b.txt': 'x' })))).toMatchObject({
      fault_code: 'effect.out_of_scope',
      fault_message: 'a rule failed',
    });
  });

  it('a call under a token that was revoked while it ran', async () => {
    const attempt = await perform();
    await tenant.query('UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1', [token]);
    expect(await endOf(attempt, reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'x' })))).toMatchObject({
      state: 'rolled_back',
      fault_code: 'token.revoked',
    });
  });

  it('a call that was cancelled while it ran', async () => {
    const attempt = await perform();
    await tenant.query('UPDATE kernel.operation SET cancel_requested = true WHERE operation_id = $1', [
      attempt.operation_id,
    ]);
    expect(await endOf(attempt, reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'x' })))).toMatchObject({
      state: 'rolled_back',
      fault_code: 'cancelled',
    });
  });

  it('a call whose preconditions no longer hold', async () => {
    const path = await perform({
      precondition_refs: [
        { kind: 'path', ref: 'b.txt', version: (await kernel.blobs.put(tenant.tenantId, Buffer.from('b'))).sha256 },
      ],
    });
    const snapshot = await perform({
      precondition_refs: [{ kind: 'snapshot', ref: tenant.workspaceId, version: tenant.head }],
    });
    const other = await perform();
    await run.commit.run(reportOf(other, await deltaFor(kernel, other, { 'b.txt': 'moved' })));
    for (const attempt of [path, snapshot]) {
      await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'src/c.txt': 'x' })));
      expect(await tenant.row(attempt.operation_id)).toMatchObject({
        state: 'rolled_back',
        fault_code: 'precondition.failed',
      });
    }
    expect(await textsAt(kernel, tenant, ['src/c.txt'])).toEqual({ 'src/c.txt': 'c' });
  });

  it.each([
    ['another snapshot than the attempt ran on', (delta: object) => ({ ...delta, base: `snap_${'0'.repeat(64)}` })],
    ['paths out of order', (delta: { changes: unknown[] }) => ({ ...delta, changes: delta.changes.toReversed() })],
    [
      'a path upwards',
      (delta: { changes: object[] }) => ({ ...delta, changes: [{ ...delta.changes[0], path: '../x' }] }),
    ],
    [
      'a `before` that never existed',
      (delta: { changes: { before: object }[] }) => ({ ...delta, changes: [{ ...delta.changes[0], before: null }] }),
    ],
    [
      'contents that were not stored',
      (delta: { changes: { after: object }[] }) => ({
        ...delta,
        changes: [{ ...delta.changes[0], after: { ...delta.changes[0]?.after, sha256: '0'.repeat(64) } }],
      }),
    ],
    [
      'another size than the stored contents have',
      (delta: { changes: { after: object }[] }) => ({
        ...delta,
        changes: [{ ...delta.changes[0], after: { ...delta.changes[0]?.after, size: 999 } }],
      }),
    ],
  ])('an effect with %s', async (_what, forge) => {
    const attempt = await perform();
    const delta = forge((await deltaFor(kernel, attempt, { 'a.txt': 'x', 'b.txt': 'x' })) as never) as never;
    expect(await endOf(attempt, reportOf(attempt, delta))).toMatchObject({
      state: 'rolled_back',
      fault_code: 'effect.invalid',
      result_hash: expect.anything() as unknown,
    });
  });

  it.each([
    ['two lines', 'x\ny'],
    ['NUL', 'x\0'],
    ['more than a path', 'x'.repeat(4096)],
  ])('a link whose target holds %s', async (_what, target) => {
    const attempt = await perform();
    const delta = await deltaFor(kernel, attempt, { link: target });
    const [change] = delta.changes;
    const linked = {
      ...delta,
      changes: [
        {
          path: 'link',
          before: null,
          after: { kind: 'symlink' as const, mode: null, sha256: change?.after?.sha256 ?? null, size: target.length },
        },
      ],
    };
    expect(await endOf(attempt, reportOf(attempt, linked))).toMatchObject({
      state: 'rolled_back',
      fault_code: 'effect.invalid',
      fault_message: expect.stringContaining('`link`'),
    });
  });

  it('a result that does not match its hash, or its tool', async () => {
    const [one, other] = [await perform(), await perform()];
    expect(await endOf(one, { ...reportOf(one, null), result_hash: '0'.repeat(64) })).toMatchObject({
      fault_code: 'effect.invalid',
      result_hash: null,
    });
    expect(await endOf(other, reportOf(other, null, { result: { anything: 1 } }))).toMatchObject({
      fault_code: 'effect.invalid',
    });
  });

  it('a read that changed something', async () => {
    const { attempt } = await run.perform(tenant, tenant.call(token));
    expect(await endOf(attempt, reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'x' })))).toMatchObject({
      state: 'no_op',
      tx_outcome: 'no_op',
      fault_code: 'effect.invalid',
    });
  });
});

describe('a change while an effect is being checked', () => {
  /** Makes the change after the facts were read and before the end is written. */
  const whileChecking = async (attempt: Attempt, change: () => Promise<unknown>) => {
    const { blobs } = kernel;
    const sizes = blobs.sizes.bind(blobs);
    let changed = false;
    blobs.sizes = async (...asked) => {
      const first = !changed;
      changed = true;
      if (first) await change();
      return await sizes(...asked);
    };
    try {
      return await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'checked' })));
    } finally {
      blobs.sizes = sizes;
      expect(changed).toBe(true);
    }
  };

  it('of the lease, which runs out, fences the report', async () => {
    const attempt = await perform();
    const late = whileChecking(attempt, () =>
      tenant.query('UPDATE kernel.operation SET lease_until = 1 WHERE operation_id = $1', [attempt.operation_id]),
    );
    await expect(late).rejects.toMatchObject({ code: 'attempt.fenced' });
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ state: 'performing' });
    expect(await outcomes()).toHaveLength(0);
  });

  it.each([
    [
      'a cancellation',
      'cancelled',
      'UPDATE kernel.operation SET cancel_requested = true WHERE capability_token_id = $1',
    ],
    ['a revocation', 'token.revoked', 'UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1'],
  ])('%s rolls the call back', async (_what, code, sql) => {
    const attempt = await perform();
    expect(await whileChecking(attempt, () => tenant.query(sql, [token]))).toMatchObject({ state: 'rolled_back' });
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ fault_code: code, commit_delta_id: null });
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'hello' });
  });

  it('of other paths, by another commit, is kept beside this one', async () => {
    const [attempt, other] = [await perform(), await perform()];
    const delta = await deltaFor(kernel, other, { 'b.txt': 'meanwhile' });
    expect(await whileChecking(attempt, () => run.newCommit().run(reportOf(other, delta)))).toMatchObject({
      state: 'committed',
    });
    expect(await textsAt(kernel, tenant, ['a.txt', 'b.txt'])).toEqual({ 'a.txt': 'checked', 'b.txt': 'meanwhile' });
  });
});
