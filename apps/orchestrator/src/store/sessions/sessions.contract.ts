// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import type { AgentId, Id, TenantId, TextOrder } from '@writ/contract';
import type { KeptEvent } from './run-events.ts';
import type { SaidTexts } from './said-texts.ts';
import {
  LeaseLost,
  type NewRun,
  type NewSession,
  type RunClaim,
  type RunSums,
  type RunWork,
  type Sessions,
  type UsageBy,
} from './sessions.ts';

export const newSession = (over: Partial<NewSession> = {}): NewSession => ({
  session_id: newId('session'),
  name: null,
  agent_id: newId('agent') as AgentId,
  workspace_id: newId('workspace'),
  capability_token_id: newId('token'),
  dialect: 'native',
  model: 'm',
  forked_from: null,
  spawned_by: null,
  job_id: null,
  created_by: newId('apiKey'),
  content: { system: 'be kind', base: [] },
  ...over,
});
export const newRun = (session_id: Id<'session'>, created_by: Id<'apiKey'>, over: Partial<NewRun> = {}): NewRun => ({
  run_id: newId('run'),
  session_id,
  idempotency_key: null,
  input: 'do it',
  rounds_max: null,
  tokens_max: null,
  cost_max: null,
  created_by,
  role: 'admin',
  principal: null,
  ...over,
});

async function all<T>(of: AsyncIterable<T>): Promise<T[]> {
  const each: T[] = [];
  for await (const one of of) each.push(one);
  return each;
}

const BOUNDS = { runsMax: 10, unendedMax: 5 };
const LEASE_MS = 60_000;
const REPLIED: KeptEvent = { kind: 'replied', turn: { text: 'hello', calls: [], stop: 'end' } };
const SUMS: RunSums = {
  state: 'running',
  stopped: null,
  fault: null,
  rounds: 1,
  input_tokens: 7,
  cached_tokens: 1,
  output_tokens: 2,
  cost: 30,
};
const ENDED: RunSums = { ...SUMS, state: 'ended', stopped: 'end' };

/**
 * What is asked of every store of sessions and runs. `pass` lets time go by; `key` makes a key that is valid, `revoke`
 * ends it.
 */
export function sessionsContract(
  name: string,
  of: {
    readonly sessions: () => Sessions;
    readonly work: () => RunWork;
    readonly said: () => SaidTexts;
    readonly pass: (ms: number) => Promise<void>;
    readonly key: (tenantId: TenantId) => Promise<Id<'apiKey'>>;
    readonly revoke: (tenantId: TenantId, key: string) => Promise<void>;
  },
): void {
  describe(`sessions in ${name}`, () => {
    let tenant: TenantId;
    let key: Id<'apiKey'>;
    beforeEach(async () => {
      tenant = newId('tenant') as TenantId;
      key = await of.key(tenant);
    });

    const make = async (over: Partial<NewSession> = {}) => of.sessions().create(tenant, newSession(over), 10);
    const queue = async (sessionId: Id<'session'>, over: Partial<NewRun> = {}) =>
      (await of.sessions().queue(tenant, newRun(sessionId, key, over), BOUNDS))!;
    /** Claims are of all tenants: those of this test. */
    const claim = async (): Promise<RunClaim[]> =>
      (
        await of.work().claim({ rows: 1_000, tenantMax: 50, leaseMs: LEASE_MS, models: ['m', 'n'], goneMs: null })
      ).filter(({ tenant_id }) => tenant_id === tenant);
    const begun = async (): Promise<RunClaim> => {
      const [one] = await claim();
      await of.work().begin(one!, { system: 's', tools: [] });
      return one!;
    };
    const remove = async (session_id: string): Promise<boolean> => {
      const order: TextOrder = {
        tenant_id: tenant,
        erasure_id: newId('erasure'),
        selector: 'conversation',
        session_ids: [session_id],
        until: 0,
      };
      return await of.said().take(order, (await of.said().mark(order))!.round);
    };
    const end = (one: RunClaim, seq: number) =>
      of.work().append(one, seq, { kind: 'ended', stopped: 'end' }, ENDED, LEASE_MS);

    it('keeps what it is given, and shows a tenant its own', async () => {
      const session = await make({ name: 'first' });
      const run = await queue(session.session_id);
      expect(await of.sessions().read(tenant, session.session_id)).toEqual({
        ...session,
        content: { system: 'be kind', base: [] },
      });
      expect(run).toMatchObject({
        state: 'queued',
        stopped: null,
        events: 0,
        cost: null,
        waits_for: [],
        created_by: key,
        started_at: null,
      });
      const other = newId('tenant') as TenantId;
      expect(await of.sessions().read(other, session.session_id)).toBeNull();
      expect(await of.sessions().readRun(other, run.run_id)).toBeNull();
      expect(await of.sessions().cancel(other, run.run_id, 'me')).toBeNull();
      expect(await of.said().reach(other, { whole: session.session_id })).toEqual({
        session_ids: [],
        at_work: 0,
        jobs: [],
      });
      expect(await of.sessions().queue(other, newRun(session.session_id, key), BOUNDS)).toBeNull();
      expect(
        (
          await of
            .sessions()
            .list(other, { cursor: null, limit: 10 }, { agent_id: null, workspace_id: null, run_id: null })
        ).items,
      ).toEqual([]);
    });

    it('lists newest first, page by page, by agent and by workspace', async () => {
      const [a, b] = [await make(), await make()];
      const list = (page: { cursor: string | null; limit: number }, by = {}) =>
        of.sessions().list(tenant, page, { agent_id: null, workspace_id: null, run_id: null, ...by });
      const first = await list({ cursor: null, limit: 1 });
      const rest = await list({ cursor: first.next_cursor, limit: 5 });
      expect([...first.items, ...rest.items].map(({ session_id }) => session_id).sort()).toEqual(
        [a.session_id, b.session_id].sort(),
      );
      expect((await list({ cursor: null, limit: 5 }, { agent_id: a.agent_id })).items).toEqual([a]);
      expect((await list({ cursor: null, limit: 5 }, { workspace_id: b.workspace_id })).items).toEqual([b]);
    });

    it('bounds sessions, runs, and runs that have not ended', async () => {
      const { session_id } = await make();
      await expect(of.sessions().create(tenant, newSession(), 1)).rejects.toMatchObject({ code: 'limit.exceeded' });
      for (let n = 0; n < BOUNDS.unendedMax; n++) await queue(session_id);
      await expect(queue(session_id)).rejects.toMatchObject({ code: 'limit.exceeded' });
    });

    it('answers a key that was used before with the run that it named', async () => {
      const { session_id } = await make();
      const run = await queue(session_id, { idempotency_key: 'k' });
      expect(await queue(session_id, { idempotency_key: 'k', input: 'other' })).toEqual(run);
      expect((await of.sessions().inputs(tenant, session_id)).map(({ input }) => input)).toEqual(['do it']);
      expect([
        await of.sessions().input(tenant, run.run_id),
        await of.sessions().input(newId('tenant'), run.run_id),
        await of.sessions().input(tenant, newId('run')),
      ]).toEqual(['do it', null, null]);
    });

    it('gives the runs of a session one after another, and each to one', async () => {
      const { session_id } = await make();
      const [first, second] = [await queue(session_id), await queue(session_id)];
      const claims = (await Promise.all([claim(), claim(), claim()])).flat();
      expect(claims).toEqual([{ tenant_id: tenant, run_id: first.run_id, fence: 1 }]);
      await of.work().begin(claims[0]!, { system: 's', tools: [] });
      await of.work().append(claims[0]!, 1, REPLIED, SUMS, LEASE_MS);
      await end(claims[0]!, 2);
      expect(await claim()).toEqual([{ tenant_id: tenant, run_id: second.run_id, fence: 1 }]);
    });

    it('opens a run with its prompt, its events and the runs before it', async () => {
      const { session_id } = await make();
      await queue(session_id, { input: 'one' });
      const one = await begun();
      await of.work().append(one, 1, REPLIED, SUMS, LEASE_MS);
      await end(one, 2);
      await queue(session_id, { input: 'two' });
      const [two] = await claim();
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
      expect(await of.sessions().events(tenant, one.run_id, 1, 5)).toMatchObject([
        { seq: 2, event: { kind: 'ended' } },
      ]);
      expect(await of.sessions().readRun(tenant, one.run_id)).toMatchObject({
        state: 'ended',
        stopped: 'end',
        events: 2,
        rounds: 1,
        input_tokens: 7,
        cost: 30,
        ended_at: expect.any(Number) as number,
      });
      expect(await of.sessions().usage(tenant, 0, Number.MAX_SAFE_INTEGER, 'model')).toEqual([
        { of: null, model: 'm', runs: 2, input_tokens: 7, cached_tokens: 1, output_tokens: 2, cost: 30 },
      ]);
    });

    it('tells all events of a run in order, however many pages they take', async () => {
      await queue((await make()).session_id);
      const one = await begun();
      const said = Array.from({ length: 45 }, (_none, n): KeptEvent => ({
        kind: 'replied',
        turn: { text: String(n), calls: [], stop: 'end' },
      }));
      for (const [n, event] of said.entries()) await of.work().append(one, n + 1, event, SUMS, LEASE_MS);
      expect(await all((await of.work().open(one)).events)).toEqual(said);
    });

    it('lets whoever lost the lease change nothing', async () => {
      const { session_id } = await make();
      await queue(session_id);
      const old = await begun();
      await of.pass(LEASE_MS + 1);
      for (const late of [
        () => of.work().append(old, 1, REPLIED, SUMS, LEASE_MS),
        () => of.work().wait(old, ['op'], 0),
        () => of.work().release(old, 0),
        () => of.work().open(old),
      ])
        await expect(late()).rejects.toThrow(LeaseLost);
      expect(await of.work().renew([old], LEASE_MS)).toEqual([]);
      const [heir] = await claim();
      expect(heir).toEqual({ ...old, fence: old.fence + 1 });
      await of.work().append(heir!, 1, REPLIED, SUMS, LEASE_MS);
      // It thinks that it is at the same place, and at the next one.
      for (const seq of [1, 2])
        await expect(of.work().append(old, seq, REPLIED, SUMS, LEASE_MS)).rejects.toThrow(LeaseLost);
      await expect(of.work().append(heir!, 1, REPLIED, SUMS, LEASE_MS)).rejects.toThrow(LeaseLost);
      await expect(of.work().append(heir!, 3, REPLIED, SUMS, LEASE_MS)).rejects.toThrow(LeaseLost);
      expect((await of.sessions().events(tenant, old.run_id, 0, 10)).map(({ seq }) => seq)).toEqual([1]);
    });

    it('renews what is held, and says what is to be cancelled', async () => {
      const { session_id } = await make();
      await queue(session_id);
      const one = await begun();
      await of.pass(LEASE_MS - 5_000);
      expect(await of.work().renew([one], LEASE_MS)).toEqual([
        { run_id: one.run_id, cancelled: false, revoked: false },
      ]);
      await of.pass(LEASE_MS - 5_000);
      expect(await of.sessions().cancel(tenant, one.run_id, 'ann')).toMatchObject({
        cancel_by: 'ann',
        state: 'running',
      });
      expect(await of.sessions().cancel(tenant, one.run_id, 'bob')).toMatchObject({ cancel_by: 'ann' });
      expect(await of.work().renew([one], LEASE_MS)).toEqual([{ run_id: one.run_id, cancelled: true, revoked: false }]);
      expect(await of.work().append(one, 1, REPLIED, SUMS, LEASE_MS)).toMatchObject({
        cancelled: true,
        revoked: false,
      });
    });

    it('leaves a run that waits alone until it is woken or time has come', async () => {
      const { session_id } = await make();
      const { run_id } = await queue(session_id);
      await of.work().wait(await begun(), ['op_1'], 30_000);
      expect(await of.sessions().readRun(tenant, run_id)).toMatchObject({ state: 'waiting', waits_for: ['op_1'] });
      expect(await claim()).toEqual([]);
      await of.work().wake(tenant, run_id);
      const [again] = await claim();
      await of.work().wait(again!, ['op_1'], 30_000);
      await of.pass(30_001);
      expect(await claim()).toHaveLength(1);
    });

    it('gives a run that is only to be cancelled while others of its session are at work', async () => {
      const { session_id } = await make();
      await queue(session_id);
      const second = await queue(session_id);
      await begun();
      await of.sessions().cancel(tenant, second.run_id, 'ann');
      const [only] = await claim();
      expect(only).toMatchObject({ run_id: second.run_id });
      await of.work().append(only!, 1, { kind: 'cancelled', by: 'ann' }, { ...SUMS, state: 'queued' }, LEASE_MS);
      await of
        .work()
        .append(only!, 2, { kind: 'ended', stopped: 'cancelled' }, { ...ENDED, stopped: 'cancelled' }, LEASE_MS);
      expect(await of.sessions().readRun(tenant, second.run_id)).toMatchObject({
        state: 'ended',
        stopped: 'cancelled',
        started_at: null,
      });
    });

    it('gives a replica the runs of its own models, and those of a model that no replica has had for long', async () => {
      const [{ session_id: m }, { session_id: other }] = [await make(), await make({ model: 'elsewhere' })];
      const mine = await queue(m);
      const theirs = await queue(other);
      const claimBy = async (models: readonly string[], goneMs: number | null) =>
        (await of.work().claim({ rows: 1_000, tenantMax: 50, leaseMs: LEASE_MS, models, goneMs }))
          .filter(({ tenant_id }) => tenant_id === tenant)
          .map(({ run_id }) => run_id);
      expect(await claimBy([], null)).toEqual([]);
      expect(await claimBy(['m'], null)).toEqual([mine.run_id]);
      await of.work().claim({ rows: 0, tenantMax: 1, leaseMs: LEASE_MS, models: ['elsewhere'], goneMs: null });
      expect(await claimBy(['m'], 60_000)).toEqual([]);
      expect(await claimBy(['m'], 0)).toEqual([theirs.run_id]);
      await of.pass(LEASE_MS + 1);
      expect(await claimBy(['elsewhere'], null)).toEqual([theirs.run_id]);
    });

    it('gives any replica a run that is to be cancelled, whatever its model', async () => {
      const { session_id } = await make({ model: 'elsewhere' });
      const { run_id } = await queue(session_id);
      await of.sessions().cancel(tenant, run_id, 'ann');
      const claimed = await of
        .work()
        .claim({ rows: 1_000, tenantMax: 50, leaseMs: LEASE_MS, models: ['m'], goneMs: null });
      expect(claimed.filter(({ tenant_id }) => tenant_id === tenant)).toMatchObject([{ run_id }]);
    });

    it('sums what runs took by model, session, agent and day, and goes on counting what was deleted', async () => {
      const [a, b] = [await make(), await make({ model: 'n' })];
      for (const { session_id } of [a, b]) {
        await queue(session_id);
        const one = await begun();
        await of.work().append(one, 1, REPLIED, SUMS, LEASE_MS);
        await end(one, 2);
      }
      const usage = async (by: UsageBy) =>
        (await of.sessions().usage(tenant, 0, Number.MAX_SAFE_INTEGER, by)).map((row) => [
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
      await remove(a.session_id);
      expect(await all()).toEqual(before);
      expect(await of.sessions().usage(newId('tenant') as TenantId, 0, Number.MAX_SAFE_INTEGER, 'model')).toEqual([]);
      expect(await of.sessions().usage(tenant, 0, 1, 'model')).toEqual([]);
    });

    it('reserves for all runs of a tenant together no more than it may, and settles with what is kept', async () => {
      const [first, second] = [await make(), await make()];
      for (const { session_id } of [first, second]) await queue(session_id);
      const [a, b] = (await claim()) as [RunClaim, RunClaim];
      const reserve = (one: RunClaim, amount: number) => of.work().reserve(one, amount, 100);
      expect((await Promise.all([reserve(a, 60), reserve(b, 60)])).filter((may) => may)).toHaveLength(1);
      expect([await reserve(a, 40), await reserve(b, 40), await reserve(a, 61), await reserve(a, 60)]).toEqual([
        true,
        true,
        false,
        true,
      ]);
      await of.work().append(a, 1, REPLIED, SUMS, LEASE_MS);
      // 30 it cost, and 40 are reserved for the other.
      expect([await reserve(a, 31), await reserve(a, 30)]).toEqual([false, true]);
      await end(a, 2);
      await remove((await of.sessions().readRun(tenant, a.run_id))!.session_id);
      expect([await reserve(b, 71), await reserve(b, 70)]).toEqual([false, true]);
      await of.pass(LEASE_MS + 1);
      await expect(reserve(b, 1)).rejects.toThrow(LeaseLost);
    });

    it('begins one sub-agent for an operation, whose session is listed with its run and goes with it', async () => {
      const { session_id } = await make();
      await queue(session_id);
      const above = await begun();
      const operationId = newId('operation');
      const spawn = async (operation_id = operationId) => {
        const session = newSession({ spawned_by: { run_id: above.run_id, operation_id } });
        return await of
          .work()
          .spawn(above, session, newRun(session.session_id, key, { input: 'look', cost_max: 9 }), 1);
      };
      expect(await of.work().below(above, operationId)).toBeNull();
      const run = await spawn();
      expect((await Promise.all([spawn(), spawn()])).map(({ run_id }) => run_id)).toEqual([run.run_id, run.run_id]);
      await expect(spawn(newId('operation'))).rejects.toMatchObject({ code: 'limit.exceeded' });
      const list = async (run_id: string | null) =>
        (
          await of.sessions().list(tenant, { cursor: null, limit: 5 }, { agent_id: null, workspace_id: null, run_id })
        ).items.map((each) => each.session_id);
      expect([await list(null), await list(above.run_id)]).toEqual([[session_id], [run.session_id]]);
      expect(await of.sessions().read(tenant, run.session_id)).toMatchObject({
        spawned_by: { run_id: above.run_id, operation_id: operationId },
      });
      await of.work().append(above, 1, { kind: 'ended', stopped: 'end' }, ENDED, LEASE_MS);
      const below = await begun();
      expect(await of.said().reach(tenant, { alone: session_id })).toMatchObject({ at_work: 1 });
      await end(below, 1);
      const there = await of.work().below(above, operationId);
      expect([there!.run, await all(there!.events)]).toMatchObject([
        { run_id: run.run_id, state: 'ended', cost_max: 9 },
        [{ kind: 'ended' }],
      ]);
      expect(await remove(session_id)).toBe(true);
      expect(await of.sessions().readRun(tenant, run.run_id)).toBeNull();
    });

    it('wakes a run when a sub-agent that it waits for has ended, before it waits or after, and ends those below with it', async () => {
      const { session_id } = await make();
      await queue(session_id);
      const above = await begun();
      const operation_id = newId('operation');
      const session = newSession({ spawned_by: { run_id: above.run_id, operation_id } });
      const { run_id } = await of.work().spawn(above, session, newRun(session.session_id, key), 5);
      await of.work().cancelBelow(above, 'above');
      expect(await of.sessions().readRun(tenant, run_id)).toMatchObject({ cancel_by: 'above' });
      await of.work().wait(above, [], 30_000, [operation_id]);
      const below = await begun();
      expect(below.run_id).toBe(run_id);
      expect(await claim()).toEqual([]);
      await end(below, 1);
      const [again] = await claim();
      expect(again).toMatchObject({ run_id: above.run_id });
      await of.work().wait(again!, [], 30_000, [operation_id]);
      expect(await claim()).toMatchObject([{ run_id: above.run_id }]);
      await of.pass(LEASE_MS + 1);
      await expect(
        of
          .work()
          .spawn(
            above,
            newSession({ spawned_by: { run_id: above.run_id, operation_id: newId('operation') } }),
            newRun(session.session_id, key),
            5,
          ),
      ).rejects.toThrow(LeaseLost);
    });

    it('says that a key was revoked to whoever drives its runs', async () => {
      const { session_id } = await make();
      await queue(session_id);
      const one = await begun();
      await of.revoke(tenant, key);
      expect(await of.work().append(one, 1, REPLIED, SUMS, LEASE_MS)).toMatchObject({ revoked: true });
      expect(await of.work().open(one)).toMatchObject({ revoked: true });
      expect(await of.work().renew([one], LEASE_MS)).toEqual([{ run_id: one.run_id, cancelled: false, revoked: true }]);
    });

    it('takes a session away with all of it, but not from under a run at work', async () => {
      const { session_id } = await make();
      const { run_id } = await queue(session_id);
      const one = await begun();
      expect(await of.said().reach(tenant, { alone: session_id })).toMatchObject({ at_work: 1 });
      await end(one, 1);
      expect(await remove(session_id)).toBe(true);
      expect(await of.sessions().readRun(tenant, run_id)).toBeNull();
      expect(await of.sessions().events(tenant, run_id, 0, 5)).toEqual([]);
      await expect(of.work().open(one)).rejects.toThrow(LeaseLost);
    });
  });
}
