// SPDX-License-Identifier: Apache-2.0
import type { Id, TenantId, TextErasureOrder } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { SessionTexts } from './session-texts.ts';
import type { KeptEvent } from './run-events.ts';
import { newRun, newSession } from '../../specs/session-steps.ts';
import type { NewSession, RunClaim, RunSums, RunWork, Sessions } from './sessions.ts';

const BOUNDS = { runsMax: 10, unendedMax: 5 };
const ENDED: RunSums = {
  state: 'ended',
  stopped: 'end',
  fault: null,
  rounds: 1,
  input_tokens: 7,
  cached_tokens: 1,
  output_tokens: 2,
  cost: 30,
};
const END: KeptEvent = { kind: 'ended', stopped: 'end' };
const LATER = Number.MAX_SAFE_INTEGER;

/** The contract of every store from which texts are erased. `age` makes a session and its runs older. */
export function sessionTextsContract(
  name: string,
  of: {
    readonly sessions: () => Sessions;
    readonly work: () => RunWork;
    readonly sessionTexts: () => SessionTexts;
    readonly key: (tenantId: TenantId) => Promise<Id<'apiKey'>>;
    readonly age: (id: string, ms: number) => Promise<void>;
  },
): void {
  describe(`texts of sessions, in ${name}`, () => {
    let tenant: TenantId;
    let key: Id<'apiKey'>;
    beforeEach(async () => {
      tenant = newId('tenant') as TenantId;
      key = await of.key(tenant);
    });

    const make = async (over: Partial<NewSession> = {}) =>
      (await of.sessions().create(tenant, newSession(over), 50)).session_id;
    const begun = async (sessionId: Id<'session'>): Promise<RunClaim> => {
      await of.sessions().queue(tenant, newRun(sessionId, key), BOUNDS);
      const claims = (
        await of.work().claim({ rows: 1_000, tenantMax: 50, leaseMs: 60_000, models: ['m'], goneMs: null })
      ).filter(({ tenant_id }) => tenant_id === tenant);
      await of.work().begin(claims[0]!, { system: 's', tools: [] });
      return claims[0]!;
    };
    const end = (claim: RunClaim) => of.work().append(claim, 1, END, ENDED, 60_000);
    const ran = async (sessionId: Id<'session'>): Promise<Id<'run'>> => {
      const claim = await begun(sessionId);
      await end(claim);
      return claim.run_id;
    };
    const fork = (run_id: Id<'run'>) =>
      make({ forked_from: { run_id, after: 0 }, content: { system: 's', base: [{ role: 'user', text: 'copied' }] } });
    /** A session with a run, and the session and run of its sub-agent. */
    const withBelow = async (): Promise<{ top: Id<'session'>; below: Id<'session'>; runs: Id<'run'>[] }> => {
      const top = await make();
      const above = await begun(top);
      const session = newSession({ spawned_by: { run_id: above.run_id, operation_id: newId('operation') } });
      const run = await of.work().spawn(above, session, newRun(session.session_id, key), 5);
      const [claim] = (
        await of.work().claim({ rows: 1_000, tenantMax: 50, leaseMs: 60_000, models: ['m'], goneMs: null })
      ).filter(({ run_id }) => run_id === run.run_id);
      await of.work().begin(claim!, { system: 's', tools: [] });
      await end(claim!);
      await end(above);
      return { top, below: session.session_id, runs: [above.run_id, run.run_id] };
    };
    const order = (over: Partial<TextErasureOrder>): TextErasureOrder => ({
      tenant_id: tenant,
      erasure_id: newId('erasure'),
      selector: 'session',
      session_ids: [],
      until: 0,
      ...over,
    });
    const erased = async (over: Partial<TextErasureOrder>) => {
      const asked = order(over);
      const round = await of.sessionTexts().mark(asked);
      if (round !== null) expect(await of.sessionTexts().erase(asked, round.round)).toBe(true);
      expect(await of.sessionTexts().mark(asked)).toBeNull();
      return round;
    };
    const left = async (...ids: string[]) => {
      const found: string[] = [];
      for (const id of ids)
        if ((await of.sessions().read(tenant, id)) !== null || (await of.sessions().readRun(tenant, id)) !== null)
          found.push(id);
      return found;
    };

    it('are erased together: a session, its sub-agents at any depth, and their forks, whichever of them is named', async () => {
      const { top, below, runs } = await withBelow();
      const forks = [await fork(runs[0]!), await fork(runs[1]!)];
      const other = await make();
      const whole = [top, below, ...forks].sort();
      for (const named of [top, below])
        expect(await of.sessionTexts().reach(tenant, { whole: named })).toEqual({
          session_ids: whole,
          at_work: 0,
          jobs: [],
        });
      expect(await of.sessionTexts().reach(tenant, { whole: forks[0]! })).toMatchObject({ session_ids: [forks[0]] });
      expect((await of.sessionTexts().reach(tenant, { alone: top })).session_ids).toEqual([top, below].sort());
      expect(await erased({ session_ids: [below] })).toEqual({
        round: 1,
        session_ids: whole,
        run_ids: [],
        fork_ids: [],
      });
      expect(await left(top, below, ...forks, ...runs, other)).toEqual([other]);
    });

    it('of a deleted session are deleted without those of its forks', async () => {
      const { top, below, runs } = await withBelow();
      const copy = await fork(runs[0]!);
      await erased({ selector: 'conversation', session_ids: [top] });
      expect(await left(top, below, ...runs, copy)).toEqual([copy]);
    });

    it("belong to the session's data subject, else to its agent", async () => {
      const named = await make({ content: { system: null, base: [], data_subject: 'crm/42' } });
      const unnamed = newSession();
      await make(unnamed);
      const reach = async (subject: string) => (await of.sessionTexts().reach(tenant, { subject })).session_ids;
      expect([await reach('crm/42'), await reach('crm/43'), await reach(unnamed.agent_id)]).toEqual([
        [named],
        [],
        [unnamed.session_id],
      ]);
      expect(await reach((await of.sessions().read(tenant, named))!.agent_id)).toEqual([]);
      expect(await of.sessions().read(tenant, named)).not.toHaveProperty('data_subject');
    });

    it('are marked once: a second mark returns the open round, and a completed round is not repeated', async () => {
      const session = await make();
      const run = await ran(session);
      const asked = order({ session_ids: [session] });
      const marks = await Promise.all([
        of.sessionTexts().mark(asked),
        of.sessionTexts().mark(asked),
        of.sessionTexts().mark(asked),
      ]);
      expect(marks).toEqual(Array(3).fill({ round: 1, session_ids: [session], run_ids: [], fork_ids: [] }));
      expect(await left(session, run)).toEqual([session, run]);
      expect(await Promise.all([of.sessionTexts().erase(asked, 1), of.sessionTexts().erase(asked, 1)])).toEqual([
        true,
        true,
      ]);
      expect((await of.sessions().usage(tenant, 0, LATER, 'session')).map(({ runs }) => runs)).toEqual([1]);
      await expect(of.sessionTexts().erase(asked, 2)).rejects.toThrow();
    });

    it('that are marked can not grow: no run begins in the session, and none is forked from it', async () => {
      const session = await make();
      const run = await ran(session);
      await of.sessionTexts().mark(order({ session_ids: [session] }));
      expect(await of.sessions().queue(tenant, newRun(session, key), BOUNDS)).toBeNull();
      await expect(fork(run)).rejects.toMatchObject({ code: 'not_found' });
    });

    it('remain until a run that began meanwhile has ended, which is cancelled', async () => {
      const session = await make();
      const claim = await begun(session);
      const asked = order({ session_ids: [session] });
      await of.sessionTexts().mark(asked);
      expect(await of.sessionTexts().erase(asked, 1)).toBe(false);
      expect(await of.sessions().readRun(tenant, claim.run_id)).toMatchObject({ cancel_by: asked.erasure_id });
      await end(claim);
      expect(await of.sessionTexts().erase(asked, 1)).toBe(true);
      expect(await left(session)).toEqual([]);
    });

    it('past their retention are deleted by whole sessions without newer runs, else by runs, and forks lose their initial conversation', async () => {
      const { top, below, runs } = await withBelow();
      const idle = await make();
      const living = await make();
      const [old, queued] = [await ran(living), await ran(living)];
      const copy = await fork(old);
      const kept = await ran(copy);
      const young = await ran(await make());
      for (const id of [top, below, idle, living, old, copy, ...runs]) await of.age(id, 100_000);
      const until = (await of.sessions().read(tenant, idle))!.created_at + 50_000;
      const round = await erased({ selector: 'before', until });
      expect({ ...round, session_ids: [...round!.session_ids].sort() }).toEqual({
        round: 1,
        session_ids: [top, below, idle].sort(),
        run_ids: [old],
        fork_ids: [copy],
      });
      expect(await left(top, below, idle, ...runs, old, living, queued, copy, kept, young)).toEqual([
        living,
        queued,
        copy,
        kept,
        young,
      ]);
      expect(await of.sessions().read(tenant, copy)).toMatchObject({
        forked_from: null,
        content: { system: 's', base: [] },
      });
      expect((await of.sessions().queue(tenant, newRun(living, key), BOUNDS))?.session_id).toBe(living);
    });

    it('past their retention remain while their run has not ended', async () => {
      const session = await make();
      const claim = await begun(session);
      for (const id of [session, claim.run_id]) await of.age(id, 100_000);
      expect(await erased({ selector: 'before', until: LATER })).toBeNull();
      expect(await left(session, claim.run_id)).toEqual([session, claim.run_id]);
    });

    it('of one tenant can not be reached by another', async () => {
      const session = await make();
      const other = newId('tenant') as TenantId;
      for (const selector of ['session', 'conversation', 'before'] as const)
        expect(
          await of.sessionTexts().mark(order({ tenant_id: other, selector, session_ids: [session], until: LATER })),
        ).toBeNull();
      expect(await left(session)).toEqual([session]);
    });
  });
}
