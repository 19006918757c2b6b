// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { jobsContract, newJob } from './jobs.contract.ts';
import type { JobPlan, JobStatus } from './jobs.ts';
import { testStore, type TestStore } from '../../specs/test-store.ts';
import { PgJobWork } from './pg-job-work.ts';
import { PgJobs } from './pg-jobs.ts';
import { PgSessions } from '../session-rows/pg-sessions.ts';
import { SessionSeal } from '../session-rows/session-seal.ts';

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

/** A plan that records a due time of now, and starts it. */
const now = ({ now: at }: JobStatus): JobPlan => ({
  dueStart: { due_at: at, state: 'queued', reason: null },
  due_at: 9_000_000_000_000,
  startsNext: true,
});
const made = async (more: Parameters<typeof newJob>[1]) => {
  const tenant = newId('tenant');
  return { tenant, job: await jobs.create(tenant, newJob(await store.key(tenant), more), 10) };
};
const lastOf = async (tenant: TenantId, jobId: string) =>
  (await jobs.starts(tenant, jobId, { cursor: null, limit: 1 })).items[0];
const startAndEnd = async (tenant: TenantId, jobId: string) => {
  await work.applyPlan(tenant, jobId, now);
  const start = await lastOf(tenant, jobId);
  if (start?.run_id !== null && start !== undefined) await end(tenant, start.run_id);
  return start;
};

describe('a start', () => {
  it("is a run of a session of the job, under the job's token, on behalf of the last person to change it", async () => {
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

  it("has a session with the job's scheduling class, and after a change one with the new class", async () => {
    const { tenant, job } = await made({ conversation: 'kept', scheduling_class: 'maintenance' });
    const classOf = async (sessionId: string | null | undefined) =>
      (await sessions.read(tenant, sessionId ?? ''))?.scheduling_class;
    expect(await classOf((await startAndEnd(tenant, job.job_id))?.session_id)).toBe('maintenance');
    await jobs.change(
      tenant,
      job.job_id,
      newJob(job.changed_by, { conversation: 'kept', scheduling_class: 'interactive' }),
    );
    expect(await classOf((await startAndEnd(tenant, job.job_id))?.session_id)).toBe('interactive');
  });

  it('begins a new conversation, or continues the kept one until that is full', async () => {
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

  it('that waits begins once, in one of several concurrent transactions', async () => {
    const { tenant, job } = await made({});
    await jobs.queueStart(tenant, job.job_id, null, 10);
    const standings: number[] = [];
    await Promise.all(
      Array.from({ length: 8 }, () =>
        work.applyPlan(tenant, job.job_id, ({ queued, due_at }) => {
          standings.push(queued);
          return { dueStart: null, due_at, startsNext: queued > 0 };
        }),
      ),
    );
    expect(standings.sort()).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
    expect((await store.admin.query('SELECT 1 FROM orchestrator.run WHERE tenant_id = $1', [tenant])).rowCount).toBe(1);
  });

  it('fails with that reason if the tenant has too many sessions, and the schedule continues', async () => {
    const { tenant, job } = await made({});
    for (let n = 0; n < 3; n += 1) await startAndEnd(tenant, job.job_id);
    expect(await startAndEnd(tenant, job.job_id)).toMatchObject({ state: 'failed', reason: 'limit.exceeded' });
    expect((await jobs.read(tenant, job.job_id))?.due_at).toBe(9_000_000_000_000);
  });
});

describe('the database', () => {
  it('holds no text of a job in clear, and cancels its runs when it is deleted', async () => {
    const { tenant, job } = await made({ content: { input: 'the secret plan', system: 'the secret plan' } });
    const { rows } = await store.admin.query<{ row: string }>('SELECT j::text AS row FROM orchestrator.job j');
    expect(
      rows.map(
        ({ row }) =>
          Buffer.from(row).includes(Buffer.from('secret plan').toString('hex')) || row.includes('secret plan'),
      ),
    ).not.toContain(true);
    await work.applyPlan(tenant, job.job_id, now);
    const start = await lastOf(tenant, job.job_id);
    await jobs.remove(tenant, job.job_id, 'ann');
    expect(await sessions.readRun(tenant, start?.run_id ?? '')).toMatchObject({ cancel_by: 'ann' });
  });
});

it('a run of a job tells the name of the job and the start, also once the job has another name, and while it is', async () => {
  const { tenant, job } = await made({ name: 'nightly' });
  const { run_id, session_id, due_at } = (await startAndEnd(tenant, job.job_id))!;
  const start = { run_id, session_id, job_id: job.job_id, by_hand: false, due_at };
  expect(await sessions.startOf(tenant, run_id!)).toEqual({ ...start, job_name: 'nightly' });
  await jobs.remove(tenant, job.job_id, 'me');
  expect(await sessions.startOf(tenant, run_id!)).toEqual({ ...start, job_name: null, by_hand: null, due_at: null });
});
