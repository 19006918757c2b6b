// SPDX-License-Identifier: Apache-2.0
//
// Preconditions on external versions: checked when a call is decided, asserted when it commits.
import type { ProposedCall } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { deltaFor, reportOf, textsAt, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requestBy, callerOf, pagesOf, refusalOf, type TestManagement } from '../../specs/test-management.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let manage: TestManagement;
let run: TestExecution;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel, manage, run } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token({ budgets: { calls: 50 } });
  kernel.policy.answer = () => AUTOPILOT;
});

const REF = 'deployment:shop/production';
const operator = () => callerOf(tenant.tenantId, 'operator');
const set = (version: string, expected_version: string | null, ref = REF, caller = operator()) =>
  manage.externalVersions.set({ ...requestBy(caller), ref, version, expected_version });
const list = (ref: string | null = null, of = tenant) =>
  manage.externalVersions.list({
    ...requestBy(callerOf(of.tenantId, 'auditor')),
    page: { cursor: null, limit: 200 },
    ref,
  });
const relying = (version: string, more: Partial<ProposedCall> = {}): ProposedCall =>
  tenant.writeCall(token, { precondition_refs: [{ kind: 'external_version', ref: REF, version }], ...more });
const stateOf = async (call: ProposedCall) => {
  const { state, result } = await kernel.admit.run(call, null);
  return result?.error?.code ?? state;
};

describe('an external version', () => {
  it('is set by compare-and-swap, each time with a record in the same transaction', async () => {
    const made = await set('v1', null);
    expect(await set('v2', 'v1')).toMatchObject({
      external_version_id: made.external_version_id,
      version: 'v2',
      created_at: made.created_at,
    });
    expect(await refusalOf(set('v3', 'v1'))).toMatchObject({
      code: 'conflict',
      pointer: '/expected_version',
      message: expect.stringContaining('`v2`') as string,
    });
    expect(await refusalOf(set('v3', null))).toMatchObject({ code: 'conflict' });
    expect(await refusalOf(set('v3', 'v1', 'another'))).toMatchObject({
      code: 'conflict',
      message: 'nothing named `another` has a version yet: expect null',
    });
    expect((await list()).items).toMatchObject([{ ref: REF, version: 'v2' }]);
    expect((await tenant.records()).map(({ change }) => change)).toMatchObject([
      { verb: 'external_version_set', subject: REF },
      { verb: 'external_version_set', subject: REF },
    ]);
  });

  it('is swapped by one of sixteen concurrent callers', async () => {
    await set('v0', null);
    const tries = await Promise.allSettled(
      Array.from({ length: 16 }, (_, index) => set(`v${String(index + 1)}`, 'v0')),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('is not set by agents and auditors, since a proposer must not set what its calls rely on', async () => {
    for (const role of ['agent', 'auditor'] as const)
      await expect(set('v1', null, REF, callerOf(tenant.tenantId, role, tenant.agentId))).rejects.toMatchObject({
        code: 'auth.role',
      });
    expect((await list()).items).toEqual([]);
  });

  it('belongs to one tenant', async () => {
    await set('v1', null);
    const other = await kernel.newTenant();
    expect((await list(null, other)).items).toEqual([]);
    expect((await list(REF, other)).items).toEqual([]);
    expect(
      await manage.externalVersions.set({
        ...requestBy(callerOf(other.tenantId)),
        ref: REF,
        version: 'theirs',
        expected_version: null,
      }),
    ).toMatchObject({ version: 'theirs' });
    expect((await list(REF)).items).toMatchObject([{ version: 'v1' }]);
  });

  it('is listed page by page, newest first, or by its name', async () => {
    for (const ref of ['a', 'b', 'c', 'd', 'e']) await set('v1', null, ref);
    const pages = await pagesOf(2, (page) =>
      manage.externalVersions.list({ ...requestBy(operator()), page, ref: null }),
    );
    expect(pages.flat().map(({ ref }) => ref)).toEqual(['e', 'd', 'c', 'b', 'a']);
    for (const [ref, count] of [
      ['c', 1],
      ['nothing', 0],
      ['c\0', 0],
    ] as const)
      expect((await list(ref)).items).toHaveLength(count);
  });
});

describe('a call that relies on an external version', () => {
  it('is admitted on the current version, and on none where there is none', async () => {
    expect(await stateOf(relying('absent'))).toBe('admitted');
    expect(await stateOf(relying('v1'))).toBe('precondition.failed');
    await set('v1', null);
    expect(await stateOf(relying('v1'))).toBe('admitted');
    expect(await stateOf(relying('absent'))).toBe('precondition.failed');
    expect(await stateOf(relying('v2'))).toBe('precondition.failed');
    expect(
      await stateOf(
        tenant.writeCall(token, {
          precondition_refs: [{ kind: 'external_version', ref: '__proto__', version: 'absent' }],
        }),
      ),
    ).toBe('admitted');
  });

  it('gets a message that names it', async () => {
    const { result } = await kernel.admit.run(relying('v1'), null);
    expect(result?.error).toMatchObject({
      code: 'precondition.failed',
      message: `\`${REF}\` has another external version than named`,
      hint: expect.stringContaining('propose the call anew') as string,
    });
  });

  it.each([
    [
      'a version',
      async () => {
        await set('v1', null);
      },
      'v1',
      () => set('v2', 'v1'),
    ],
    ['absent', () => Promise.resolve(), 'absent', () => set('v1', null)],
  ] as const)('does not commit once it has changed meanwhile (%s)', async (_what, prepare, version, move) => {
    await prepare();
    const { attempt } = await run.perform(tenant, relying(version));
    const unaware = (await run.perform(tenant, tenant.writeCall(token, { args: { path: 'b.txt', content: 'b' } })))
      .attempt;
    await move();
    await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'written' })));
    expect(await tenant.row(attempt.operation_id)).toMatchObject({
      state: 'rolled_back',
      fault_code: 'precondition.failed',
      commit_delta_id: null,
    });
    expect(await run.commit.run(reportOf(unaware, await deltaFor(kernel, unaware, { 'b.txt': 'b' })))).toMatchObject({
      state: 'committed',
    });
    expect(await textsAt(kernel, tenant, ['a.txt', 'b.txt'])).toEqual({ 'a.txt': 'hello', 'b.txt': 'b' });
  });

  it('that changes nothing relies on it too', async () => {
    await set('v1', null);
    const { attempt } = await run.perform(tenant, relying('v1'));
    await set('v2', 'v1');
    await run.commit.run(reportOf(attempt, null));
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ fault_code: 'precondition.failed' });
  });

  it('that was held is checked again when it is approved', async () => {
    await set('v1', null);
    kernel.policy.answer = requires('soft_gate');
    const held = await kernel.admit.run(relying('v1'), null);
    await set('v2', 'v1');
    const decided = await kernel.decide.run({
      ...requestBy(callerOf(tenant.tenantId)),
      approval_id: held.approval_id ?? '',
      decision: 'approve',
      comment: null,
    });
    expect(decided).toMatchObject({ state: 'refused', result: { error: { code: 'precondition.failed' } } });
  });
});

/** Within a transaction the view is cached unless it is cleared. */
const WAITING = `SELECT 1 FROM pg_stat_clear_snapshot(), pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

describe('a change of an external version is completely before or after a commit', () => {
  it.each(['v1', 'absent'])(
    'a commit that has read a version delays its change until its end (%s)',
    async (version) => {
      if (version === 'v1') await set('v1', null);
      const { attempt } = await run.perform(tenant, relying(version));
      await kernel.admin.query('BEGIN');
      await kernel.admin.query('SELECT 1 FROM kernel.workspace WHERE workspace_id = $1 FOR UPDATE', [
        tenant.workspaceId,
      ]);
      const committing = run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'written' })));
      await kernel.untilBlocked();
      let moved = false;
      const moving = set('v2', version === 'v1' ? 'v1' : null).then(() => {
        moved = true;
      });
      // Waits until the change waits too. A change that doesn't wait would overtake the commit.
      while (!moved && ((await kernel.admin.query(WAITING)).rowCount ?? 0) < 2)
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      expect(moved).toBe(false);
      await kernel.admin.query('COMMIT');
      expect(await committing).toMatchObject({ state: 'committed' });
      await moving;
    },
  );

  it('a commit that decided before a change, and writes after it, is decided again', async () => {
    await set('v1', null);
    const { attempt } = await run.perform(tenant, relying('v1'));
    // The contents are read after the facts. The version changes between the check and the statement that writes.
    const { putMany } = kernel.blobs;
    let moved = false;
    kernel.blobs.putMany = async (...args) => {
      if (!moved) {
        moved = true;
        await set('v2', 'v1');
      }
      return await putMany.apply(kernel.blobs, args);
    };
    try {
      await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'written' })));
    } finally {
      kernel.blobs.putMany = putMany;
    }
    expect(moved).toBe(true);
    expect(await tenant.row(attempt.operation_id)).toMatchObject({
      state: 'rolled_back',
      fault_code: 'precondition.failed',
    });
  });

  it('an admission that read before a change, and writes after it, is decided again', async () => {
    await set('v1', null);
    const call = relying('v1');
    kernel.policy.answer = () => AUTOPILOT;
    await kernel.admin.query('BEGIN; LOCK TABLE kernel.operation IN SHARE ROW EXCLUSIVE MODE');
    const deciding = stateOf(call);
    await kernel.untilBlocked();
    await set('v2', 'v1');
    await kernel.admin.query('COMMIT');
    expect(await deciding).toBe('precondition.failed');
  });
});
