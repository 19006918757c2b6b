// SPDX-License-Identifier: Apache-2.0
import { Fault, type TenantId } from '@writ/contract';
import type { Client } from '@writ/database';
import type { NewRun, NewSession, RunBounds, RunRow, SessionRow } from './sessions.ts';
import { inputSeal, RUN_COLUMNS, SESSION_COLUMNS, sessionSeal } from './run-rows.ts';
import type { SessionSeal } from './session-seal.ts';

export async function insertSession(
  client: Client,
  seal: SessionSeal,
  tenantId: TenantId,
  session: NewSession,
): Promise<SessionRow> {
  const { rows } = await client.query<SessionRow>(
    `INSERT INTO orchestrator.session (session_id, tenant_id, name, agent_id, workspace_id, capability_token_id, dialect, model, content, forked_run, forked_after, parent_run, parent_operation, job_id, scheduling_class, created_by, data_subject, session_mode)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) RETURNING ${SESSION_COLUMNS}`,
    sessionValues(seal, tenantId, session),
  );
  return insertedRow(rows);
}

/** The values of a session's columns, in the order of the statement. */
function sessionValues(seal: SessionSeal, tenantId: TenantId, session: NewSession): unknown[] {
  const { session_id, content, forked_from, spawned_by } = session;
  return [
    session_id,
    tenantId,
    session.name,
    session.agent_id,
    session.workspace_id,
    session.capability_token_id,
    session.dialect,
    session.model,
    seal.seal(tenantId, sessionSeal(session_id), content),
    forked_from?.run_id ?? null,
    forked_from?.after ?? null,
    spawned_by?.run_id ?? null,
    spawned_by?.operation_id ?? null,
    session.job_id,
    session.scheduling_class,
    session.created_by,
    content.data_subject ?? null,
    session.session_mode,
  ];
}

/** @param place its position in its session, from 1 */
export async function insertRun(
  client: Client,
  seal: SessionSeal,
  tenantId: TenantId,
  run: NewRun,
  place: number,
): Promise<RunRow> {
  const { run_id, session_id, idempotency_key, input, rounds_max, tokens_max, cost_max, created_by, role, principal } =
    run;
  return insertedRow(
    (
      await client.query<RunRow>(
        `INSERT INTO orchestrator.run (run_id, tenant_id, session_id, place, idempotency_key, model, content, rounds_max, tokens_max, cost_max, created_by, role, principal)
     SELECT $1, $2, session_id, $4, $5, model, $6, $7, $8, $9, $10, $11, $12 FROM orchestrator.session WHERE session_id = $3 RETURNING ${RUN_COLUMNS}`,
        [
          run_id,
          tenantId,
          session_id,
          place,
          idempotency_key,
          seal.seal(tenantId, inputSeal(run_id), input),
          rounds_max,
          tokens_max,
          cost_max,
          created_by,
          role,
          principal,
        ],
      )
    ).rows,
  );
}

/** The run of the sub-agent that an operation started: the first run of its session. */
export async function subAgentRunOf(client: Client, operationId: string): Promise<RunRow | null> {
  const columns = RUN_COLUMNS.split(',')
    .map((column) => `r.${column.trim()}`)
    .join(', ');
  return (
    (
      await client.query<RunRow>(
        `SELECT ${columns} FROM orchestrator.session s JOIN orchestrator.run r ON r.session_id = s.session_id AND r.place = 1 WHERE s.parent_operation = $1`,
        [operationId],
      )
    ).rows[0] ?? null
  );
}

/** Fault `limit.exceeded`. */
export async function verifySubAgentLimit(client: Client, runId: string, countMax: number): Promise<void> {
  const {
    rows: [had],
  } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM orchestrator.session WHERE parent_run = $1', [
    runId,
  ]);
  if ((had?.n ?? 0) >= countMax) throw new Fault('limit.exceeded', `a run may have ${countMax} sub-agents`);
}

/** The position of the next run in a session that the caller has locked. Fault `limit.exceeded`. */
export async function nextPosition(
  client: Client,
  sessionId: string,
  { runsMax, unendedMax }: RunBounds,
): Promise<number> {
  const {
    rows: [has],
  } = await client.query<{ runs: number; last: number; unended: number }>(
    `SELECT count(*)::int AS runs, coalesce(max(place), 0) AS last, (count(*) FILTER (WHERE state <> 'ended'))::int AS unended FROM orchestrator.run WHERE session_id = $1`,
    [sessionId],
  );
  const { runs, last, unended } = has ?? { runs: 0, last: 0, unended: 0 };
  if (runs >= runsMax)
    throw new Fault('limit.exceeded', `a session may have ${runsMax} runs; begin another one, or fork this one`);
  if (unended >= unendedMax) throw new Fault('limit.exceeded', `${unendedMax} runs of the session have not ended yet`);
  // The number of runs would be wrong: retention may have deleted earlier ones.
  return last + 1;
}

/** The row of `INSERT … RETURNING`. */
function insertedRow<T>([row]: readonly T[]): T {
  if (row === undefined) throw new Error('an insertion returned no row');
  return row;
}

/** Fault `limit.exceeded` where the tenant has `countMax` sessions already. */
export async function verifySessionLimit(client: Client, tenantId: TenantId, countMax: number): Promise<void> {
  const {
    rows: [had],
  } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM orchestrator.session WHERE tenant_id = $1', [
    tenantId,
  ]);
  if ((had?.n ?? 0) >= countMax)
    throw new Fault('limit.exceeded', `a tenant may have ${countMax} sessions; delete old ones first`);
}
