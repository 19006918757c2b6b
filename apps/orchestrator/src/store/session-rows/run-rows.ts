// SPDX-License-Identifier: Apache-2.0
import { parseFromPeer, type TenantId } from '@writ/contract';
import type { Client } from '@writ/database';
import { KeptEvent, type RunEventRow } from './run-events.ts';
import type { RunRow, SessionContent, SessionRow } from './sessions.ts';
import type { SessionSeal } from './session-seal.ts';

// The columns of returned rows, and the contexts to which encrypted columns are bound.

export const SESSION_COLUMNS = `session_id, name, agent_id, workspace_id, capability_token_id, dialect, model,
  CASE WHEN forked_run IS NULL THEN NULL ELSE jsonb_build_object('run_id', forked_run, 'after', forked_after) END AS forked_from,
  CASE WHEN parent_operation IS NULL THEN NULL ELSE jsonb_build_object('run_id', parent_run, 'operation_id', parent_operation) END AS spawned_by, job_id, session_mode, scheduling_class, created_at, created_by`;
export const RUN_COLUMNS = `run_id, session_id, model, rounds_max, tokens_max, cost_max, state, stopped, fault, waits_for, cancel_by, events, rounds, input_tokens, cached_tokens, output_tokens, cost,
  created_at, created_by, started_at, ended_at`;

export const sessionSeal = (sessionId: string): string => `session ${sessionId}`;
export const inputSeal = (runId: string): string => `input ${runId}`;
export const promptSeal = (runId: string): string => `prompt ${runId}`;
export const eventSeal = (runId: string, seq: number): string => `event ${runId} ${seq}`;

/** A session with its decrypted content; null where the tenant has no such session. */
export async function sessionOf(
  client: Client,
  seal: SessionSeal,
  tenantId: TenantId,
  sessionId: string,
): Promise<(SessionRow & { content: SessionContent }) | null> {
  const {
    rows: [row],
  } = await client.query<SessionRow & { content: Buffer }>(
    `SELECT ${SESSION_COLUMNS}, content FROM orchestrator.session WHERE session_id = $1`,
    [sessionId],
  );
  return row === undefined
    ? null
    : { ...row, content: seal.open(tenantId, sessionSeal(sessionId), row.content) as SessionContent };
}

export async function runOf(client: Client, runId: string): Promise<RunRow | null> {
  return (
    (await client.query<RunRow>(`SELECT ${RUN_COLUMNS} FROM orchestrator.run WHERE run_id = $1`, [runId])).rows[0] ??
    null
  );
}

/** Events of a run after a position, in order. */
export async function eventsOf(
  client: Client,
  seal: SessionSeal,
  tenantId: TenantId,
  runId: string,
  after = 0,
  limit: number | null = null,
): Promise<RunEventRow[]> {
  const { rows } = await client.query<{ seq: number; at: number; event: Buffer }>(
    'SELECT seq, at, event FROM orchestrator.run_event WHERE run_id = $1 AND seq > $2 ORDER BY seq LIMIT $3',
    [runId, after, limit],
  );
  return rows.map(({ seq, at, event }) => ({
    seq,
    at,
    event: parseFromPeer(KeptEvent, seal.open(tenantId, eventSeal(runId, seq), event)),
  }));
}
