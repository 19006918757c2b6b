// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import {
  all,
  ENDED,
  LEASE_MS,
  newRun,
  newSession,
  REPLIED,
  SUMS,
  SessionSteps,
  type SessionStoreUnderTest,
} from '../../specs/session-steps.ts';
import type { KeptEvent } from './run-events.ts';
import { LeaseLost, type RunClaim } from './sessions.ts';

/** The contract of every store of runs, for replicas that drive them. */
export function runWorkContract(name: string, of: SessionStoreUnderTest): void {
  describe(`runs in ${name}`, () => {
    let steps: SessionSteps;
    beforeEach(async () => {
      steps = await SessionSteps.begin(of);
    });

    it('claims the runs of a session one after another, and each only once', async () => {
      const { session_id } = await steps.make();
      const [first, second] = [await steps.queue(session_id), await steps.queue(session_id)];
      const claims = (await Promise.all([steps.claim(), steps.claim(), steps.claim()])).flat();
      expect(claims).toEqual([{ tenant_id: steps.tenant, run_id: first.run_id, fence: 1 }]);
      await of.work().begin(claims[0]!, { system: 's', tools: [] });
      await of.work().append(claims[0]!, 1, REPLIED, SUMS, LEASE_MS);
      await steps.end(claims[0]!, 2);
      expect(await steps.claim()).toEqual([{ tenant_id: steps.tenant, run_id: second.run_id, fence: 1 }]);
    });

    it('opens a run with its prompt, its events and the runs before it', async () => {
      const { session_id } = await steps.make();
      await steps.queue(session_id, { input: 'one' });
      const one = await steps.begun();
      await of.work().append(one, 1, REPLIED, SUMS, LEASE_MS);
      await steps.end(one, 2);
      await steps.queue(session_id, { input: 'two' });
      const [two] = await steps.claim();
      const { events, earlier, ...open } = await of.work().open(two!);
      expect(open).toMatchObject({
        input: 'two',
        prompt: null,
        revoked: false,
        session: { session_id, content: { system: 'be kind' } },
        run: { role: 'admin' },
      });
      expect([await all(events), earlier.map(({ input }) => input), await all(earlier[0]!.events)]).toEqual([
        [],
        ['one'],
        [REPLIED, { kind: 'ended', stopped: 'end' }],
      ]);
      expect(await of.sessions().events(steps.tenant, one.run_id, 1, 5)).toMatchObject([
        { seq: 2, event: { kind: 'ended' } },
      ]);
      expect(await of.sessions().readRun(steps.tenant, one.run_id)).toMatchObject({
        state: 'ended',
        stopped: 'end',
        events: 2,
        rounds: 1,
        input_tokens: 7,
        cost: 30,
        ended_at: expect.any(Number) as number,
      });
      expect(await of.sessions().usage(steps.tenant, 0, Number.MAX_SAFE_INTEGER, 'model')).toEqual([
        { of: null, model: 'm', runs: 2, input_tokens: 7, cached_tokens: 1, output_tokens: 2, cost: 30 },
      ]);
    });

    it('reads all events of a run in order, over any number of pages', async () => {
      await steps.queue((await steps.make()).session_id);
      const one = await steps.begun();
      const said = Array.from({ length: 45 }, (_none, n): KeptEvent => ({
        kind: 'replied',
        turn: { text: String(n), calls: [], stop: 'end' },
      }));
      for (const [n, event] of said.entries()) await of.work().append(one, n + 1, event, SUMS, LEASE_MS);
      expect(await all((await of.work().open(one)).events)).toEqual(said);
    });

    it('changes nothing for a replica that lost the lease', async () => {
      const { session_id } = await steps.make();
      await steps.queue(session_id);
      const old = await steps.begun();
      await of.advance(LEASE_MS + 1);
      for (const late of [
        () => of.work().append(old, 1, REPLIED, SUMS, LEASE_MS),
        () => of.work().wait(old, ['op'], 0),
        () => of.work().release(old, 0),
        () => of.work().open(old),
      ])
        await expect(late()).rejects.toThrow(LeaseLost);
      expect(await of.work().renew([old], LEASE_MS)).toEqual([]);
      const [heir] = await steps.claim();
      expect(heir).toEqual({ ...old, fence: old.fence + 1 });
      await of.work().append(heir!, 1, REPLIED, SUMS, LEASE_MS);
      // The fenced replica tries the same position, and the next one.
      for (const seq of [1, 2])
        await expect(of.work().append(old, seq, REPLIED, SUMS, LEASE_MS)).rejects.toThrow(LeaseLost);
      await expect(of.work().append(heir!, 1, REPLIED, SUMS, LEASE_MS)).rejects.toThrow(LeaseLost);
      await expect(of.work().append(heir!, 3, REPLIED, SUMS, LEASE_MS)).rejects.toThrow(LeaseLost);
      expect((await of.sessions().events(steps.tenant, old.run_id, 0, 10)).map(({ seq }) => seq)).toEqual([1]);
    });

    it('renews valid claims, and returns which runs are to be cancelled', async () => {
      const { session_id } = await steps.make();
      await steps.queue(session_id);
      const one = await steps.begun();
      await of.advance(LEASE_MS - 5_000);
      expect(await of.work().renew([one], LEASE_MS)).toEqual([
        { run_id: one.run_id, cancelled: false, revoked: false },
      ]);
      await of.advance(LEASE_MS - 5_000);
      expect(await of.sessions().cancel(steps.tenant, one.run_id, 'ann')).toMatchObject({
        cancel_by: 'ann',
        state: 'running',
      });
      expect(await of.sessions().cancel(steps.tenant, one.run_id, 'bob')).toMatchObject({ cancel_by: 'ann' });
      expect(await of.work().renew([one], LEASE_MS)).toEqual([{ run_id: one.run_id, cancelled: true, revoked: false }]);
      expect(await of.work().append(one, 1, REPLIED, SUMS, LEASE_MS)).toMatchObject({
        cancelled: true,
        revoked: false,
      });
    });

    it('does not claim a waiting run until it is woken or its time has come', async () => {
      const { session_id } = await steps.make();
      const { run_id } = await steps.queue(session_id);
      await of.work().wait(await steps.begun(), ['op_1'], 30_000);
      expect(await of.sessions().readRun(steps.tenant, run_id)).toMatchObject({
        state: 'waiting',
        waits_for: ['op_1'],
      });
      expect(await steps.claim()).toEqual([]);
      await of.work().wake(steps.tenant, run_id);
      const [again] = await steps.claim();
      await of.work().wait(again!, ['op_1'], 30_000);
      await of.advance(30_001);
      expect(await steps.claim()).toHaveLength(1);
    });

    it('claims a run that is to be cancelled while others of its session are active', async () => {
      const { session_id } = await steps.make();
      await steps.queue(session_id);
      const second = await steps.queue(session_id);
      await steps.begun();
      await of.sessions().cancel(steps.tenant, second.run_id, 'ann');
      const [only] = await steps.claim();
      expect(only).toMatchObject({ run_id: second.run_id });
      await of.work().append(only!, 1, { kind: 'cancelled', by: 'ann' }, { ...SUMS, state: 'queued' }, LEASE_MS);
      await of
        .work()
        .append(only!, 2, { kind: 'ended', stopped: 'cancelled' }, { ...ENDED, stopped: 'cancelled' }, LEASE_MS);
      expect(await of.sessions().readRun(steps.tenant, second.run_id)).toMatchObject({
        state: 'ended',
        stopped: 'cancelled',
        started_at: null,
      });
    });

    it("claims runs of the replica's own models, and of models that no replica has had for long", async () => {
      const [{ session_id: m }, { session_id: other }] = [await steps.make(), await steps.make({ model: 'elsewhere' })];
      const mine = await steps.queue(m);
      const theirs = await steps.queue(other);
      const claimBy = async (models: readonly string[], goneMs: number | null) =>
        (await of.work().claim({ rows: 1_000, tenantMax: 50, leaseMs: LEASE_MS, models, goneMs }))
          .filter(({ tenant_id }) => tenant_id === steps.tenant)
          .map(({ run_id }) => run_id);
      expect(await claimBy([], null)).toEqual([]);
      expect(await claimBy(['m'], null)).toEqual([mine.run_id]);
      await of.work().claim({ rows: 0, tenantMax: 1, leaseMs: LEASE_MS, models: ['elsewhere'], goneMs: null });
      expect(await claimBy(['m'], 60_000)).toEqual([]);
      expect(await claimBy(['m'], 0)).toEqual([theirs.run_id]);
      await of.advance(LEASE_MS + 1);
      expect(await claimBy(['elsewhere'], null)).toEqual([theirs.run_id]);
    });

    it('claims a run that is to be cancelled for any replica, whatever its model', async () => {
      const { session_id } = await steps.make({ model: 'elsewhere' });
      const { run_id } = await steps.queue(session_id);
      await of.sessions().cancel(steps.tenant, run_id, 'ann');
      const claimed = await of
        .work()
        .claim({ rows: 1_000, tenantMax: 50, leaseMs: LEASE_MS, models: ['m'], goneMs: null });
      expect(claimed.filter(({ tenant_id }) => tenant_id === steps.tenant)).toMatchObject([{ run_id }]);
    });

    it('reserves at most the limit for all runs of a tenant, and an event replaces the reservation by the cost', async () => {
      const [first, second] = [await steps.make(), await steps.make()];
      for (const { session_id } of [first, second]) await steps.queue(session_id);
      const [a, b] = (await steps.claim()) as [RunClaim, RunClaim];
      const reserve = (one: RunClaim, amount: number) => of.work().reserve(one, amount, 100);
      expect((await Promise.all([reserve(a, 60), reserve(b, 60)])).filter((may) => may)).toHaveLength(1);
      expect([await reserve(a, 40), await reserve(b, 40), await reserve(a, 61), await reserve(a, 60)]).toEqual([
        true,
        true,
        false,
        true,
      ]);
      await of.work().append(a, 1, REPLIED, SUMS, LEASE_MS);
      // It cost 30, and 40 are reserved for the other run.
      expect([await reserve(a, 31), await reserve(a, 30)]).toEqual([false, true]);
      await steps.end(a, 2);
      await steps.remove((await of.sessions().readRun(steps.tenant, a.run_id))!.session_id);
      expect([await reserve(b, 71), await reserve(b, 70)]).toEqual([false, true]);
      await of.advance(LEASE_MS + 1);
      await expect(reserve(b, 1)).rejects.toThrow(LeaseLost);
    });

    it('starts one sub-agent per operation, whose session is listed by its parent run and deleted with it', async () => {
      const { session_id } = await steps.make();
      await steps.queue(session_id);
      const above = await steps.begun();
      const operationId = newId('operation');
      const spawn = async (operation_id = operationId) => {
        const session = newSession({ spawned_by: { run_id: above.run_id, operation_id } });
        return await of
          .work()
          .spawn(above, session, newRun(session.session_id, steps.key, { input: 'look', cost_max: 9 }), 1);
      };
      expect(await of.work().subAgentRun(above, operationId)).toBeNull();
      const run = await spawn();
      expect((await Promise.all([spawn(), spawn()])).map(({ run_id }) => run_id)).toEqual([run.run_id, run.run_id]);
      await expect(spawn(newId('operation'))).rejects.toMatchObject({ code: 'limit.exceeded' });
      const list = async (run_id: string | null) =>
        (
          await of
            .sessions()
            .list(steps.tenant, { cursor: null, limit: 5 }, { agent_id: null, workspace_id: null, run_id })
        ).items.map((each) => each.session_id);
      expect([await list(null), await list(above.run_id)]).toEqual([[session_id], [run.session_id]]);
      expect(await of.sessions().read(steps.tenant, run.session_id)).toMatchObject({
        spawned_by: { run_id: above.run_id, operation_id: operationId },
      });
      await of.work().append(above, 1, { kind: 'ended', stopped: 'end' }, ENDED, LEASE_MS);
      const below = await steps.begun();
      expect(await of.sessionTexts().reach(steps.tenant, { alone: session_id })).toMatchObject({ at_work: 1 });
      await steps.end(below, 1);
      const there = await of.work().subAgentRun(above, operationId);
      expect([there!.run, await all(there!.events)]).toMatchObject([
        { run_id: run.run_id, state: 'ended', cost_max: 9 },
        [{ kind: 'ended' }],
      ]);
      expect(await steps.remove(session_id)).toBe(true);
      expect(await of.sessions().readRun(steps.tenant, run.run_id)).toBeNull();
    });

    it('wakes a run when an awaited sub-agent has ended, before or after it waits, and cancels its sub-agents with it', async () => {
      const { session_id } = await steps.make();
      await steps.queue(session_id);
      const above = await steps.begun();
      const operation_id = newId('operation');
      const session = newSession({ spawned_by: { run_id: above.run_id, operation_id } });
      const { run_id } = await of.work().spawn(above, session, newRun(session.session_id, steps.key), 5);
      await of.work().cancelSubAgents(above, 'above');
      expect(await of.sessions().readRun(steps.tenant, run_id)).toMatchObject({ cancel_by: 'above' });
      await of.work().wait(above, [], 30_000, [operation_id]);
      const below = await steps.begun();
      expect(below.run_id).toBe(run_id);
      expect(await steps.claim()).toEqual([]);
      await steps.end(below, 1);
      const [again] = await steps.claim();
      expect(again).toMatchObject({ run_id: above.run_id });
      await of.work().wait(again!, [], 30_000, [operation_id]);
      expect(await steps.claim()).toMatchObject([{ run_id: above.run_id }]);
      await of.advance(LEASE_MS + 1);
      await expect(
        of
          .work()
          .spawn(
            above,
            newSession({ spawned_by: { run_id: above.run_id, operation_id: newId('operation') } }),
            newRun(session.session_id, steps.key),
            5,
          ),
      ).rejects.toThrow(LeaseLost);
    });

    it('reports a revoked key to the replicas that drive its runs', async () => {
      const { session_id } = await steps.make();
      await steps.queue(session_id);
      const one = await steps.begun();
      await of.revoke(steps.tenant, steps.key);
      expect(await of.work().append(one, 1, REPLIED, SUMS, LEASE_MS)).toMatchObject({ revoked: true });
      expect(await of.work().open(one)).toMatchObject({ revoked: true });
      expect(await of.work().renew([one], LEASE_MS)).toEqual([{ run_id: one.run_id, cancelled: false, revoked: true }]);
    });
  });
}
