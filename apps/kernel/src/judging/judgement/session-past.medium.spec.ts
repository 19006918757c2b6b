// SPDX-License-Identifier: Apache-2.0
// A session's past as risk uses it: counted from its operations, and asserted where a decision is written.
import type { ProposedCall } from '@writ/contract';
import { DESTRUCTIVE_RULE_IDS, RISK_RULES } from '@writ/risk';
import fc from 'fast-check';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { deltaFor, reportOf, type TestExecution } from '../../specs/test-executor.ts';
import { openPolicyKernel, type PolicyKernel } from '../../specs/test-policies.ts';
import { NO_CALL, TestReplica } from '../../specs/test-replica.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { pastQueryFor } from './session-past.ts';

let kernel: PolicyKernel;
let execution: TestExecution;
let tenant: TestTenant;
let token: string;
openKernelSpec<PolicyKernel>((on) => {
  ({ kernel, run: execution } = on);
}, openPolicyKernel);
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token();
});

const run = (command: string, more: Partial<ProposedCall> = {}) =>
  tenant.writeCall(token, { session_id: 'one', tool_id: 'shell.run', args: { command }, ...more });
const decided = async (call: ProposedCall) => await kernel.admit.run(call, null);
const basisOf = async (call: ProposedCall): Promise<readonly string[]> =>
  (await tenant.row((await decided(call)).operation_id)).risk_basis;
const SERIES = 'history.destructive_series';

describe('destructive calls', () => {
  beforeEach(async () => {
    for (const command of ['rm -rf src', 'git reset --hard', 'rm -rf /']) await decided(run(command));
  });

  it('held or refused three times require a person for the next deletion, whatever its size, and for nothing else', async () => {
    expect(await decided(run('rm a.txt'))).toMatchObject({
      state: 'held',
      reasons: expect.arrayContaining([expect.objectContaining({ code: SERIES })]) as unknown,
    });
    expect(await decided(run('npm test'))).toMatchObject({ state: 'admitted' });
  });

  it("of another session don't count, nor of another tenant", async () => {
    expect(await basisOf(run('rm a.txt', { session_id: 'two' }))).not.toContain(SERIES);
    const other = await kernel.newTenant();
    await other.write({ 'a.txt': 'x' });
    const call = other.writeCall(await other.token(), {
      session_id: 'one',
      tool_id: 'shell.run',
      args: { command: 'rm a.txt' },
    });
    expect((await decided(call)).state).toBe('admitted');
  });

  it('count for an hour', async () => {
    await tenant.query('UPDATE kernel.operation SET created_at = created_at - 3600001 WHERE tenant_id = $1', [
      tenant.tenantId,
    ]);
    expect(await basisOf(run('rm a.txt'))).not.toContain(SERIES);
  });

  it("that were dry runs don't count", async () => {
    for (let n = 0; n < 4; n += 1) await decided(run('rm -rf src', { session_id: 'dry', dry_run: true }));
    expect(await basisOf(run('rm a.txt', { session_id: 'dry' }))).not.toContain(SERIES);
  });

  it("don't count themselves when a person has seen them", async () => {
    const session_id = 'approved';
    for (const command of ['rm -rf src', 'rm -rf lib']) await decided(run(command, { session_id }));
    const { approval_id, operation_id } = await decided(run('rm -rf docs', { session_id }));
    await kernel.decide.run({
      ...kernel.asAdmin(tenant),
      approval_id: approval_id ?? '',
      decision: 'approve',
      comment: null,
    });
    expect(await tenant.row(operation_id)).toMatchObject({
      state: 'admitted',
      risk_basis: expect.not.arrayContaining([SERIES]) as unknown,
    });
  });

  it('that arrive 12 at once on two replicas count each other: all but three have the risk of a series', async () => {
    const replicas = [kernel.newReplica(), kernel.newReplica()];
    const all = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) => replicas[n % 2]?.decide(run('rm -rf src', { session_id: 'many' }), null, 0)),
    );
    const bases = all.flatMap((each) =>
      each.status === 'fulfilled' && each.value !== undefined ? [each.value.row.risk_basis] : [],
    );
    expect(bases.length).toBeGreaterThan(3);
    expect(bases.filter((basis) => !basis.includes(SERIES))).toHaveLength(3);
  });

  it("wait for their turn also without a reading of facts: two of them can't both be the last one", async () => {
    const replica = new TestReplica(kernel, true, undefined, NO_CALL);
    const last = (command: string) => replica.answer(run(command, { session_id: 'turns' }));
    await last('npm test');
    replica.readsSinceLast();
    await kernel.admin.query('BEGIN');
    await kernel.admin.query(`SELECT pg_advisory_xact_lock(hashtextextended('writ.session.' || $1 || '.turns', 0))`, [
      tenant.tenantId,
    ]);
    const deleting = last('rm a.txt');
    await kernel.untilBlocked();
    await kernel.admin.query('COMMIT');
    expect(await deleting).toMatchObject({ state: 'admitted' });
    expect(replica.readsSinceLast()).toBe(0);
  });
});

describe('failures in a row', () => {
  const FAILED = 'history.failures';
  const failing = async (times: number) => {
    for (let n = 0; n < times; n += 1) {
      const { operation_id } = await decided(run('npm test'));
      await tenant.query(
        `UPDATE kernel.operation SET state = 'rolled_back', fault_code = 'tool.failed' WHERE operation_id = $1`,
        [operation_id],
      );
    }
  };
  const succeeding = async () => {
    const { attempt } = await execution.perform(tenant, tenant.writeCall(token, { session_id: 'one' }));
    await execution.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'changed' })));
  };

  it('add to the risk from the fifth on, until one succeeds', async () => {
    await failing(4);
    expect(await basisOf(run('npm test', { dry_run: true }))).not.toContain(FAILED);
    await failing(1);
    expect(await basisOf(run('npm test', { dry_run: true }))).toContain(FAILED);
    await succeeding();
    expect(await basisOf(run('npm test', { dry_run: true }))).not.toContain(FAILED);
  });

  it("are those of calls that ran: refusals and calls under way are none, and don't interrupt them", async () => {
    await failing(4);
    await decided(run('rm -rf /'));
    await decided(run('npm run build'));
    expect(await basisOf(run('npm test', { dry_run: true }))).not.toContain(FAILED);
    await failing(1);
    expect(await basisOf(run('npm test', { dry_run: true }))).toContain(FAILED);
  });

  it("aren't queried for a tool that only reads", () => {
    expect(pastQueryFor('fs.read')).toBeNull();
    expect(pastQueryFor('no.such.tool')).not.toBeNull();
  });
});

describe("the database's count of failures in a row", () => {
  const TOOL_IDS = ['fs.write', 'shell.run', 'tool.gone'] as const;
  const asked = {
    window_ms: 100,
    destructive_max: 1,
    failures_max: 3,
    tools: TOOL_IDS.slice(0, 2) as readonly string[],
  };
  interface Past {
    readonly tool_id: string;
    readonly lane: string | null;
    readonly state: string;
    readonly fault_code: string | null;
    readonly ago: number;
  }

  const isGood = ({ state, fault_code }: Past): boolean =>
    ['committed', 'no_op'].includes(state) && fault_code === null;
  /**
   * By the definition: of the calls that ran and ended, newest first, those before the first success, counted so far.
   * Of two of one millisecond the later id is the newer.
   */
  const counted = (calls: readonly Past[], at: number): number => {
    const ran = calls
      .map((call, n) => ({ ...call, n }))
      .filter(
        ({ ago, lane, state, tool_id }) =>
          ago <= at + asked.window_ms &&
          ago > at &&
          lane !== null &&
          ['committed', 'no_op', 'rolled_back', 'ambiguous'].includes(state) &&
          asked.tools.includes(tool_id),
      )
      .sort((a, b) => a.ago - b.ago || b.n - a.n)
      .slice(0, asked.failures_max);
    const good = ran.findIndex(isGood);
    return good === -1 ? ran.length : good;
  };
  const call = fc.record({
    tool_id: fc.constantFrom(...TOOL_IDS, 'fs.write', 'shell.run'),
    lane: fc.constantFrom(...Array<string>(5).fill('inline'), null),
    state: fc.constantFrom(
      'committed',
      'no_op',
      ...Array<string>(6).fill('rolled_back'),
      'ambiguous',
      'refused',
      'performing',
    ),
    fault_code: fc.constantFrom(null, 'tool.failed'),
    ago: fc.integer({ min: 1, max: 30 }).map((ten) => ten * 10),
  });
  const NOW = 1_000_000;

  it('matches the definition, whatever happened in a session', async () => {
    // Past calls in their final states, without the transitions to them.
    await kernel.admin.query('SET session_replication_role = replica');
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(call, { maxLength: 12 }), fc.constantFrom(0, 10, 50), async (calls, at) => {
          await kernel.admin.query('DELETE FROM kernel.operation WHERE tenant_id = $1', [tenant.tenantId]);
          await kernel.admin.query(
            `
          INSERT INTO kernel.operation (operation_id, tenant_id, agent_id, tool_id, capability_token_id, session_id, session_mode, proposed_by, proposal_digest, state, mutating, lane, task_class, autonomy_mode,
            risk_score, risk_basis, reasons, provenance, precondition_refs, policy_hash, decision_record_id, decision_hash, created_at, fault_code)
          SELECT 'op_' || lpad(x.n::text, 3, '0'), $1, 'agt', x.tool_id, 'cap', 'past', 'interactive', 'key', 'd', x.state, true, x.lane, 'general', 'full', 0.1, '{}', '[]', '{}', '[]', 'h', 'r', 'h', x.created_at, x.fault_code
          FROM jsonb_to_recordset($2) AS x(n integer, tool_id text, lane text, state text, fault_code text, created_at bigint)`,
            [tenant.tenantId, JSON.stringify(calls.map(({ ago, ...of }, n) => ({ ...of, n, created_at: NOW - ago })))],
          );
          const {
            rows: [row],
          } = await kernel.admin.query<{ past: { failures_in_a_row: number } }>(
            `SELECT kernel.session_past($1, 'past', 'op_none', $2, $3) AS past`,
            [tenant.tenantId, JSON.stringify(asked), NOW - at],
          );
          expect(row?.past.failures_in_a_row).toBe(counted(calls, at));
        }),
        { numRuns: 300 },
      );
    } finally {
      await kernel.admin.query('DELETE FROM kernel.operation WHERE tenant_id = $1', [tenant.tenantId]);
      await kernel.admin.query('SET session_replication_role = origin');
    }
  });
});

test('the database counts destructive calls by the rules of the risk table', async () => {
  for (const { id } of RISK_RULES) {
    const { rows } = await kernel.admin.query<{ counts: boolean }>(
      'SELECT kernel.is_destructive(ARRAY[$1]) AS counts',
      [id],
    );
    expect([id, rows[0]?.counts]).toEqual([id, DESTRUCTIVE_RULE_IDS.includes(id)]);
  }
});

test('an explanation uses the past as it was then', async () => {
  const { operation_id } = await decided(run('rm a.txt'));
  for (const command of ['rm -rf src', 'git reset --hard', 'rm -rf /']) await decided(run(command));
  const asked = (at: string) =>
    kernel.admin.query<{ past: unknown }>(
      `SELECT kernel.session_past($1, 'one', $2, $3, ${at}) AS past FROM kernel.operation WHERE operation_id = $2`,
      [tenant.tenantId, operation_id, JSON.stringify(pastQueryFor('shell.run'))],
    );
  expect((await asked('created_at')).rows[0]?.past).toEqual({ destructive_calls: 0, failures_in_a_row: 0 });
  expect((await asked('NULL')).rows[0]?.past).toEqual({ destructive_calls: 3, failures_in_a_row: 0 });
});
