// SPDX-License-Identifier: Apache-2.0
import { LANES, type Lane } from '@writ/contract';
import { runStatement } from '@writ/database';
import type { Meter } from '@writ/telemetry';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';

/** Counts stop here: beyond it, the exact number makes no difference to an operator. */
const COUNT_MAX = 100_000;

const ACTIVE = ['admitted', 'dispatched', 'performing'] as const;
const APPROVED = ['action', 'effect', 'value'] as const;

interface Backlog {
  readonly records: number;
  readonly age_ms: number;
  readonly active: readonly {
    readonly state: (typeof ACTIVE)[number];
    readonly lane: Lane;
    readonly n: number;
    readonly age_ms: number;
  }[];
  readonly approvals: readonly {
    readonly of: (typeof APPROVED)[number];
    readonly n: number;
    readonly age_ms: number;
  }[];
}

/** Rows of one state, each through the index that holds only those. */
const ofState = (state: string): string =>
  `(SELECT state, lane, created_at FROM kernel.operation WHERE state = '${state}' LIMIT $1)`;

const BACKLOG = `SELECT
  (SELECT count(*) FROM (SELECT 1 FROM kernel.outbox LIMIT $1) x) AS records,
  coalesce(kernel.now_ms() - (SELECT min(created_at) FROM kernel.outbox), 0) AS age_ms,
  (SELECT coalesce(jsonb_agg(y), '[]') FROM (
    SELECT state, lane, count(*) AS n, kernel.now_ms() - min(created_at) AS age_ms
    FROM (${ACTIVE.map(ofState).join(' UNION ALL ')}) z GROUP BY state, lane) y) AS active,
  (SELECT coalesce(jsonb_agg(y), '[]') FROM (
    SELECT z.of, count(*) AS n, kernel.now_ms() - min(created_at) AS age_ms
    FROM (SELECT a.of, a.created_at FROM kernel.approval a WHERE a.state = 'pending' LIMIT $1) z GROUP BY z.of) y) AS approvals`;

/** Observes what waits and runs, over all tenants, whenever the metrics are read. */
export function watchBacklog(meter: Meter, workers: CrossTenantPool): void {
  meter.observe(
    [
      'writ.outbox.records',
      'writ.outbox.age',
      'writ.operations.active',
      'writ.operations.oldest.age',
      'writ.approvals.waiting',
      'writ.approvals.oldest.age',
    ],
    async (observe) => {
      const {
        rows: [backlog],
      } = await runStatement<Backlog>(workers.pool, { name: 'kernel.gauges', text: BACKLOG, values: [COUNT_MAX] });
      if (backlog === undefined) return;
      observe('writ.outbox.records', backlog.records);
      observe('writ.outbox.age', backlog.age_ms / 1_000);
      for (const lane of LANES) {
        const rows = backlog.active.filter((row) => row.lane === lane);
        for (const state of ACTIVE)
          observe('writ.operations.active', rows.find((row) => row.state === state)?.n ?? 0, { state, lane });
        observe('writ.operations.oldest.age', (rows.find((row) => row.state === 'admitted')?.age_ms ?? 0) / 1_000, {
          lane,
        });
      }
      for (const of of APPROVED)
        observe('writ.approvals.waiting', backlog.approvals.find((row) => row.of === of)?.n ?? 0, { of });
      observe('writ.approvals.oldest.age', Math.max(0, ...backlog.approvals.map((row) => row.age_ms)) / 1_000);
    },
  );
}

/** Observes the slots of executors that this kernel knows of. */
export function watchSlots(meter: Meter, slots: { free(lane: Lane): number; total(lane: Lane): number }): void {
  meter.observe(['writ.dispatch.slots'], (observe) => {
    for (const lane of LANES) {
      observe('writ.dispatch.slots', slots.free(lane), { lane, state: 'free' });
      observe('writ.dispatch.slots', slots.total(lane), { lane, state: 'all' });
    }
  });
}
