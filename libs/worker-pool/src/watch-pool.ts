// SPDX-License-Identifier: Apache-2.0
import type { Meter } from '@writ/telemetry';
import type { WorkStats } from './ports.ts';

/** Makes metrics of what a pool is doing, read when somebody asks for the metrics. */
export function watchPool(meter: Meter, pool: { stats(): WorkStats }): void {
  const running = meter.createObservableGauge('writ_worker_pool_running', {
    description: 'work under way on worker threads',
  });
  const queued = meter.createObservableGauge('writ_worker_pool_queued', {
    description: 'work that waits for a worker thread',
  });
  const ended = meter.createObservableCounter('writ_worker_pool_ended_by_budget', {
    description: 'work that was ended beyond its time or memory',
  });
  const busy = meter.createObservableCounter('writ_worker_pool_busy_seconds', {
    description: 'time that worker threads were busy with a task', unit: 's',
  });
  meter.addBatchObservableCallback((result) => {
    const stats = pool.stats();
    result.observe(running, stats.running);
    result.observe(queued, stats.queued);
    result.observe(ended, stats.ended_by_budget);
    for (const [task, ms] of Object.entries(stats.busy_ms)) result.observe(busy, ms / 1_000, { task });
  }, [running, queued, ended, busy]);
}
