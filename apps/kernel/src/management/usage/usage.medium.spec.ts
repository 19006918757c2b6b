// SPDX-License-Identifier: Apache-2.0
import type { Caller, CallUsageBy, CallUsageItem } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { callerOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import { AUTOPILOT, requires } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

const DAY_MS = 24 * 3_600_000;
const ALL: CallUsageBy[] = ['day', 'agent', 'person', 'key', 'tool', 'outcome'];

let kernel: TestKernel;
let manage: TestManagement;
let tenant: TestTenant;
let caller: Caller;
let token: string;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
});
beforeEach(async () => {
  kernel.policy.answer = () => AUTOPILOT;
  tenant = await kernel.newTenant();
  caller = callerOf(tenant.tenantId, 'auditor');
  token = await tenant.token();
});

const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const usage = async (by: CallUsageBy[] = ALL, limit = 100): Promise<CallUsageItem[]> => {
  const items: CallUsageItem[] = [];
  let after: string[] | null = null;
  const [from, to] = [dayAt(Date.now() - 60 * DAY_MS), dayAt(Date.now() + 2 * DAY_MS)];
  do {
    const page: Awaited<ReturnType<TestManagement['readUsage']['calls']>> = await manage.readUsage.calls({
      ...requestBy(caller),
      from,
      to,
      by,
      after,
      limit,
    });
    items.push(...page.items);
    after = page.next;
  } while (after !== null);
  return items;
};
/** All calls may be added at once. */
const rollUp = () => manage.rollUpUsage.rollUp(tenant.tenantId, -60_000);
/** Calls of some persons, tools and outcomes, of which some wait for a person. */
const callAround = async (): Promise<void> => {
  const [ann, bob] = [newId('apiKey'), newId('apiKey')];
  for (let n = 0; n < 3; n++) {
    await kernel.admit.run(tenant.call(token, { proposed_by: ann, proposers: ['ann'], dry_run: true }), null);
    await kernel.admit.run(tenant.call(token, { proposed_by: bob, tool_id: 'fs.nothing' }), null);
  }
  kernel.policy.answer = requires('soft_gate');
  await kernel.admit.run(tenant.writeCall(token, { proposed_by: ann, proposers: ['ann'] }), null);
  await kernel.admin.query(
    `UPDATE kernel.operation SET created_at = created_at - ${DAY_MS} WHERE operation_id IN (SELECT operation_id FROM kernel.operation WHERE tenant_id = $1 ORDER BY operation_id LIMIT 3)`,
    [tenant.tenantId],
  );
};
/** The same counts from the calls themselves. */
const counted = async (): Promise<CallUsageItem[]> => {
  const { rows } = await kernel.admin.query<CallUsageItem>(
    `SELECT to_char(to_timestamp(created_at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, agent_id, coalesce(proposers[1], proposed_by) AS person, proposed_by AS api_key_id, tool_id,
       CASE WHEN state IN ('held', 'admitted') THEN 'open' ELSE state END AS outcome, count(*)::int AS calls
     FROM kernel.operation WHERE tenant_id = $1 GROUP BY 1, 2, 3, 4, 5, 6 `,
    [tenant.tenantId],
  );
  return rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
};
const keyOf = ({ calls: _calls, ...rest }: CallUsageItem): string => Object.values(rest).join('\0');

it('usage of calls is what the calls themselves say: before sums are made, after it, and when a call ends later', async () => {
  await callAround();
  const expected = await counted();
  expect(expected.length).toBeGreaterThan(3);
  expect(await usage()).toEqual(expected);
  expect(await rollUp()).toBe(7);
  expect(await usage()).toEqual(expected);
  expect(await rollUp()).toBe(0);
  await kernel.admin.query(`UPDATE kernel.operation SET state = 'refused' WHERE tenant_id = $1 AND state = 'held'`, [
    tenant.tenantId,
  ]);
  const later = await counted();
  expect(later).not.toEqual(expected);
  expect(await usage()).toEqual(later);
  expect(await rollUp()).toBe(1);
  expect(await usage()).toEqual(later);
});

it('usage of calls sums over the dimensions that are not named, and pages join without gap or repetition', async () => {
  await callAround();
  await rollUp();
  expect(await usage(['outcome'])).toEqual([
    expect.objectContaining({ outcome: 'no_op', calls: 3, day: null, person: null }),
    expect.objectContaining({ outcome: 'open', calls: 1 }),
    expect.objectContaining({ outcome: 'refused', calls: 3 }),
  ]);
  expect((await usage(['day'])).map(({ day }) => day)).toEqual([dayAt(Date.now() - DAY_MS), dayAt(Date.now())]);
  expect(await usage(ALL, 1)).toEqual(await usage());
});

it('sums of calls that take several transactions miss none between two, nor those of one millisecond', async () => {
  await callAround();
  await kernel.admin.query(
    'UPDATE kernel.operation SET created_at = created_at - created_at % 86400000 WHERE tenant_id = $1',
    [tenant.tenantId],
  );
  const expected = await counted();
  const passed: number[] = [];
  for (let rows = 1; rows > 0; passed.push(rows))
    ({
      rows: [{ n: rows } = { n: 0 }],
    } = await kernel.admin.query<{ n: number }>('SELECT kernel.roll_up_usage($1, 2, -60000) AS n', [tenant.tenantId]));
  expect(passed.reduce((sum, n) => sum + n, 0)).toBe(7);
  expect(passed.length).toBeGreaterThan(2);
  expect(await usage()).toEqual(expected);
});

it('sums of calls are made once by replicas that make them at once, while calls arrive', async () => {
  await Promise.all([
    ...Array.from({ length: 20 }, () => kernel.admit.run(tenant.call(token, { dry_run: true }), null)),
    ...Array.from({ length: 6 }, () => manage.rollUpUsage.rollUp(tenant.tenantId, 0)),
  ]);
  await Promise.all([rollUp(), rollUp(), rollUp()]);
  expect(await usage(['tool'])).toEqual([expect.objectContaining({ calls: 20 })]);
});

it("usage of calls shows no other tenant's, and refuses what is no range of days", async () => {
  await callAround();
  await rollUp();
  const other = callerOf((await kernel.newTenant()).tenantId, 'admin');
  const ask = (from: string, to: string, by = other) =>
    manage.readUsage.calls({ ...requestBy(by), from, to, by: ['day'], after: null, limit: 5 });
  expect(await ask(dayAt(Date.now() - DAY_MS), dayAt(Date.now() + DAY_MS))).toEqual({ items: [], next: null });
  for (const [from, to] of [
    ['2026-02-01', '2026-02-01'],
    ['2026-02-30', '2026-03-03'],
    ['2020-01-01', '2026-01-01'],
  ] as const)
    await expect(ask(from, to)).rejects.toMatchObject({ code: 'request.malformed' });
  await expect(
    ask('2026-01-01', '2026-01-02', callerOf(tenant.tenantId, 'agent', tenant.agentId)),
  ).rejects.toMatchObject({ code: 'auth.role' });
});
