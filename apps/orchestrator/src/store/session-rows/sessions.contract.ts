// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import {
  BOUNDS,
  LEASE_MS,
  newRun,
  newSession,
  REPLIED,
  SUMS,
  SessionSteps,
  type SessionStoreUnderTest,
} from '../../specs/session-steps.ts';
import { LeaseLost, type UsageBy } from './sessions.ts';

/** The contract of every store of sessions and runs. */
export function sessionsContract(name: string, of: SessionStoreUnderTest): void {
  describe(`sessions in ${name}`, () => {
    let steps: SessionSteps;
    beforeEach(async () => {
      steps = await SessionSteps.begin(of);
    });

    it('stores what it is given, and shows each tenant only its own', async () => {
      const session = await steps.make({ name: 'first' });
      const run = await steps.queue(session.session_id);
      expect(await of.sessions().read(steps.tenant, session.session_id)).toEqual({
        ...session,
        content: { system: 'be kind', base: [] },
      });
      expect(run).toMatchObject({
        state: 'queued',
        stopped: null,
        events: 0,
        cost: null,
        waits_for: [],
        created_by: steps.key,
        started_at: null,
      });
      const other = newId('tenant') as TenantId;
      expect(await of.sessions().read(other, session.session_id)).toBeNull();
      expect(await of.sessions().readRun(other, run.run_id)).toBeNull();
      expect(await of.sessions().cancel(other, run.run_id, 'me')).toBeNull();
      expect(await of.sessionTexts().reach(other, { whole: session.session_id })).toEqual({
        session_ids: [],
        at_work: 0,
        jobs: [],
      });
      expect(await of.sessions().queue(other, newRun(session.session_id, steps.key), BOUNDS)).toBeNull();
      expect(
        (
          await of
            .sessions()
            .list(other, { cursor: null, limit: 10 }, { agent_id: null, workspace_id: null, run_id: null })
        ).items,
      ).toEqual([]);
    });

    it('lists newest first, page by page, by agent and by workspace', async () => {
      const [a, b] = [await steps.make(), await steps.make()];
      const list = (page: { cursor: string | null; limit: number }, by = {}) =>
        of.sessions().list(steps.tenant, page, { agent_id: null, workspace_id: null, run_id: null, ...by });
      const first = await list({ cursor: null, limit: 1 });
      const rest = await list({ cursor: first.next_cursor, limit: 5 });
      expect([...first.items, ...rest.items].map(({ session_id }) => session_id).sort()).toEqual(
        [a.session_id, b.session_id].sort(),
      );
      expect((await list({ cursor: null, limit: 5 }, { agent_id: a.agent_id })).items).toEqual([a]);
      expect((await list({ cursor: null, limit: 5 }, { workspace_id: b.workspace_id })).items).toEqual([b]);
    });

    it('bounds sessions, runs, and runs that have not ended', async () => {
      const { session_id } = await steps.make();
      await expect(of.sessions().create(steps.tenant, newSession(), 1)).rejects.toMatchObject({
        code: 'limit.exceeded',
      });
      for (let n = 0; n < BOUNDS.unendedMax; n++) await steps.queue(session_id);
      await expect(steps.queue(session_id)).rejects.toMatchObject({ code: 'limit.exceeded' });
    });

    it('returns the earlier run for an idempotency key that was used before', async () => {
      const { session_id } = await steps.make();
      const run = await steps.queue(session_id, { idempotency_key: 'k' });
      expect(await steps.queue(session_id, { idempotency_key: 'k', input: 'other' })).toEqual(run);
      expect((await of.sessions().inputs(steps.tenant, session_id)).map(({ input }) => input)).toEqual(['do it']);
      expect([
        await of.sessions().input(steps.tenant, run.run_id),
        await of.sessions().input(newId('tenant'), run.run_id),
        await of.sessions().input(steps.tenant, newId('run')),
      ]).toEqual(['do it', null, null]);
    });

    it('sums usage by model, session, agent and day, including deleted sessions', async () => {
      const [a, b] = [await steps.make(), await steps.make({ model: 'n' })];
      for (const { session_id } of [a, b]) {
        await steps.queue(session_id);
        const one = await steps.begun();
        await of.work().append(one, 1, REPLIED, SUMS, LEASE_MS);
        await steps.end(one, 2);
      }
      const usage = async (by: UsageBy) =>
        (await of.sessions().usage(steps.tenant, 0, Number.MAX_SAFE_INTEGER, by)).map((row) => [
          row.of,
          row.model,
          row.runs,
          row.cost,
        ]);
      const all = async () => [
        await usage('model'),
        await usage('session'),
        await usage('agent'),
        (await usage('day')).map(([day, ...row]) => [String(day).length, ...row]),
      ];
      const sorted = (rows: unknown[][]) => rows.sort((x, y) => (String(x[0]) < String(y[0]) ? -1 : 1));
      const before = await all();
      expect(before).toEqual([
        [
          [null, 'm', 1, 30],
          [null, 'n', 1, 30],
        ],
        sorted([
          [a.session_id, 'm', 1, 30],
          [b.session_id, 'n', 1, 30],
        ]),
        sorted([
          [a.agent_id, 'm', 1, 30],
          [b.agent_id, 'n', 1, 30],
        ]),
        [
          [10, 'm', 1, 30],
          [10, 'n', 1, 30],
        ],
      ]);
      await steps.remove(a.session_id);
      expect(await all()).toEqual(before);
      expect(await of.sessions().usage(newId('tenant') as TenantId, 0, Number.MAX_SAFE_INTEGER, 'model')).toEqual([]);
      expect(await of.sessions().usage(steps.tenant, 0, 1, 'model')).toEqual([]);
    });

    it('starts one sub-agent for a call of a turn, however often and however concurrently it is requested', async () => {
      const operation_id = newId('operation');
      const requested = () => {
        const session = newSession({
          spawned_by: { run_id: null, operation_id },
          session_mode: 'gateway',
          created_by: steps.key,
        });
        return of.sessions().spawn(steps.tenant, session, newRun(session.session_id, steps.key), 10);
      };
      expect(await of.sessions().subAgentRun(steps.tenant, operation_id)).toBeNull();
      const made = await Promise.all([requested(), requested(), requested()]);
      expect(new Set(made.map(({ run_id }) => run_id)).size).toBe(1);
      expect(await requested()).toEqual(made[0]);
      expect(await of.sessions().subAgentRun(steps.tenant, operation_id)).toEqual(made[0]);
      expect(await of.sessions().subAgentRun(newId('tenant') as TenantId, operation_id)).toBeNull();
      const [session, ...others] = (
        await of
          .sessions()
          .list(steps.tenant, { cursor: null, limit: 5 }, { agent_id: null, workspace_id: null, run_id: null })
      ).items;
      expect([session, others]).toMatchObject([
        { spawned_by: { run_id: null, operation_id }, session_mode: 'gateway' },
        [],
      ]);
      const session_id = newSession().session_id;
      await expect(
        of
          .sessions()
          .spawn(
            steps.tenant,
            newSession({ session_id, spawned_by: { run_id: null, operation_id: newId('operation') } }),
            newRun(session_id, steps.key),
            1,
          ),
      ).rejects.toMatchObject({ code: 'limit.exceeded' });
    });

    it('tells what began a run: its session and job, and of sub-agents those at the top', async () => {
      const job_id = newId('job');
      const [plain, job] = [await steps.make(), await steps.make({ job_id })];
      const [run, top] = [await steps.queue(plain.session_id), await steps.queue(job.session_id)];
      const below = async (run_id: typeof top.run_id) => {
        const session = await steps.make({ spawned_by: { run_id, operation_id: newId('operation') }, job_id });
        return await steps.queue(session.session_id);
      };
      const lowest = await below((await below(top.run_id)).run_id);
      const start = (tenant: TenantId, run_id: string) => of.sessions().startOf(tenant, run_id);
      const unknown = { job_name: null, by_hand: null, due_at: null };
      const { run_id, session_id } = run;
      expect(await start(steps.tenant, run_id)).toEqual({ run_id, session_id, job_id: null, ...unknown });
      const begun = { run_id: top.run_id, session_id: job.session_id, job_id, ...unknown };
      for (const each of [top, lowest]) expect(await start(steps.tenant, each.run_id)).toEqual(begun);
      expect(await start(newId('tenant') as TenantId, run_id)).toBeNull();
      expect(await start(steps.tenant, newId('run'))).toBeNull();
    });

    it('deletes a session with all its rows, but not while a run is active', async () => {
      const { session_id } = await steps.make();
      const { run_id } = await steps.queue(session_id);
      const one = await steps.begun();
      expect(await of.sessionTexts().reach(steps.tenant, { alone: session_id })).toMatchObject({ at_work: 1 });
      await steps.end(one, 1);
      expect(await steps.remove(session_id)).toBe(true);
      expect(await of.sessions().readRun(steps.tenant, run_id)).toBeNull();
      expect(await of.sessions().events(steps.tenant, run_id, 0, 5)).toEqual([]);
      await expect(of.work().open(one)).rejects.toThrow(LeaseLost);
    });
  });
}
