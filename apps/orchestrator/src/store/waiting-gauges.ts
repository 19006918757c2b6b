// SPDX-License-Identifier: Apache-2.0
import type { Pool } from '@writ/database';
import type { Meter } from '@writ/telemetry';
import { orchestratorSql } from './functions.ts';

/** Counted up to this: beyond it the exact number does not matter to operators. */
const COUNT_MAX = 100_000;

const RUN_STATES = ['queued', 'running', 'waiting'] as const;

/** Publishes how many runs and messages wait, over all tenants, whenever metrics are collected. */
export function watchWaiting(meter: Meter, pool: Pool): void {
  meter.observe(
    ['writ.runs.active', 'writ.webhook.deliveries.waiting', 'writ.webhook.deliveries.overdue.age'],
    async (observe) => {
      const { runs, deliveries, overdue_ms } = await orchestratorSql.gauges(pool, { max: COUNT_MAX });
      for (const state of RUN_STATES) observe('writ.runs.active', runs[state] ?? 0, { state });
      observe('writ.webhook.deliveries.waiting', deliveries);
      observe('writ.webhook.deliveries.overdue.age', overdue_ms / 1_000);
    },
  );
}
