// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { jobsContract, newJob } from './jobs.contract.ts';
import type { JobPlan, JobStanding } from './jobs.ts';
import { testStore, type TestStore } from '../../specs/test-store.ts';
import { PgJobWork } from './pg-job-work.ts';
import { PgJobs } from './pg-jobs.ts';
import { PgSessions } from '../sessions/pg-sessions.ts';
import { SessionSeal } from '../sessions/session-seal.ts';

let store: TestStore;
let jobs: PgJobs;
let work: PgJobWork;
let sessions: PgSessions;

beforeAll(async () => {
  store = await testStore();
  const seal = new SessionSeal(Buffer.alloc(32, 7));
  jobs = new PgJobs(store.pool, seal);
  work = new PgJobWork(store.pool, seal, { sessionsMax: 3, runsMax: 2, unendedMax: 2 });
  sessions = new PgSessions(store.pool, seal);
}, 120_000);
afterAll(async () => {
  await store.drop();
});

const end = async (_tenant: string, runId: string): Promise<void> => {
  await store.admin.query(
    `UPDATE orchestrator.run SET state = 'ended', stopped = 'answered', ended_at = 1 WHERE run_id = $1`,
    [runId],
  );
};

jobsContract('Postgres', {
  jobs: () => jobs,
  work: () => work,
  key: (tenant) => store.key(tenant),
  end,
  revoke: (tenant, id) => store.revoke(tenant, id),
});

/** Tells a due time of now, and starts it. */
const now = ({ now: at }: JobStanding): JobPlan => ({
  told: { due_at: at, state: 'queued', reason: null },
  due_at: 9_000_000_000_000,
  starts: true,
});
const made = async (more: Parameters<typeof newJob>[1]) => {
  const tenant = newId('tenant');
  return { tenant, job: await jobs.create(tenant, newJob(await store.key(tenant), more), 10) };
};
const lastOf = async (tenant: TenantId, jobId: string) =>
  (await jobs.starts(tenant, jobId, { cursor: null, limit: 1 })).items[0];
const startAndEnd = async (tenant: TenantId, jobId: string) => {
  await work.take(tenant, jobId, now);
  const start = await lastOf(tenant, jobId);
  if (start?.run_id !== null && start !== undefined) await end(tenant, start.run_id);
  return start;
};

describe('a start', () => {
  it("is a run of a session of the job's, under the token that lists, on behalf of who said last what the job is", async () => {
    const { tenant, job } = await made({ content: { input: 'look', system: 'be brief' }, principal: 'ann' });
    const start = await startAndEnd(tenant, job.job_id);
    expect(await sessions.read(tenant, start?.session_id ?? '')).toMatchObject({
      job_id: job.job_id,
      agent_id: job.agent_id,
      capability_token_id: job.run_token_id,
      content: { system: 'be brief', base: [] },
    });
    expect(await sessions.inputs(tenant, start?.session_id ?? '')).toMatchObject([
      { input: 'look', run: { run_id: start?.run_id, rounds_max: 3, created_by: job.changed_by } },
    ]);
    expect(
      (await store.admin.query('SELECT role, principal FROM orchestrator.run WHERE run_id = $1', [start?.run_id])).rows,
    ).toEqual([{ role: 'admin', principal: 'ann' }]);
  });

  it('begins a conversation of its own, or goes on with the one that is kept until that is full', async () => {
    const fresh = await made({});
    const [a, b] = [
      await startAndEnd(fresh.tenant, fresh.job.job_id),
      await startAndEnd(fresh.tenant, fresh.job.job_id),
    ];
    expect(a?.session_id).not.toBe(b?.session_id);
    const kept = await made({ conversation: 'kept' });
    const [c, d, e] = [
      await startAndEnd(kept.tenant, kept.job.job_id),
      await startAndEnd(kept.tenant, kept.job.job_id),
      await startAndEnd(kept.tenant, kept.job.job_id),
    ];
    expect([d?.session_id, e]).toEqual([
      c?.session_id,
      expect.objectContaining({ state: 'failed', reason: 'limit.exceeded' }),
    ]);
    await store.admin.query('DELETE FROM orchestrator.session WHERE session_id = $1', [c?.session_id]);
    expect((await startAndEnd(kept.tenant, kept.job.job_id))?.session_id).not.toBe(c?.session_id);
  });

  it('of what waits is made once, by one of all that take the job at once', async () => {
    const { tenant, job } = await made({});
    await jobs.ask(tenant, job.job_id, null, 10);
    const standings: number[] = [];
    await Promise.all(
      Array.from({ length: 8 }, () =>
        work.take(tenant, job.job_id, ({ queued, due_at }) => {
          standings.push(queued);
          return { told: null, due_at, starts: queued > 0 };
        }),
      ),
    );
    expect(standings.sort()).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
    expect((await store.admin.query('SELECT 1 FROM orchestrator.run WHERE tenant_id = $1', [tenant])).rowCount).toBe(1);
  });

  it('says so where the tenant has no room for a session, and the clock goes on', async () => {
    const { tenant, job } = await made({});
    for (let n = 0; n < 3; n += 1) await startAndEnd(tenant, job.job_id);
    expect(await startAndEnd(tenant, job.job_id)).toMatchObject({ state: 'failed', reason: 'limit.exceeded' });
    expect((await jobs.read(tenant, job.job_id))?.due_at).toBe(9_000_000_000_000);
  });
});

describe('the database', () => {
  it('has nothing of what a job asks in clear, and asks its runs to end with it', async () => {
    const { tenant, job } = await made({ content: { input: 'the secret plan', system: 'the secret plan' } });
    const { rows } = await store.admin.query<{ row: string }>('SELECT j::text AS row FROM orchestrator.job j');
    expect(
      rows.map(
        ({ row }) =>
          Buffer.from(row).includes(Buffer.from('secret plan').toString('hex')) || row.includes('secret plan'),
      ),
    ).not.toContain(true);
    await work.take(tenant, job.job_id, now);
    const start = await lastOf(tenant, job.job_id);
    await jobs.remove(tenant, job.job_id, 'ann');
    expect(await sessions.readRun(tenant, start?.run_id ?? '')).toMatchObject({ cancel_by: 'ann' });
  });
});
