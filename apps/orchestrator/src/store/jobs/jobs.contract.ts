// SPDX-License-Identifier: Apache-2.0
import { Fault, type AgentId, type Id, type TenantId } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { JobPlan, Jobs, JobStatus, JobSpec, JobWork } from './jobs.ts';

export const newJob = (by: Id<'apiKey'>, more: Partial<JobSpec> = {}): JobSpec & { readonly job_id: Id<'job'> } => ({
  job_id: newId('job'),
  name: 'nightly',
  cron: '0 3 * * *',
  time_zone: 'UTC',
  agent_id: newId('agent') as AgentId,
  workspace_id: newId('workspace'),
  capability_token_id: newId('token'),
  run_token_id: newId('token'),
  tools: ['fs.write'],
  dialect: 'native',
  model: 'm',
  conversation: 'fresh',
  overlap: 'skip',
  missed: 'skip',
  scheduling_class: 'background',
  rounds_max: 3,
  tokens_max: null,
  cost_max: null,
  content: { input: 'do it', system: null },
  by,
  principal: null,
  due_at: 1,
  ...more,
});

/** What the suite needs besides the ports. */
export interface JobsUnderTest {
  readonly jobs: () => Jobs;
  readonly work: () => JobWork;
  /** a key of the tenant */
  readonly key: (tenant: TenantId) => Promise<Id<'apiKey'>>;
  readonly revoke: (tenant: TenantId, key: string) => Promise<void>;
  /** ends a run that a job started */
  readonly end: (tenant: TenantId, runId: string) => Promise<void>;
}

const PAGE = { cursor: null, limit: 50 };
/** A plan that records a due time and starts it where no run is in progress; the next due time is far away. */
const go = ({ due_at, now, queued, unended }: JobStatus): JobPlan => {
  const came = due_at !== null && due_at <= now;
  return {
    dueStart: came ? { due_at, state: 'queued', reason: null } : null,
    due_at: came ? 9_000_000_000_000 : due_at,
    startsNext: queued + (came ? 1 : 0) > 0 && unended === 0,
  };
};

export function jobsContract(name: string, { jobs, work, key, revoke, end }: JobsUnderTest): void {
  describe(`jobs of ${name}`, () => {
    const made = async (more: Partial<JobSpec> = {}) => {
      const tenant = newId('tenant');
      const by = await key(tenant);
      return { tenant, by, job: await jobs().create(tenant, newJob(by, more), 10) };
    };
    const starts = async (tenant: TenantId, jobId: string) => (await jobs().starts(tenant, jobId, PAGE)).items;
    const take = (tenant: TenantId, jobId: string, plan = go) => work().applyPlan(tenant, jobId, plan);
    const codeOf = (refused: Promise<unknown>) =>
      refused.then(
        () => 'allowed',
        (error: unknown) => (error as Fault).code,
      );

    it('are stored as given, listed newest first, and only for their tenant', async () => {
      const { tenant, by, job } = await made();
      expect(job).toMatchObject({
        state: 'active',
        tools: ['fs.write'],
        content: { input: 'do it', system: null },
        created_by: by,
        changed_by: by,
        due_at: 1,
      });
      expect(await jobs().read(tenant, job.job_id)).toEqual(job);
      const second = await jobs().create(tenant, newJob(by), 10);
      const first = await jobs().list(tenant, { cursor: null, limit: 1 }, null);
      expect(
        [first.items, (await jobs().list(tenant, { cursor: first.next_cursor, limit: 1 }, null)).items]
          .flat()
          .map(({ job_id }) => job_id)
          .sort(),
      ).toEqual([job.job_id, second.job_id].sort());
      expect((await jobs().list(tenant, PAGE, second.agent_id)).items.map(({ job_id }) => job_id)).toEqual([
        second.job_id,
      ]);
      const other = newId('tenant');
      expect([
        await jobs().read(other, job.job_id),
        await jobs().change(other, job.job_id, newJob(by)),
        await jobs().pause(other, job.job_id),
        await jobs().resume(other, job.job_id, 1),
        await jobs().remove(other, job.job_id, 'x'),
        await jobs().queueStart(other, job.job_id, null, 5),
      ]).toEqual([null, null, null, null, null, null]);
      expect((await jobs().list(other, PAGE, null)).items).toEqual([]);
      await take(other, job.job_id, () => {
        throw new Error("it is not the tenant's");
      });
      expect(await codeOf(jobs().create(tenant, newJob(by), 2))).toBe('limit.exceeded');
    });

    it('are found by the key that created them, or on whose behalf they run, and by no other key', async () => {
      const { tenant, by, job } = await made();
      const another = await key(tenant);
      expect(await jobs().madeBy(tenant, by, 10)).toEqual([{ job_id: job.job_id, name: job.name, state: 'active' }]);
      expect(await jobs().madeBy(tenant, another, 10)).toEqual([]);
      await jobs().change(tenant, job.job_id, newJob(another));
      for (const one of [by, another])
        expect(await jobs().madeBy(tenant, one, 10)).toMatchObject([{ job_id: job.job_id }]);
      expect(await jobs().madeBy(tenant, by, 0)).toEqual([]);
      expect(await jobs().madeBy(newId('tenant'), by, 10)).toEqual([]);
    });

    it('are replaced on behalf of the caller, and stay paused if they were', async () => {
      const { tenant, job } = await made();
      const by = await key(tenant);
      const { job_id: _new, ...wish } = newJob(by, { cron: '@daily', tools: [], due_at: 7 });
      expect(await jobs().change(tenant, job.job_id, wish)).toMatchObject({
        job_id: job.job_id,
        cron: '@daily',
        tools: [],
        changed_by: by,
        created_by: job.created_by,
        due_at: 7,
      });
      expect(await jobs().pause(tenant, job.job_id)).toMatchObject({ state: 'paused', due_at: null });
      expect(await jobs().change(tenant, job.job_id, wish)).toMatchObject({ state: 'paused', due_at: null });
      expect(await jobs().resume(tenant, job.job_id, 9)).toMatchObject({ state: 'active', due_at: 9 });
    });

    it('are due by the clock, and start once for any number of concurrent replicas', async () => {
      const { tenant, job } = await made();
      expect(await work().due(1_000)).toContainEqual({ tenant_id: tenant, job_id: job.job_id });
      await Promise.all(Array.from({ length: 8 }, () => take(tenant, job.job_id)));
      expect(await starts(tenant, job.job_id)).toMatchObject([
        {
          due_at: 1,
          by_hand: false,
          state: 'started',
          session_id: expect.any(String) as string,
          run_id: expect.any(String) as string,
        },
      ]);
      expect((await jobs().read(tenant, job.job_id))?.due_at).toBe(9_000_000_000_000);
      expect(await work().due(1_000)).not.toContainEqual({ tenant_id: tenant, job_id: job.job_id });
    });

    it('record no due time twice, even if a clock lags behind', async () => {
      const { tenant, job } = await made();
      await take(tenant, job.job_id);
      await jobs().resume(tenant, job.job_id, 1);
      await take(tenant, job.job_id);
      expect(await starts(tenant, job.job_id)).toHaveLength(1);
      expect((await jobs().read(tenant, job.job_id))?.due_at).toBe(9_000_000_000_000);
    });

    it('leave no rows behind if their start fails', async () => {
      const { tenant, job } = await made();
      await expect(
        take(tenant, job.job_id, () => {
          throw new Error('no');
        }),
      ).rejects.toThrow('no');
      expect([await starts(tenant, job.job_id), (await jobs().read(tenant, job.job_id))?.due_at]).toEqual([[], 1]);
    });

    it('start on request, once per idempotency key, behind unfinished runs, even if paused', async () => {
      const { tenant, job } = await made({ due_at: 9_000_000_000_000 });
      await jobs().pause(tenant, job.job_id);
      const asked = await jobs().queueStart(tenant, job.job_id, 'k', 2);
      expect(await jobs().queueStart(tenant, job.job_id, 'k', 2)).toEqual(asked);
      const second = await jobs().queueStart(tenant, job.job_id, null, 2);
      expect(await codeOf(jobs().queueStart(tenant, job.job_id, null, 2))).toBe('limit.exceeded');
      expect(await work().due(1_000)).toContainEqual({ tenant_id: tenant, job_id: job.job_id });
      await take(tenant, job.job_id);
      await take(tenant, job.job_id);
      const of = async (id: string | undefined) =>
        (await starts(tenant, job.job_id)).find(({ start_id }) => start_id === id);
      const first = (await starts(tenant, job.job_id)).find(({ state }) => state === 'started');
      const waiting = first?.start_id === asked?.start_id ? second?.start_id : asked?.start_id;
      expect([first?.by_hand, (await of(waiting))?.state]).toEqual([true, 'queued']);
      expect(await work().due(1_000)).not.toContainEqual({ tenant_id: tenant, job_id: job.job_id });
      await end(tenant, first?.run_id ?? '');
      expect(await work().due(1_000)).toContainEqual({ tenant_id: tenant, job_id: job.job_id });
      await take(tenant, job.job_id);
      expect(await of(waiting)).toMatchObject({ state: 'started' });
    });

    it("don't start on behalf of a key that is no longer valid, and record that reason", async () => {
      const { tenant, by, job } = await made();
      await revoke(tenant, by);
      await take(tenant, job.job_id);
      expect(await starts(tenant, job.job_id)).toMatchObject([
        { state: 'failed', reason: 'auth.invalid', run_id: null },
      ]);
    });

    it('are deleted with their starts', async () => {
      const { tenant, job } = await made();
      await take(tenant, job.job_id);
      expect(await jobs().remove(tenant, job.job_id, 'me')).toMatchObject({ job_id: job.job_id });
      expect([await jobs().read(tenant, job.job_id), await starts(tenant, job.job_id)]).toEqual([null, []]);
    });
  });
}
