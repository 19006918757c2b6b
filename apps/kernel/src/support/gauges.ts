// SPDX-License-Identifier: Apache-2.0
import { runStatement } from '@writ/database';
import type { Meter } from '@writ/telemetry';
import type { CrossTenantPool } from '../store/index.ts';

/** Counted up to this: past it the exact number changes nothing for whoever looks. */
const COUNT_MAX = 100_000;

/** What waits, over all tenants, read when somebody asks for the metrics. */
export function watchBacklog(meter: Meter, workers: CrossTenantPool): void {
  const records = meter.createObservableGauge('writ_outbox_rows', { description: 'records that wait for the ledger' });
  const age = meter.createObservableGauge('writ_outbox_age_seconds', { description: 'age of the oldest record that waits for the ledger' });
  const waiting = meter.createObservableGauge('writ_operations_waiting', { description: 'admitted operations that wait for an executor' });
  meter.addBatchObservableCallback(async (result) => {
    const { rows: [backlog] } = await runStatement<{ records: number; age_ms: number; waiting: number }>(workers.pool, {
      name: 'kernel.gauges',
      text: `SELECT (SELECT count(*) FROM (SELECT 1 FROM kernel.outbox LIMIT $1) x) AS records,
        coalesce(kernel.now_ms() - (SELECT min(created_at) FROM kernel.outbox), 0) AS age_ms,
        (SELECT count(*) FROM (SELECT 1 FROM kernel.operation WHERE state = 'admitted' LIMIT $1) y) AS waiting`,
      values: [COUNT_MAX],
    });
    result.observe(records, backlog?.records ?? 0);
    result.observe(age, (backlog?.age_ms ?? 0) / 1000);
    result.observe(waiting, backlog?.waiting ?? 0);
  }, [records, age, waiting]);
}
