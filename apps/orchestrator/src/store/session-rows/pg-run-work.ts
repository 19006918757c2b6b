// SPDX-License-Identifier: Apache-2.0
import { inTenant, runStatement, ASYNC_COMMIT, type Client, type Pool } from '@writ/database';
import { orchestratorSql, type AppendedEvent } from '../functions.ts';
import type { KeptEvent, KeptEvents } from './run-events.ts';
import {
  LeaseLost,
  RunWork,
  type Appended,
  type NewRun,
  type NewSession,
  type OpenRun,
  type RenewedRun,
  type RunClaim,
  type RunPrompt,
  type RunRow,
  type RunSums,
  type RunsToClaim,
  type SessionRow,
} from './sessions.ts';
import { insertRun, insertSession, subAgentRunOf, verifySubAgentLimit } from './new-rows.ts';
import { lockRun } from './pg-session-texts.ts';
import {
  eventSeal,
  eventsOf,
  inputSeal,
  promptSeal,
  RUN_COLUMNS,
  runOf,
  SESSION_COLUMNS,
  sessionOf,
} from './run-rows.ts';
import { runFinished, fanOutMessages } from '../fan-out-messages.ts';
import type { SessionSeal } from './session-seal.ts';

/** The period of the limit on a tenant's costs. */
const COST_PERIOD_MS = 24 * 3_600_000;
/** Events read at once: an answer may have 60,000 characters. */
const EVENTS_AT_ONCE = 20;
const EVENT_PRIMARY_KEY = 'run_event_pkey';
/** INVARIANT (fenced): a run changes only under its last claim, while the lease of that claim is valid. */
const UNDER_CLAIM = 'run_id = $1 AND fence = $2 AND lease_until >= orchestrator.now_ms()';

type FullRunRow = OpenRun['run'] & {
  readonly place: number;
  readonly content: Buffer;
  readonly prompt: Buffer | null;
  readonly revoked: boolean;
};
type Earlier = { readonly run_id: string; readonly content: Buffer };

type AppendArguments = Parameters<typeof orchestratorSql.appendEvent.in>[1];

/** orchestrator.run and orchestrator.run_event, for replicas that drive runs. */
export class PgRunWork extends RunWork {
  readonly #pool: Pool;
  readonly #seal: SessionSeal;

  constructor(pool: Pool, seal: SessionSeal) {
    super();
    this.#pool = pool;
    this.#seal = seal;
  }

  override async claim({ rows, tenantMax, leaseMs, models, goneMs }: RunsToClaim): Promise<RunClaim[]> {
    return await orchestratorSql.claimRuns(this.#pool, {
      rows,
      tenant_max: tenantMax,
      lease_ms: leaseMs,
      models,
      gone_ms: goneMs,
    });
  }

  override open(claim: RunClaim): Promise<OpenRun> {
    const { tenant_id, run_id, fence } = claim;
    return inTenant(
      this.#pool,
      tenant_id,
      async (client) => {
        const {
          rows: [row],
        } = await client.query<FullRunRow>(
          `SELECT ${RUN_COLUMNS}, role, principal, place, content, prompt,
           NOT EXISTS (SELECT 1 FROM orchestrator.api_key k WHERE k.api_key_id = run.created_by AND k.revoked_at IS NULL
             AND NOT orchestrator.is_refused(k.member_id)) AS revoked
         FROM orchestrator.run WHERE ${UNDER_CLAIM}`,
          [run_id, fence],
        );
        const session = row === undefined ? null : await sessionOf(client, this.#seal, tenant_id, row.session_id);
        if (row === undefined || session === null) throw new LeaseLost(run_id);
        const { place, content, prompt, revoked, ...run } = row;
        return {
          session,
          run,
          revoked,
          input: this.#seal.open(tenant_id, inputSeal(run_id), content) as string,
          prompt: prompt === null ? null : (this.#seal.open(tenant_id, promptSeal(run_id), prompt) as RunPrompt),
          events: this.#eventsOf(claim, run_id),
          earlier: await this.#earlier(client, claim, run.session_id, place),
        };
      },
      { readOnly: true },
    );
  }

  override begin(claim: RunClaim, prompt: RunPrompt): Promise<void> {
    return this.#change(claim, `state = 'running', prompt = $3, started_at = orchestrator.now_ms()`, [
      this.#seal.seal(claim.tenant_id, promptSeal(claim.run_id), prompt),
    ]);
  }

  override async append(
    claim: RunClaim,
    seq: number,
    event: KeptEvent,
    sums: RunSums,
    leaseMs: number,
  ): Promise<Appended> {
    const { tenant_id, run_id, fence } = claim;
    const args = {
      tenant: tenant_id,
      run: run_id,
      fence,
      seq,
      event: this.#seal.seal(tenant_id, eventSeal(run_id, seq), event),
      ...sums,
      lease_ms: leaseMs,
    };
    try {
      if (sums.state !== 'ended') return await this.#appendAlone(args, isRepeatable(event));
      return await inTenant(this.#pool, tenant_id, async (client) => {
        const appended = appendedFrom(run_id, await orchestratorSql.appendEvent.in(client, args));
        // INVARIANT (end announced): the webhook messages about the end are committed with the end itself.
        await this.#storeEndMessages(client, tenant_id, run_id, appended.at);
        return appended;
      });
    } catch (error) {
      // INVARIANT (one history): if the position already has an event, the lease was lost.
      if ((error as { constraint?: string }).constraint === EVENT_PRIMARY_KEY) throw new LeaseLost(run_id);
      throw error;
    }
  }

  /** In a separate transaction. The COMMIT of a repeatable event is not awaited. */
  async #appendAlone(args: AppendArguments, isUnawaited: boolean): Promise<Appended> {
    if (!isUnawaited) return appendedFrom(args.run, await orchestratorSql.appendEvent(this.#pool, args));
    const { name, text, values } = orchestratorSql.appendEvent.statement(args);
    const query = { name: `${name}/unawaited`, text: `${text}, ${ASYNC_COMMIT}`, values };
    return appendedFrom(args.run, (await runStatement<AppendedEvent>(this.#pool, query)).rows[0] ?? null);
  }

  override reserve({ tenant_id, run_id, fence }: RunClaim, amount: number, dayMax: number): Promise<boolean> {
    return inTenant(this.#pool, tenant_id, async (client) => {
      // INVARIANT (counted once): reservations of one tenant are made one after another, and one update replaces a
      // reservation by its cost.
      await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`cost of ${tenant_id}`]);
      const {
        rows: [row],
      } = await client.query<{ taken: number }>(
        `SELECT (SELECT coalesce(sum(coalesce(r.cost, 0) + CASE WHEN r.run_id = $1 THEN 0 ELSE r.reserved END), 0) FROM orchestrator.run r WHERE r.tenant_id = $3 AND (r.ended_at IS NULL OR r.ended_at > orchestrator.now_ms() - ${COST_PERIOD_MS}))::bigint
           + (SELECT coalesce(sum(d.cost), 0) FROM orchestrator.spent d WHERE d.tenant_id = $3 AND (d.ended_at IS NULL OR d.ended_at > orchestrator.now_ms() - ${COST_PERIOD_MS}))::bigint AS taken
         FROM orchestrator.run WHERE ${UNDER_CLAIM} AND state <> 'ended'`,
        [run_id, fence, tenant_id],
      );
      if (row === undefined) throw new LeaseLost(run_id);
      if (row.taken + amount > dayMax) return false;
      const { rowCount } = await client.query(`UPDATE orchestrator.run SET reserved = $3 WHERE ${UNDER_CLAIM}`, [
        run_id,
        fence,
        amount,
      ]);
      if (rowCount === 0) throw new LeaseLost(run_id);
      return true;
    });
  }

  override wait(
    claim: RunClaim,
    operationIds: readonly string[],
    wakeMs: number,
    belowIds: readonly string[] = [],
  ): Promise<void> {
    // A sub-agent may have ended since it was last read.
    const isOver = `EXISTS (SELECT 1 FROM orchestrator.session s JOIN orchestrator.run c ON c.session_id = s.session_id AND c.place = 1 WHERE s.parent_operation = ANY ($5) AND c.state = 'ended')`;
    return this.#change(
      claim,
      `state = 'waiting', waits_for = $3, lease_until = 0, wake_at = orchestrator.now_ms() + CASE WHEN ${isOver} THEN 0 ELSE $4::bigint END`,
      [operationIds, wakeMs, belowIds],
    );
  }

  override release(claim: RunClaim, wakeMs: number): Promise<void> {
    return this.#change(claim, 'lease_until = 0, wake_at = orchestrator.now_ms() + $3', [wakeMs]);
  }

  override async renew(claims: readonly RunClaim[], leaseMs: number): Promise<RenewedRun[]> {
    return await orchestratorSql.renewRuns(this.#pool, {
      runs: claims.map(({ run_id }) => run_id),
      fences: claims.map(({ fence }) => fence),
      lease_ms: leaseMs,
    });
  }

  override wake(tenantId: RunClaim['tenant_id'], runId: string): Promise<void> {
    return inTenant(this.#pool, tenantId, async (client) => {
      await client.query(
        `UPDATE orchestrator.run SET wake_at = orchestrator.now_ms() WHERE run_id = $1 AND state = 'waiting'`,
        [runId],
      );
    });
  }

  override spawn(claim: RunClaim, session: NewSession, run: NewRun, countMax: number): Promise<RunRow> {
    return inTenant(this.#pool, claim.tenant_id, async (client) => {
      // The run's row is locked, so its lease holder creates its sub-agents' sessions one after another.
      if (
        (
          await client.query(`SELECT 1 FROM orchestrator.run WHERE ${UNDER_CLAIM} AND state <> 'ended' FOR UPDATE`, [
            claim.run_id,
            claim.fence,
          ])
        ).rowCount === 0
      )
        throw new LeaseLost(claim.run_id);
      const made = await subAgentRunOf(client, session.spawned_by?.operation_id ?? '');
      if (made !== null) return made;
      if (!(await lockRun(client, claim.run_id))) throw new LeaseLost(claim.run_id);
      await verifySubAgentLimit(client, claim.run_id, countMax);
      await insertSession(client, this.#seal, claim.tenant_id, session);
      return await insertRun(client, this.#seal, claim.tenant_id, run, 1);
    });
  }

  override subAgentRun(claim: RunClaim, operationId: string): Promise<{ run: RunRow; events: KeptEvents } | null> {
    return inTenant(
      this.#pool,
      claim.tenant_id,
      async (client) => {
        const run = await subAgentRunOf(client, operationId);
        return run === null ? null : { run, events: this.#eventsOf(claim, run.run_id) };
      },
      { readOnly: true },
    );
  }

  override cancelSubAgents({ tenant_id, run_id }: RunClaim, by: string): Promise<void> {
    return inTenant(this.#pool, tenant_id, async (client) => {
      await client.query(
        `UPDATE orchestrator.run SET cancel_by = coalesce(cancel_by, $2), wake_at = orchestrator.now_ms()
         WHERE session_id IN (SELECT s.session_id FROM orchestrator.session s WHERE s.parent_run = $1) AND state <> 'ended'`,
        [run_id, by],
      );
    });
  }

  async #storeEndMessages(client: Client, tenantId: RunClaim['tenant_id'], runId: string, at: number): Promise<void> {
    const run = await runOf(client, runId);
    const {
      rows: [session],
    } = await client.query<SessionRow>(`SELECT ${SESSION_COLUMNS} FROM orchestrator.session WHERE session_id = $1`, [
      run?.session_id,
    ]);
    if (run !== null && session !== undefined) await fanOutMessages(client, tenantId, [runFinished(run, session, at)]);
  }

  #change({ tenant_id, run_id, fence }: RunClaim, set: string, values: readonly unknown[]): Promise<void> {
    return inTenant(this.#pool, tenant_id, async (client) => {
      const { rowCount } = await client.query(
        `UPDATE orchestrator.run SET ${set} WHERE ${UNDER_CLAIM} AND state <> 'ended'`,
        [run_id, fence, ...values],
      );
      if (rowCount === 0) throw new LeaseLost(run_id);
    });
  }

  async *#eventsOf({ tenant_id }: RunClaim, runId: string): KeptEvents {
    for (let after = 0; ;) {
      const page = await inTenant(
        this.#pool,
        tenant_id,
        (client) => eventsOf(client, this.#seal, tenant_id, runId, after, EVENTS_AT_ONCE),
        { readOnly: true },
      );
      for (const { event } of page) yield event;
      if (page.length < EVENTS_AT_ONCE) return;
      after += page.length;
    }
  }

  async #earlier(client: Client, claim: RunClaim, sessionId: string, place: number): Promise<OpenRun['earlier']> {
    const { rows } = await client.query<Earlier>(
      'SELECT run_id, content FROM orchestrator.run WHERE session_id = $1 AND place < $2 ORDER BY place',
      [sessionId, place],
    );
    return rows.map(({ run_id, content }) => ({
      input: this.#seal.open(claim.tenant_id, inputSeal(run_id), content) as string,
      events: this.#eventsOf(claim, run_id),
    }));
  }
}

/**
 * Whether a database crash may lose the event. An answered call is proposed again under its key and gets the same
 * answer. A model's reply cannot be repeated.
 */
const isRepeatable = ({ kind }: KeptEvent): boolean => kind === 'answered';

/**
 * The result of an append under a valid claim.
 * @throws LeaseLost where nothing was stored
 */
function appendedFrom(runId: string, row: AppendedEvent | null): Appended {
  if (row === null) throw new LeaseLost(runId);
  const { kept_at: at, cancelled, revoked } = row;
  return { at, cancelled, revoked };
}
