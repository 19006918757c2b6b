// SPDX-License-Identifier: Apache-2.0
// Two replicas decide under load while sets are activated. No decision and no commit is written under a set that isn't
// active at that moment.
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

it('no call is decided under a set that is not active when its decision is written', async () => {
  const hashes = { open: '', closed: '' };
  for (const [name, set] of [
    ['open', setOf('open')],
    ['closed', setOf('closed', NO_READS)],
  ] as const)
    hashes[name] = (await kernel.putSet(tenant, set)).policy?.policy_hash ?? '';
  await activate('open');
  // No executor runs them, so the limit of waiting calls must not apply.
  await tenant.query('UPDATE kernel.tenant SET waiting_max = 1000000 WHERE tenant_id = $1', [tenant.tenantId]);
  let stop = false;
  const decided = new Map<string, number>();
  const caller = async (replica: Admit): Promise<void> => {
    while (!stop) {
      // A call whose facts changed five times in a row is refused with retry advice, without a decision.
      await replica.decide(tenant.call(token), null, 0).then(
        ({ row }) => {
          decided.set(row.policy_hash, (decided.get(row.policy_hash) ?? 0) + 1);
        },
        (error: unknown) => {
          // Another fault ends the test. Otherwise it would wait for decisions that never come.
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
    // Deletes records, as a ledger would. On a slow machine they would wait too long, and nothing would be decided.
    await tenant.query('DELETE FROM kernel.outbox WHERE tenant_id = $1', [tenant.tenantId]);
    await activate(name);
    // No ledger runs here, so on a busy machine the oldest record would be too old.
    await kernel.admin.query('DELETE FROM kernel.outbox WHERE tenant_id = $1', [tenant.tenantId]);
    // Continues once some calls were decided under this set.
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
  // Each call got the verdict of its set, and both sets decided some.
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

it('an effect that was permitted before an activation and is committed after it is judged again', async () => {
  const { attempt } = await run.perform(tenant, tenant.writeCall(token));
  const delta = await deltaFor(kernel, attempt, { 'a.txt': 'changed' });
  await kernel.install(tenant, setOf('guarded', NO_A));
  // The facts of the redemption are older than the activation, so the first try of the commit is under the default set.
  expect(await run.commit.run(reportOf(attempt, delta))).toMatchObject({ tx_outcome: 'rolled_back' });
  expect(await tenant.row(attempt.operation_id)).toMatchObject({
    fault_code: 'effect.out_of_scope',
    fault_message: 'a.txt stays as it is',
  });
});

it('an approval is stale where the active set differs from the set that held the call', async () => {
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

describe('an activation', () => {
  it('does not block decisions while it waits for others that store sets', async () => {
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

  it('after a concurrent one conflicts where its condition no longer holds, and follows without one', async () => {
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
