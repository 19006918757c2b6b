// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { JobStatus, JobWork } from '../../store/jobs/jobs.ts';
import { AT_ONCE_MAX, planStarts } from './plan-starts.ts';
import { parseSchedule } from './cron-schedule.ts';
import { StartJobs } from './start-jobs.ts';

const hourly = parseSchedule('0 * * * *', 'UTC', 0);
const standing = (over: Partial<JobStatus>): JobStatus =>
  ({
    now: 3_600_000,
    due_at: 3_600_000,
    overlap: 'queue',
    missed: 'skip',
    queued: 0,
    unended: 0,
    ...over,
  }) as JobStatus;

test('a job that skips overlaps skips a due time while an earlier start still waits', () => {
  expect(planStarts(hourly, standing({ overlap: 'skip', queued: 1 }))).toMatchObject({
    dueStart: { state: 'skipped', reason: 'overlap' },
  });
});

test('a job that may overlap has a limited number of concurrent runs', () => {
  expect(
    [AT_ONCE_MAX - 1, AT_ONCE_MAX].map(
      (unended) => planStarts(hourly, standing({ overlap: 'allow', unended })).startsNext,
    ),
  ).toEqual([true, false]);
});

test("a job that can't be started does not stop the others", async () => {
  const [tenant_id, failed, taken] = [newId('tenant') as TenantId, [] as unknown[], [] as string[]];
  const jobs = [newId('job'), newId('job')];
  const work = {
    due: async () => jobs.map((job_id) => ({ tenant_id, job_id })),
    applyPlan: async (_tenant: TenantId, jobId: string) => {
      taken.push(jobId);
      if (jobId === jobs[0]) throw new Error('away');
    },
  } as unknown as JobWork;
  await new StartJobs(work, (error) => {
    failed.push(error);
  }).run();
  expect([taken, failed]).toEqual([jobs, [new Error('away')]]);
});
