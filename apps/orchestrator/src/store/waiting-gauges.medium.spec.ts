// SPDX-License-Identifier: Apache-2.0
import { createPool } from '@writ/database';
import { startTelemetry } from '@writ/telemetry';
import { testDatabase } from '@writ/testing';
import { watchWaiting } from './waiting-gauges.ts';

test("runs and messages that wait are counted over all tenants, by a role that sees no tenant's rows", async () => {
  const database = await testDatabase();
  const pool = createPool({ url: database.urlFor('writ_orchestrator'), applicationName: 'writ-test' });
  const telemetry = startTelemetry({ service: 'orchestrator', version: '0' });
  try {
    watchWaiting(telemetry.meter, pool);
    const metrics = await telemetry.metricsText();
    for (const line of [
      'writ_runs_active{state="queued"} 0',
      'writ_runs_active{state="waiting"} 0',
      'writ_webhook_deliveries_waiting 0',
      'writ_webhook_deliveries_overdue_age_seconds 0',
    ])
      expect(metrics).toContain(line);
  } finally {
    await pool.end();
    await telemetry.shutdown();
    await database.drop();
  }
});
