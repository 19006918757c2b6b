// SPDX-License-Identifier: Apache-2.0
import type { Id } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { jobsContract } from '../store/jobs/jobs.contract.ts';
import { FakeJobs } from './fake-jobs.ts';

const fake = new FakeJobs();
jobsContract('the fake', {
  jobs: () => fake,
  work: () => fake.work,
  key: () => Promise.resolve(newId('apiKey') as Id<'apiKey'>),
  revoke: async (_tenant, key) => {
    fake.revoked.add(key);
  },
  end: async (_tenant, runId) => {
    fake.ended.add(runId);
  },
});
