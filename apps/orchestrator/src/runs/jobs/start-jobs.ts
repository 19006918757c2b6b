// SPDX-License-Identifier: Apache-2.0
import type { JobWork } from '../../store/jobs/jobs.ts';
import { planStarts } from './plan-starts.ts';
import { parseSchedule } from './cron-schedule.ts';

/** Jobs of one batch; the rest follows in the next. */
const ROWS = 100;

/** Starts due jobs. Every replica does so, without a leader: the second replica finds the due time already recorded. */
export class StartJobs {
  readonly #work: JobWork;
  readonly #failed: (error: unknown) => void;

  constructor(work: JobWork, failed: (error: unknown) => void) {
    this.#work = work;
    this.#failed = failed;
  }

  /**
   * Resolves when all due jobs are processed. A job that fails is retried at the next call, and does not delay the
   * others.
   */
  async run(): Promise<void> {
    for (const { tenant_id, job_id } of await this.#work.due(ROWS)) {
      await this.#work
        .applyPlan(tenant_id, job_id, (standing) =>
          planStarts(parseSchedule(standing.cron, standing.time_zone, 0), standing),
        )
        .catch(this.#failed);
    }
  }
}
