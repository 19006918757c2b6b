// SPDX-License-Identifier: Apache-2.0
import type { Meter } from '@writ/telemetry';
import type { TaskRunnerStats } from './task-runner.ts';

/** Exports the state of a pool as metrics. They are read at each collection. */
export function watchPool(meter: Meter, pool: { stats(): TaskRunnerStats }): void {
  meter.observe(
    ['writ.worker_pool.tasks', 'writ.worker_pool.tasks.stopped', 'writ.worker_pool.busy.time'],
    (observe) => {
      const stats = pool.stats();
      observe('writ.worker_pool.tasks', stats.running, { state: 'running' });
      observe('writ.worker_pool.tasks', stats.queued, { state: 'queued' });
      observe('writ.worker_pool.tasks.stopped', stats.ended_by_budget);
      for (const [task, ms] of Object.entries(stats.busy_ms))
        observe('writ.worker_pool.busy.time', ms / 1_000, { task });
    },
  );
}
