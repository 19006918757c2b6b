// SPDX-License-Identifier: Apache-2.0
// Two replicas decide under load while sets are activated: no decision, and no commit, under a set that isn't in force
// when it is written.
import type { Admit } from '../../admission/admit/index.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { deltaFor, reportOf, type TestExecution } from '../../specs/test-executor.ts';
import { openPolicyKernel, setOf, type PolicyKernel } from '../../specs/test-policies.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: PolicyKernel;
let run: TestExecution;
let tenant: TestTenant;
let token: string;
openKernelSpec<PolicyKernel>((on) => {
  ({ kernel, run } = on);
}, openPolicyKernel);
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token();
});

const NO_READS =
  '@id("no.reads") @reason("nothing is read here") @would_pass("another set") forbid (principal, action == Action::"fs.read", resource);';
const NO_A =
  '@id("no.a") @reason("a.txt stays as it is") @would_pass("another file") forbid (principal, action, resource is File) when { context has effect && resource.path == "a.txt" };';
const activate = (policy: string) =>
  kernel.activate.run({ ...kernel.asAdmin(tenant), policy, if_active: null, note: null });

it('no call is decided under a set that is not in force as its decision is written', async () => {
  const hashes = { open: '', closed: '' };
  for (const [name, set] of [
    ['open', setOf('open')],
    ['closed', setOf('closed', NO_READS)],
  ] as const)
    hashes[name] = (await kernel.putSet(tenant, set)).policy?.policy_hash ?? '';
  await activate('open');
  // Nobody runs them: however many a machine decides meanwhile, they may wait.
  await tenant.query('UPDATE kernel.tenant SET waiting_max = 1000000 WHERE tenant_id = $1', [tenant.tenantId]);
  let stop = false;
  const decided = new Map<string, number>();
  const caller = async (replica: Admit): Promise<void> => {
    while (!stop) {
      // Whom five changes in a row overtook is told to come back, with nothing decided.
      await replica.decide(tenant.call(token), null, 0).then(
        ({ row }) => {
          decided.set(row.policy_hash, (decided.get(row.policy_hash) ?? 0) + 1);
        },
        (error: unknown) => {
          // Another fault ends the test, and doesn't leave it waiting for decisions that nobody makes.
          if ((error as { code?: string }).code === 'overloaded') return;
          stop = true;
          throw error;
        },
      );
    }
  };
  const [first, second] = [kernel.newReplica(), kernel.newReplica()];
  const callers = Array.from({ length: 8 }, (_, n) => caller(n % 2 === 0 ? first : second));
  for (let n = 0; n < 30 && !stop; n += 1) {
    const name = n % 2 === 0 ? 'closed' : 'open';
    const before = decided.get(hashes[name]) ?? 0;
    // As a ledger would: on a slow machine records would wait too long here, and nothing be decided.
    await tenant.query('DELETE FROM kernel.outbox WHERE tenant_id = $1', [tenant.tenantId]);
    await activate(name);
    // Nobody takes records to the log here, and on a busy machine the first of them would be late.
    await kernel.admin.query('DELETE FROM kernel.outbox WHERE tenant_id = $1', [tenant.tenantId]);
    // Goes on once some were decided under this set.
    while (!stop && (decided.get(hashes[name]) ?? 0) < before + 2)
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
  }
  stop = true;
  await Promise.all(callers);
  const { rows } = await kernel.admin.query<{
    policy_hash: string;
    state: string;
    created_at: number;
    since: number | null;
  }>(
    `SELECT o.policy_hash, o.state, o.created_at,
       (SELECT max(a.at) FROM kernel.policy_activation a WHERE a.tenant_id = o.tenant_id AND a.policy_hash = o.policy_hash AND a.at <= o.created_at
          AND NOT EXISTS (SELECT 1 FROM kernel.policy_activation b WHERE b.tenant_id = a.tenant_id AND b.seq = a.seq + 1 AND b.at < o.created_at)) AS since
     FROM kernel.operation o WHERE o.tenant_id = $1`,
    [tenant.tenantId],
  );
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.filter(({ since }) => since === null)).toEqual([]);
  // Each was decided as its set decides, and both sets had their turn.
  expect(rows.filter(({ policy_hash, state }) => (policy_hash === hashes.open) !== (state === 'admitted'))).toEqual([]);
  expect(new Set(rows.map(({ policy_hash }) => policy_hash)).size).toBe(2);
}, 180_000);

it('a call that was decided before an activation and is written after it is decided again', async () => {
  await kernel.putSet(tenant, setOf('closed', NO_READS));
  await kernel.admin.query('BEGIN');
  await kernel.admin.query('SELECT kernel.change_rules($1)', [tenant.tenantId]);
  const deciding = kernel.admit.run(tenant.call(token), null);
  await kernel.untilBlocked();
  const { policy_hash } = await kernel.show.read({ ...kernel.asAdmin(tenant), policy: 'closed' });
  await kernel.admin.query(
    'INSERT INTO kernel.policy_activation (tenant_id, seq, policy_hash, activated_by) VALUES ($1, 1, $2, $3)',
    [tenant.tenantId, policy_hash, 'spec'],
  );
  await kernel.admin.query('COMMIT');
  const view = await deciding;
  expect([view.state, (await tenant.row(view.operation_id)).policy_hash]).toEqual(['refused', policy_hash]);
});

it('an effect that was permitted before an activation and is committed after it is asked about again', async () => {
  const { attempt } = await run.perform(tenant, tenant.writeCall(token));
  const delta = await deltaFor(kernel, attempt, { 'a.txt': 'changed' });
  await kernel.install(tenant, setOf('guarded', NO_A));
  // What the redemption read is older than the activation: the first try of the commit is under the default set.
  expect(await run.commit.run(reportOf(attempt, delta))).toMatchObject({ tx_outcome: 'rolled_back' });
  expect(await tenant.row(attempt.operation_id)).toMatchObject({
    fault_code: 'effect.out_of_scope',
    fault_message: 'a.txt stays as it is',
  });
});

it('a held call is approved under the set in force: under another than it was held for, the approval is stale', async () => {
  await kernel.install(
    tenant,
    setOf(
      'asks',
      '@id("ask") @reason("ask") forbid (principal, action, resource) when { context.supervision == "autopilot" };',
    ),
  );
  const { approval_id } = await kernel.admit.run(tenant.call(token), null);
  await kernel.install(tenant, setOf('open'));
  const view = await kernel.decide.run({
    ...kernel.asAdmin(tenant),
    approval_id: approval_id ?? '',
    decision: 'approve',
    comment: null,
  });
  expect(view).toMatchObject({ state: 'refused', result: { error: { code: 'approval.stale' } } });
});

describe('an activation holds the rules for one statement', () => {
  it('while it waits for others who store sets, calls are decided', async () => {
    await kernel.putSet(tenant, setOf('closed', NO_READS));
    await kernel.admin.query('BEGIN');
    await kernel.admin.query(`SELECT pg_advisory_xact_lock(hashtextextended('writ.policy_sets.' || $1, 0))`, [
      tenant.tenantId,
    ]);
    const activating = activate('closed');
    await kernel.untilBlocked();
    expect((await kernel.admit.run(tenant.call(token), null)).state).toBe('admitted');
    await kernel.admin.query('COMMIT');
    await activating;
    expect((await kernel.admit.run(tenant.call(token), null)).state).toBe('refused');
  });

  it("what comes before another's is decided again: with a condition that no longer holds it conflicts, without one it follows", async () => {
    await kernel.putSet(tenant, setOf('one'));
    await kernel.putSet(tenant, setOf('two'));
    for (const [if_active, expected] of [
      ['default', 'conflict'],
      [null, 2],
    ] as const) {
      tenant = if_active === null ? await fresh() : tenant;
      await kernel.admin.query('BEGIN');
      await kernel.admin.query('SELECT kernel.change_rules($1)', [tenant.tenantId]);
      const activating = kernel.activate.run({ ...kernel.asAdmin(tenant), policy: 'two', if_active, note: null }).then(
        ({ seq }) => seq,
        ({ code }: { code: string }) => code,
      );
      await kernel.untilBlocked();
      await kernel.admin.query(
        `INSERT INTO kernel.policy_activation (tenant_id, seq, policy_hash, activated_by) SELECT $1, 1, policy_hash, 'spec' FROM kernel.policy_set WHERE tenant_id = $1 AND name = 'one'`,
        [tenant.tenantId],
      );
      await kernel.admin.query('COMMIT');
      expect(await activating).toBe(expected);
    }
  });

  const fresh = async () => {
    const other = await kernel.newTenant();
    await kernel.putSet(other, setOf('one'));
    await kernel.putSet(other, setOf('two'));
    return other;
  };
});
