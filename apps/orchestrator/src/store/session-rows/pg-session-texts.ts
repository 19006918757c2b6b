// SPDX-License-Identifier: Apache-2.0
import type { Id, TenantId, TextErasureOrder } from '@writ/contract';
import { inTenant, type Client, type Pool } from '@writ/database';
import { orchestratorSql } from '../functions.ts';
import { SessionTexts, type TextRound, type TextScope, type ErasureReach } from './session-texts.ts';
import type { SessionContent } from './sessions.ts';
import { sessionSeal } from './run-rows.ts';
import type { SessionSeal } from './session-seal.ts';

/** Rows that one round of retention deletes: a transaction of some hundred milliseconds, and ids that fit a message. */
const ROUND_ROWS = 500;

/** These sessions and their parents, up to the one that a person started. */
const UP = `up (session_id) AS (
  SELECT s.session_id FROM orchestrator.session s WHERE s.session_id = ANY ($1)
  UNION SELECT r.session_id FROM up u JOIN orchestrator.session s ON s.session_id = u.session_id JOIN orchestrator.run r ON r.run_id = s.parent_run)`;
/** Those sessions, the sessions of their sub-agents, and forks of any of them. */
const DOWN = `down (session_id) AS (
  SELECT session_id FROM up
  UNION SELECT s.session_id FROM down d JOIN orchestrator.run r ON r.session_id = d.session_id JOIN orchestrator.session s ON s.parent_run = r.run_id OR s.forked_run = r.run_id)`;
/** These sessions and those of their sub-agents, without forks. */
const BELOW = `below (session_id) AS (
  SELECT s.session_id FROM orchestrator.session s WHERE s.session_id = ANY ($1)
  UNION SELECT s.session_id FROM below b JOIN orchestrator.run r ON r.session_id = b.session_id JOIN orchestrator.session s ON s.parent_run = r.run_id)`;
const WHOLE = `WITH RECURSIVE ${UP}, ${DOWN} SELECT session_id FROM down ORDER BY session_id`;
const ALONE = `WITH RECURSIVE ${BELOW} SELECT session_id FROM below ORDER BY session_id`;
/** Sessions of sub-agents of these runs, at any depth. */
const UNDER_RUNS = `WITH RECURSIVE under (session_id) AS (
  SELECT s.session_id FROM orchestrator.session s WHERE s.parent_run = ANY ($1)
  UNION SELECT s.session_id FROM under u JOIN orchestrator.run r ON r.session_id = u.session_id JOIN orchestrator.session s ON s.parent_run = r.run_id) SELECT session_id FROM under`;

export const AT_WORK = `(state IN ('running', 'waiting') OR (lease_until >= orchestrator.now_ms() AND state <> 'ended'))`;
const SPENT = [
  'run_id',
  'tenant_id',
  'session_id',
  'model',
  'input_tokens',
  'cached_tokens',
  'output_tokens',
  'cost',
  'created_at',
  'ended_at',
] as const;

type Marked = Omit<TextRound, 'round'>;
interface Row extends TextRound {
  readonly gone_at: number | null;
}

/** Locks a session. False where it does not exist, or an erasure is about to delete it. */
export async function lockSession(client: Client, sessionId: string): Promise<boolean> {
  if (
    (await client.query('SELECT 1 FROM orchestrator.session WHERE session_id = $1 FOR UPDATE', [sessionId]))
      .rowCount === 0
  )
    return false;
  // A separate statement, after the lock: it sees rounds that the previous lock holder committed.
  return (
    (
      await client.query('SELECT 1 FROM orchestrator.erasure WHERE gone_at IS NULL AND $1 = ANY (session_ids)', [
        sessionId,
      ])
    ).rowCount === 0
  );
}

/** As `lockSession`, for the session of a run. Also false where an erasure is about to delete only this run. */
export async function lockRun(client: Client, runId: string): Promise<boolean> {
  const {
    rows: [run],
  } = await client.query<{ session_id: string }>('SELECT session_id FROM orchestrator.run WHERE run_id = $1', [runId]);
  if (run === undefined || !(await lockSession(client, run.session_id))) return false;
  return (
    (await client.query('SELECT 1 FROM orchestrator.erasure WHERE gone_at IS NULL AND $1 = ANY (run_ids)', [runId]))
      .rowCount === 0
  );
}

/**
 * orchestrator.session with its runs and events, and orchestrator.erasure. Row-level security shows only the tenant's
 * rows.
 */
export class PgSessionTexts extends SessionTexts {
  readonly #pool: Pool;
  readonly #seal: SessionSeal;

  constructor(pool: Pool, seal: SessionSeal) {
    super();
    this.#pool = pool;
    this.#seal = seal;
  }

  override reach(tenantId: TenantId, of: TextScope): Promise<ErasureReach> {
    return inTenant(
      this.#pool,
      tenantId,
      async (client) => {
        const session_ids = await this.#reached(client, tenantId, of);
        const {
          rows: [runs],
        } = await client.query<{ n: number }>(
          `SELECT count(*)::int AS n FROM orchestrator.run WHERE session_id = ANY ($1) AND ${AT_WORK}`,
          [session_ids],
        );
        const jobs =
          'subject' in of
            ? (
                await client.query<{ job_id: string }>(
                  'SELECT job_id FROM orchestrator.job WHERE tenant_id = $1 AND (data_subject = $2 OR (data_subject IS NULL AND agent_id = $2)) ORDER BY job_id',
                  [tenantId, of.subject],
                )
              ).rows
            : [];
        return { session_ids, at_work: runs?.n ?? 0, jobs: jobs.map(({ job_id }) => job_id) };
      },
      { readOnly: true },
    );
  }

  override mark(order: TextErasureOrder): Promise<TextRound | null> {
    return inTenant(this.#pool, order.tenant_id, async (client) => {
      // Replicas take turns: the second one finds the round of the first.
      await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`texts of ${order.erasure_id}`]);
      const {
        rows: [last],
      } = await client.query<Row>(
        'SELECT round, session_ids, run_ids, fork_ids, gone_at FROM orchestrator.erasure WHERE erasure_id = $1 ORDER BY round DESC LIMIT 1',
        [order.erasure_id],
      );
      if (last !== undefined && last.gone_at === null)
        return { round: last.round, session_ids: last.session_ids, run_ids: last.run_ids, fork_ids: last.fork_ids };
      const marked =
        order.selector === 'before' ? await this.#expired(client, order) : await this.#connected(client, order);
      if (marked.session_ids.length + marked.run_ids.length + marked.fork_ids.length === 0) return null;
      const round = (last?.round ?? 0) + 1;
      await client.query(
        'INSERT INTO orchestrator.erasure (erasure_id, round, tenant_id, session_ids, run_ids, fork_ids) VALUES ($1, $2, $3, $4, $5, $6)',
        [order.erasure_id, round, order.tenant_id, marked.session_ids, marked.run_ids, marked.fork_ids],
      );
      return { round, ...marked };
    });
  }

  override erase({ tenant_id, erasure_id }: TextErasureOrder, round: number): Promise<boolean> {
    return inTenant(this.#pool, tenant_id, async (client) => {
      const {
        rows: [row],
      } = await client.query<Row>(
        'SELECT round, session_ids, run_ids, fork_ids, gone_at FROM orchestrator.erasure WHERE erasure_id = $1 AND round = $2 FOR UPDATE',
        [erasure_id, round],
      );
      if (row === undefined) throw new Error(`round ${round} of \`${erasure_id}\` was never fixed`);
      if (row.gone_at !== null) return true;
      await lockSessions(client, row.session_ids);
      const under = await idsOf(client, UNDER_RUNS, [row.run_ids]);
      const isErased = 'session_id = ANY ($1) OR run_id = ANY ($2)';
      const given = [[...row.session_ids, ...under], row.run_ids];
      const { rowCount } = await client.query(
        `UPDATE orchestrator.run SET cancel_by = coalesce(cancel_by, $3), wake_at = orchestrator.now_ms() WHERE (${isErased}) AND ${AT_WORK}`,
        [...given, erasure_id],
      );
      if (rowCount !== 0) return false;
      await client.query(
        `INSERT INTO orchestrator.spent (${SPENT.join(', ')}, agent_id) SELECT ${SPENT.map((column) => `r.${column}`).join(', ')}, s.agent_id
         FROM orchestrator.run r JOIN orchestrator.session s USING (session_id) WHERE r.session_id = ANY ($1) OR r.run_id = ANY ($2)`,
        given,
      );
      await client.query('DELETE FROM orchestrator.session WHERE session_id = ANY ($1)', [row.session_ids]);
      await orchestratorSql.forgetRuns.in(client, { erasure: erasure_id, round });
      for (const forkId of row.fork_ids) await this.#clearFork(client, tenant_id, forkId);
      await client.query(
        'UPDATE orchestrator.erasure SET gone_at = orchestrator.now_ms() WHERE erasure_id = $1 AND round = $2',
        [erasure_id, round],
      );
      return true;
    });
  }

  async #reached(client: Client, tenantId: TenantId, of: TextScope): Promise<Id<'session'>[]> {
    if ('alone' in of) return await idsOf(client, ALONE, [[of.alone]]);
    if ('whole' in of) return await idsOf(client, WHOLE, [[of.whole]]);
    const about = await idsOf(
      client,
      'SELECT session_id FROM orchestrator.session WHERE tenant_id = $1 AND (data_subject = $2 OR (data_subject IS NULL AND agent_id = $2))',
      [tenantId, of.subject],
    );
    return await idsOf(client, WHOLE, [about]);
  }

  /** The sessions that an erasure names, and all that are connected with them now. */
  async #connected(client: Client, { selector, session_ids }: TextErasureOrder): Promise<Marked> {
    const reached = selector === 'conversation' ? ALONE : WHOLE;
    await lockSessions(client, await idsOf(client, reached, [session_ids]));
    // Reads them again under the locks, which prevent new runs and forks.
    return { session_ids: await idsOf(client, reached, [session_ids]), run_ids: [], fork_ids: [] };
  }

  /**
   * What has passed its retention period: sessions without newer runs, ended runs of other sessions, and initial
   * conversations of forks.
   */
  async #expired(client: Client, { tenant_id, until }: TextErasureOrder): Promise<Marked> {
    const old = `s.parent_run IS NULL AND s.created_at < $2 AND NOT EXISTS (SELECT 1 FROM orchestrator.run r WHERE r.session_id = s.session_id AND (r.created_at >= $2 OR r.state <> 'ended'))`;
    const found = await idsOf(
      client,
      `SELECT s.session_id FROM orchestrator.session s WHERE s.tenant_id = $1 AND ${old} ORDER BY s.created_at, s.session_id LIMIT ${ROUND_ROWS}`,
      [tenant_id, until],
    );
    await lockSessions(client, found);
    // Reads them again under their locks: a run may have begun in one of them.
    const whole = await idsOf(
      client,
      `SELECT s.session_id FROM orchestrator.session s WHERE s.session_id = ANY ($1) AND ${old}`,
      [found, until],
    );
    const session_ids = await idsOf(client, ALONE, [whole]);
    const run_ids = await idsOf<'run'>(
      client,
      `SELECT r.run_id FROM orchestrator.run r JOIN orchestrator.session s USING (session_id)
       WHERE r.tenant_id = $1 AND r.created_at < $2 AND r.state = 'ended' AND s.parent_run IS NULL AND r.session_id <> ALL ($3) ORDER BY r.created_at, r.run_id LIMIT ${ROUND_ROWS}`,
      [tenant_id, until, found],
    );
    const fork_ids = await idsOf(
      client,
      `SELECT session_id FROM orchestrator.session WHERE tenant_id = $1 AND created_at < $2 AND forked_run IS NOT NULL AND session_id <> ALL ($3) ORDER BY created_at, session_id LIMIT ${ROUND_ROWS}`,
      [tenant_id, until, found],
    );
    return { session_ids, run_ids, fork_ids };
  }

  async #clearFork(client: Client, tenantId: TenantId, sessionId: string): Promise<void> {
    const {
      rows: [row],
    } = await client.query<{ content: Buffer }>(
      'SELECT content FROM orchestrator.session WHERE session_id = $1 FOR UPDATE',
      [sessionId],
    );
    if (row === undefined) return;
    const content = { ...(this.#seal.open(tenantId, sessionSeal(sessionId), row.content) as SessionContent), base: [] };
    await client.query(
      'UPDATE orchestrator.session SET content = $2, forked_run = NULL, forked_after = NULL WHERE session_id = $1',
      [sessionId, this.#seal.seal(tenantId, sessionSeal(sessionId), content)],
    );
  }
}

/** In sorted order, so that two transactions that lock the same sessions cannot deadlock. */
async function lockSessions(client: Client, sessionIds: readonly string[]): Promise<void> {
  await client.query('SELECT 1 FROM orchestrator.session WHERE session_id = ANY ($1) ORDER BY session_id FOR UPDATE', [
    sessionIds,
  ]);
}

async function idsOf<P extends 'session' | 'run' = 'session'>(
  client: Client,
  statement: string,
  values: readonly unknown[],
): Promise<Id<P>[]> {
  return (await client.query<[Id<P>]>({ text: statement, values: [...values], rowMode: 'array' })).rows.map(
    ([id]) => id,
  );
}
