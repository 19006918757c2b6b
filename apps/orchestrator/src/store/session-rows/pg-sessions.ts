// SPDX-License-Identifier: Apache-2.0
import { Fault, type TenantId } from '@writ/contract';
import { inTenant, type Client, type Pool } from '@writ/database';
import type { RunEventRow } from './run-events.ts';
import {
  Sessions,
  SUB_AGENT_LEVELS_MAX,
  type NewRun,
  type NewSession,
  type PageRequest,
  type PageOf,
  type RunBounds,
  type RunRow,
  type RunStart,
  type SessionContent,
  type SessionFilter,
  type SessionRow,
  type UsageBy,
  type UsageRow,
} from './sessions.ts';
import { insertRun, insertSession, nextPosition, subAgentRunOf, verifySessionLimit } from './new-rows.ts';
import { lockRun, lockSession } from './pg-session-texts.ts';
import { pageOfRows, parseRowCursor } from '../row-cursor.ts';
import { eventsOf, inputSeal, RUN_COLUMNS, runOf, SESSION_COLUMNS, sessionOf } from './run-rows.ts';
import type { SessionSeal } from './session-seal.ts';

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
const USAGE_OF: Readonly<Record<UsageBy, string>> = {
  model: 'NULL::text',
  session: 'session_id',
  agent: 'agent_id',
  day: `to_char(to_timestamp(created_at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
};

/** The run at the top of those whose sub-agents are below one another, with its job and the start of it. */
const START_OF = `WITH RECURSIVE up AS (
    SELECT r.run_id, r.session_id, s.job_id, s.parent_run, 0 AS level
    FROM orchestrator.run r JOIN orchestrator.session s ON s.session_id = r.session_id WHERE r.run_id = $1
    UNION ALL
    SELECT r.run_id, r.session_id, s.job_id, s.parent_run, u.level + 1
    FROM up u JOIN orchestrator.run r ON r.run_id = u.parent_run
    JOIN orchestrator.session s ON s.session_id = r.session_id WHERE u.level < $2)
  SELECT u.run_id, u.session_id, u.job_id, j.name AS job_name, t.by_hand, t.due_at
  FROM up u LEFT JOIN orchestrator.job j ON j.job_id = u.job_id
  LEFT JOIN orchestrator.job_start t ON t.run_id = u.run_id
  ORDER BY u.level DESC LIMIT 1`;

/** orchestrator.session and orchestrator.run. Row-level security shows only the tenant's rows. */
export class PgSessions extends Sessions {
  readonly #pool: Pool;
  readonly #seal: SessionSeal;

  constructor(pool: Pool, seal: SessionSeal) {
    super();
    this.#pool = pool;
    this.#seal = seal;
  }

  override create(tenantId: TenantId, session: NewSession, countMax: number): Promise<SessionRow> {
    return inTenant(this.#pool, tenantId, async (client) => {
      await verifySessionLimit(client, tenantId, countMax);
      // An erasure may be about to delete the original; the copy would outlive it.
      if (session.forked_from !== null && !(await lockRun(client, session.forked_from.run_id)))
        throw new Fault('not_found');
      return await insertSession(client, this.#seal, tenantId, session);
    });
  }

  override read(tenantId: TenantId, sessionId: string): Promise<(SessionRow & { content: SessionContent }) | null> {
    return this.#look(tenantId, (client) => sessionOf(client, this.#seal, tenantId, sessionId));
  }

  override async list(
    tenantId: TenantId,
    { cursor, limit }: PageRequest,
    { agent_id, workspace_id, run_id }: SessionFilter,
  ): Promise<PageOf<SessionRow>> {
    const after = cursor === null ? null : parseRowCursor('session', cursor);
    const { rows } = await this.#look(tenantId, (client) =>
      client.query<SessionRow>(
        `SELECT ${SESSION_COLUMNS} FROM orchestrator.session WHERE tenant_id = $1 AND ($2::text IS NULL OR agent_id = $2) AND ($3::text IS NULL OR workspace_id = $3)
         AND parent_run IS NOT DISTINCT FROM $6
         AND ($4::bigint IS NULL OR (created_at, session_id) < ($4, $5)) ORDER BY created_at DESC, session_id DESC LIMIT $7`,
        [tenantId, agent_id, workspace_id, after?.created_at ?? null, after?.id ?? null, run_id, limit + 1],
      ),
    );
    return pageOfRows(rows, limit, (row) => row.session_id);
  }

  override queue(tenantId: TenantId, run: NewRun, bounds: RunBounds): Promise<RunRow | null> {
    return inTenant(this.#pool, tenantId, async (client) => {
      // Runs of one session are inserted one after another: each gets the position after the last one.
      if (!(await lockSession(client, run.session_id))) return null;
      const {
        rows: [same],
      } = await client.query<RunRow>(
        `SELECT ${RUN_COLUMNS} FROM orchestrator.run WHERE session_id = $1 AND idempotency_key = $2`,
        [run.session_id, run.idempotency_key],
      );
      if (same !== undefined) return same;
      return await insertRun(client, this.#seal, tenantId, run, await nextPosition(client, run.session_id, bounds));
    });
  }

  override spawn(tenantId: TenantId, session: NewSession, run: NewRun, countMax: number): Promise<RunRow> {
    const operationId = session.spawned_by?.operation_id ?? '';
    return inTenant(this.#pool, tenantId, async (client) => {
      // The same turn may be posted twice at once, at any replica: the second one finds the first one's session.
      await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('writ.sub_agent.' || $1, 0))`, [operationId]);
      const made = await subAgentRunOf(client, operationId);
      if (made !== null) return made;
      await verifySessionLimit(client, tenantId, countMax);
      await insertSession(client, this.#seal, tenantId, session);
      return await insertRun(client, this.#seal, tenantId, run, 1);
    });
  }

  override subAgentRun(tenantId: TenantId, operationId: string): Promise<RunRow | null> {
    return this.#look(tenantId, (client) => subAgentRunOf(client, operationId));
  }

  override readRun(tenantId: TenantId, runId: string): Promise<RunRow | null> {
    return this.#look(tenantId, (client) => runOf(client, runId));
  }

  override startOf(tenantId: TenantId, runId: string): Promise<RunStart | null> {
    return this.#look(tenantId, async (client) => {
      const { rows } = await client.query<RunStart>(START_OF, [runId, SUB_AGENT_LEVELS_MAX]);
      return rows[0] ?? null;
    });
  }

  override async listRuns(
    tenantId: TenantId,
    sessionId: string,
    { cursor, limit }: PageRequest,
  ): Promise<PageOf<RunRow>> {
    const after = cursor === null ? null : parseRowCursor('run', cursor);
    const { rows } = await this.#look(tenantId, (client) =>
      client.query<RunRow>(
        `SELECT ${RUN_COLUMNS} FROM orchestrator.run WHERE session_id = $1 AND ($2::bigint IS NULL OR (created_at, run_id) < ($2, $3)) ORDER BY created_at DESC, run_id DESC LIMIT $4`,
        [sessionId, after?.created_at ?? null, after?.id ?? null, limit + 1],
      ),
    );
    return pageOfRows(rows, limit, (row) => row.run_id);
  }

  override inputs(tenantId: TenantId, sessionId: string): Promise<{ run: RunRow; input: string }[]> {
    return this.#look(tenantId, async (client) => {
      const { rows } = await client.query<RunRow & { content: Buffer }>(
        `SELECT ${RUN_COLUMNS}, content FROM orchestrator.run WHERE session_id = $1 ORDER BY place`,
        [sessionId],
      );
      return rows.map(({ content, ...run }) => ({
        run,
        input: this.#seal.open(tenantId, inputSeal(run.run_id), content) as string,
      }));
    });
  }

  override input(tenantId: TenantId, runId: string): Promise<string | null> {
    return this.#look(tenantId, async (client) => {
      const {
        rows: [row],
      } = await client.query<{ content: Buffer }>('SELECT content FROM orchestrator.run WHERE run_id = $1', [runId]);
      return row === undefined ? null : (this.#seal.open(tenantId, inputSeal(runId), row.content) as string);
    });
  }

  override events(tenantId: TenantId, runId: string, after: number, limit: number): Promise<RunEventRow[]> {
    return this.#look(tenantId, (client) => eventsOf(client, this.#seal, tenantId, runId, after, limit));
  }

  override cancel(tenantId: TenantId, runId: string, by: string): Promise<RunRow | null> {
    return inTenant(this.#pool, tenantId, async (client) => {
      await client.query(
        `UPDATE orchestrator.run SET cancel_by = coalesce(cancel_by, $2), wake_at = orchestrator.now_ms() WHERE run_id = $1 AND state <> 'ended'`,
        [runId, by],
      );
      return await runOf(client, runId);
    });
  }

  override async usage(tenantId: TenantId, from: number, to: number, by: UsageBy): Promise<UsageRow[]> {
    return (
      await this.#look(tenantId, (client) =>
        client.query<UsageRow>(
          `SELECT ${USAGE_OF[by]} AS of, model, count(*)::int AS runs, sum(input_tokens)::bigint AS input_tokens, sum(cached_tokens)::bigint AS cached_tokens, sum(output_tokens)::bigint AS output_tokens,
         coalesce(sum(cost), 0)::bigint AS cost
       FROM (SELECT ${SPENT.map((column) => `r.${column}`).join(', ')}, s.agent_id FROM orchestrator.run r JOIN orchestrator.session s USING (session_id) WHERE r.tenant_id = $1
         UNION ALL SELECT ${SPENT.join(', ')}, agent_id FROM orchestrator.spent WHERE tenant_id = $1) u
       WHERE created_at >= $2 AND created_at < $3 GROUP BY 1, 2 ORDER BY 1, 2`,
          [tenantId, from, to],
        ),
      )
    ).rows;
  }

  #look<T>(tenantId: TenantId, work: (client: Client) => Promise<T>): Promise<T> {
    return inTenant(this.#pool, tenantId, work, { readOnly: true });
  }
}
