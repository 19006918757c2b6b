// SPDX-License-Identifier: Apache-2.0
//
// Approvals that waited before queues were there have their place in them after the migration.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OWNER_ROLE } from '@writ/database';
import { openKernelSpec } from '../../../specs/kernel-spec.ts';
import type { TestKernel } from '../../../specs/test-kernel.ts';
import { callerOf, requestBy } from '../../../specs/test-management.ts';
import { requires } from '../../../specs/test-ports.ts';

let kernel: TestKernel;
openKernelSpec((on) => {
  ({ kernel } = on);
});

const MIGRATION = readFileSync(join(import.meta.dirname, '../../../../sql/migrations/0031_approval_queue.sql'), 'utf8');
const UNDO = `DROP TRIGGER approval_in_queue ON kernel.approval; DROP FUNCTION kernel.place_in_queue, kernel.alike_key;
  ALTER TABLE kernel.approval DROP COLUMN risk_score, DROP COLUMN alike;
  DROP INDEX kernel.approval_waiting_by_time, kernel.approval_waiting_by_end`;
const asOwner = (sql: string) => kernel.admin.query(`BEGIN; SET LOCAL ROLE ${OWNER_ROLE}; ${sql}; COMMIT`);

it('approvals that wait get their risk and their key, and those that were decided are shown with theirs', async () => {
  await asOwner(UNDO);
  const tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  kernel.policy.answer = requires('soft_gate');
  const token = await tenant.token();
  const hold = () => kernel.admit.run(tenant.writeCall(token), null);
  const [waits, denied] = [await hold(), await hold()];
  const by = requestBy(callerOf(tenant.tenantId, 'operator'));
  await kernel.decide.run({ ...by, approval_id: denied.approval_id ?? '', decision: 'deny', comment: null });
  await asOwner(MIGRATION);
  const later = await hold();
  const { rows } = await kernel.admin.query<{ approval_id: string; alike: string | null; risk_score: string | null }>(
    'SELECT approval_id, alike, risk_score FROM kernel.approval WHERE tenant_id = $1',
    [tenant.tenantId],
  );
  const of = (id: string | null) => rows.find(({ approval_id }) => approval_id === id);
  expect(of(waits.approval_id)).toEqual({ ...of(later.approval_id), approval_id: waits.approval_id });
  expect(Number(of(waits.approval_id)?.risk_score)).toBe(waits.risk_score);
  expect(of(denied.approval_id)).toMatchObject({ alike: null, risk_score: null });
  const state = { state: null, page: { cursor: null, limit: 9 } };
  const { items } = await kernel.queue.list({ ...by, ...state });
  expect(items.map(({ alike }) => alike)).toEqual(Array.from({ length: 3 }, () => of(later.approval_id)?.alike));
  expect(items.map(({ risk_score }) => risk_score)).toEqual(Array.from({ length: 3 }, () => waits.risk_score));
  for (const filter of [{ alike: of(waits.approval_id)?.alike ?? '' }, { risk_min: waits.risk_score }])
    expect((await kernel.queue.list({ ...by, ...state, filter })).items).toHaveLength(3);
  expect((await kernel.queue.list({ ...by, ...state, filter: { alike: '0'.repeat(32) } })).items).toEqual([]);
  const { rows: forced } = await kernel.admin.query(
    `SELECT 1 FROM pg_class WHERE oid IN ('kernel.approval'::regclass, 'kernel.operation'::regclass) AND relforcerowsecurity`,
  );
  expect(forced).toHaveLength(2);
});
