// SPDX-License-Identifier: Apache-2.0
//
// A queue of 10,000 waiting approvals beside 100,000 decided ones: what pages and groups cost in Postgres (ADR 0178).
import type { ApprovalFilter, ApprovalOrder, Caller } from '@writ/contract';
import { inTenant } from '@writ/database';
import { openKernelSpec } from '../../../specs/kernel-spec.ts';
import type { TestKernel } from '../../../specs/test-kernel.ts';
import { callerOf } from '../../../specs/test-management.ts';
import { requires } from '../../../specs/test-ports.ts';
import type { TestTenant } from '../../../specs/test-tenant.ts';
import { briefStatement } from './brief-row.ts';
import { groupsStatement } from './groups.ts';
import { pagesOf } from './order.ts';
import { conditionOf, StatementValues, type Selection } from './selection.ts';

const [WAITING, DECIDED] = [10_000, 100_000];
let kernel: TestKernel;
let tenant: TestTenant;
openKernelSpec(async (on) => {
  ({ kernel } = on);
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  kernel.policy.answer = requires('soft_gate');
  const held = await kernel.admit.run(tenant.writeCall(await tenant.token()), null);
  operationId = held.operation_id;
});
let operationId: string;
beforeAll(async () => {
  await copies(operationId);
}, 300_000);

const AGENTS = 20;
/** Copies one real held call: agents, tools, sessions, times, risks and reasons differ. The decided ones are newer. */
async function copies(id: string): Promise<void> {
  await tenant.copyOperations(
    `jsonb_build_object('operation_id', 'op_' || lpad(i::text, 26, '0'), 'approval_id', 'apr_' || lpad(i::text, 26, '0'),
      'agent_id', 'agt_' || lpad((i % ${AGENTS})::text, 26, '0'), 'tool_id', (ARRAY['fs.write', 'shell.run', 'email.draft'])[1 + i % 3],
      'created_at', o.created_at + i, 'risk_score', (i * 7919 % 1000) / 1000.0, 'session_id', 'ses-' || i % 100)`,
    `kernel.operation o, generate_series(1, ${WAITING}) AS i WHERE o.operation_id = $1`,
    [id],
  );
  await tenant.query(
    `INSERT INTO kernel.approval (approval_id, tenant_id, operation_id, created_at, of, action_digest, reasons, autonomy_mode, quorum, expires_at, state, decided_at, decided_by, demands, reminders)
     SELECT 'apr_' || lpad(i::text, 26, '0'), a.tenant_id, o.operation_id, o.created_at + i, a.of, a.action_digest,
       a.reasons || CASE WHEN o.risk_score > 0.9 THEN '[{"code": "risk", "message": "high"}]'::jsonb ELSE '[]' END,
       CASE WHEN o.risk_score > 0.9 THEN 'escalated' ELSE a.autonomy_mode END, a.quorum, a.expires_at + (i * 31) % 1000000,
       CASE WHEN i <= ${WAITING} THEN 'pending' ELSE 'denied' END, CASE WHEN i <= ${WAITING} THEN NULL ELSE o.created_at END,
       CASE WHEN i <= ${WAITING} THEN NULL ELSE 'key' END, CASE WHEN o.risk_score < 0.1 THEN '[{"any_of": ["finance"], "count": 1}]'::jsonb END, '{}'
     FROM kernel.approval a, generate_series(1, ${WAITING + DECIDED}) AS i JOIN kernel.operation o ON o.operation_id = 'op_' || lpad((1 + (i - 1) % ${WAITING})::text, 26, '0')
     WHERE a.operation_id = $1`,
    [id],
  );
  await tenant.query('ANALYZE kernel.approval, kernel.operation');
}

const operator = (): Caller => callerOf(tenant.tenantId, 'operator');
/** Its caller is known once the tenant is. */
const selected = (filter: ApprovalFilter = {}, more: Partial<Selection> = {}): Selection => ({
  get caller() {
    return operator();
  },
  state: 'pending',
  filter,
  ...more,
});

type Plan = Readonly<Record<string, unknown>>;
/** What Postgres says of a statement that the kernel's own role runs: the best time of three, in milliseconds. */
async function measure(statement: (values: StatementValues) => string): Promise<{ ms: number; plan: string }> {
  const values = new StatementValues();
  const text = `EXPLAIN (ANALYZE, FORMAT JSON) ${statement(values)}`;
  const times: number[] = [];
  let plan: Plan = {};
  for (let i = 0; i < 4; i++) {
    plan = await inTenant(kernel.tenants.pool, tenant.tenantId, async (client) => {
      const { rows } = await client.query<{ 'QUERY PLAN': Plan[] }>(text, values.all);
      return rows[0]?.['QUERY PLAN'][0] ?? {};
    });
    times.push(Number(plan['Execution Time']));
  }
  return { ms: Math.min(...times), plan: JSON.stringify(plan) };
}
const page =
  (order: ApprovalOrder, selection: Selection) =>
  (values: StatementValues): string => {
    const where = conditionOf(selection, values);
    const pages = pagesOf(order, selection, null, values);
    return briefStatement(`${where} AND ${pages.after}`, pages.orderBy, values.add(201));
  };
const groups = (selection: Selection) => (values: StatementValues) =>
  groupsStatement(conditionOf(selection, values), 'count');

// Each takes a quarter of this on a processor that does nothing else.
const PAGE_MS = 100;
const GROUPS_MS = 200;

it.each([
  ['newest', 'approval_waiting_by_time'],
  ['oldest', 'approval_waiting_by_time'],
  ['expires', 'approval_waiting_by_end'],
  ['risk', 'approval_waiting_by_risk'],
] as const)('a page of 200 in the order %s reads an index, and its own rows alone', async (order, index) => {
  const { ms, plan } = await measure(page(order, selected()));
  expect(plan).toContain(index);
  expect(plan).not.toMatch(/"Seq Scan"[^}]*"Relation Name":"(approval|operation)"/);
  expect(ms).toBeLessThan(PAGE_MS);
});

const FILTERS: readonly ApprovalFilter[] = [
  { tool_id: 'shell.run' },
  { tool_id: 'em*' },
  { agent_id: `agt_${'3'.padStart(26, '0')}` as never },
  { session_id: 'ses-7' },
  { autonomy_mode: 'escalated' },
  { group: 'finance' },
  { risk_min: 0.99 },
  { person_id: 'per_00000000000000000000000000' as never },
  { alike: '0'.repeat(32) },
  { since: Date.now() - 1_000 },
  { expires_before: Date.now() },
];
it.each(FILTERS)('a page with the filter %j costs no more than all that wait', async (filter) => {
  const { ms } = await measure(page('oldest', selected(filter)));
  expect(ms).toBeLessThan(PAGE_MS);
});

it.each([
  ['of every state', selected({}, { state: null })],
  ['of denied ones', selected({}, { state: 'denied' })],
  ['of those that a person may decide', selected({}, { mine: true })],
] as const)('a page %s costs as little', async (_name, selection) => {
  const { ms } = await measure(page('newest', selection));
  expect(ms).toBeLessThan(PAGE_MS);
});

it.each([
  ['all', selected()],
  ['those of an agent', selected({ agent_id: `agt_${'3'.padStart(26, '0')}` as never })],
  ['those of a tool', selected({ tool_id: 'shell.run' })],
  ['those that a person may decide', selected({}, { mine: true })],
] as const)('the groups of %s are counted at once', async (_name, selection) => {
  const { ms } = await measure(groups(selection));
  expect(ms).toBeLessThan(GROUPS_MS);
});

it('counts every one that waits, and reads each once in pages', async () => {
  const { waiting, complete, items } = await kernel.queue.groups({ v: 1, caller: operator(), order: 'count' });
  // The copied call waits, too.
  expect({ waiting, complete }).toEqual({ waiting: WAITING + 1, complete: true });
  expect(items.reduce((sum, { count }) => sum + count, 0)).toBe(WAITING + 1);
  const seen = new Set<string>();
  let cursor: string | null = null;
  do {
    const request = { v: 1 as const, caller: operator(), state: 'pending', order: 'risk' as const };
    const read: Awaited<ReturnType<TestKernel['queue']['list']>> = await kernel.queue.list({
      ...request,
      page: { cursor, limit: 200 },
    });
    for (const { approval_id } of read.items) seen.add(approval_id);
    cursor = read.next_cursor;
  } while (cursor !== null);
  expect(seen.size).toBe(WAITING + 1);
});
