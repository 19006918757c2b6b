// SPDX-License-Identifier: Apache-2.0
import type { JobWork } from '../../store/jobs/jobs.ts';
import { planStarts } from './plan-starts.ts';
import { parseSchedule } from './schedule.ts';

/** Jobs looked at in one go: the rest comes in the next. */
const ROWS = 100;

/** Starts what is due. Every replica does, and none leads: whoever comes second finds the due time told. */
export class StartJobs {
  readonly #work: JobWork;
  readonly #failed: (error: unknown) => void;

  constructor(work: JobWork, failed: (error: unknown) => void) {
    this.#work = work;
    this.#failed = failed;
  }

  /**
   * Resolves when all that was due is told; a job that could not be is tried again at the next call, and keeps none of
   * the others.
   */
  async run(): Promise<void> {
    for (const { tenant_id, job_id } of await this.#work.due(ROWS)) {
      await this.#work
        .take(tenant_id, job_id, (standing) =>
          planStarts(parseSchedule(standing.cron, standing.time_zone, 0), standing),
        )
        .catch(this.#failed);
    }
  }
}
