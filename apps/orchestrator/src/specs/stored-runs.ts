// SPDX-License-Identifier: Apache-2.0
import { type TenantId } from '@writ/contract';
import type { RunEventRow } from '../store/session-rows/run-events.ts';
import {
  type NewRun,
  type RunPrompt,
  type RunRow,
  type SessionContent,
  type SessionRow,
} from '../store/session-rows/sessions.ts';

export interface KeptSession {
  readonly tenant_id: TenantId;
  readonly row: SessionRow;
  readonly content: SessionContent;
}
export interface KeptRun {
  readonly tenant_id: TenantId;
  row: RunRow;
  readonly asked: NewRun;
  readonly place: number;
  prompt: RunPrompt | null;
  readonly events: RunEventRow[];
  fence: number;
  leaseUntil: number;
  wakeAt: number;
  reserved: number;
}

export interface FakeSpent {
  readonly tenant_id: TenantId;
  readonly row: RunRow;
  readonly agent_id: string;
}

/** In-memory rows of sessions and runs. */
export class KeptRuns {
  /** milliseconds; a test moves it */
  now = Date.now();
  /** the models that replicas have reported, with the last time */
  readonly driven = new Map<string, number>();
  /** nothing is claimed while it is set */
  isPaused = false;
  readonly revoked = new Set<string>();
  readonly kept: KeptSession[] = [];
  readonly runs: KeptRun[] = [];
  readonly spent: FakeSpent[] = [];
  /** sessions and runs that an erasure is about to delete */
  readonly marked = new Set<string>();

  run(tenantId: string, runId: string): KeptRun | undefined {
    return this.runs.find(({ tenant_id, row }) => tenant_id === tenantId && row.run_id === runId);
  }

  session(tenantId: string, sessionId: string): KeptSession | undefined {
    return this.kept.find(({ tenant_id, row }) => tenant_id === tenantId && row.session_id === sessionId);
  }

  of(sessionId: string): KeptRun[] {
    return this.runs.filter(({ row }) => row.session_id === sessionId);
  }

  /** The runs of a session and of its sub-agents. */
  below(sessionId: string): KeptRun[] {
    return this.of(sessionId).flatMap((run) => [
      run,
      ...this.kept
        .filter(({ row }) => row.spawned_by?.run_id === run.row.run_id)
        .flatMap(({ row }) => this.below(row.session_id)),
    ]);
  }

  add(tenant_id: TenantId, asked: NewRun, model: string, place: number): RunRow {
    const { run_id, session_id, rounds_max, tokens_max, cost_max, created_by } = asked;
    const row: RunRow = {
      run_id,
      session_id,
      rounds_max,
      tokens_max,
      cost_max,
      model,
      state: 'queued',
      stopped: null,
      fault: null,
      waits_for: [],
      cancel_by: null,
      events: 0,
      rounds: 0,
      input_tokens: 0,
      cached_tokens: 0,
      output_tokens: 0,
      cost: null,
      created_at: this.now,
      created_by,
      started_at: null,
      ended_at: null,
    };
    this.runs.push({
      tenant_id,
      row,
      asked,
      place,
      prompt: null,
      events: [],
      fence: 0,
      leaseUntil: 0,
      wakeAt: this.now,
      reserved: 0,
    });
    return row;
  }

  /** The usage of all runs, including those of deleted sessions. */
  spending(tenantId: string): FakeSpent[] {
    const alive = this.runs
      .filter(({ tenant_id }) => tenant_id === tenantId)
      .map(({ tenant_id, row }) => ({
        tenant_id,
        row,
        agent_id: this.session(tenant_id, row.session_id)?.row.agent_id ?? '',
      }));
    return [...alive, ...this.spent.filter(({ tenant_id }) => tenant_id === tenantId)];
  }

  /** Whether a run exists, and no erasure is about to delete it. */
  stays(runId: string): boolean {
    const run = this.runs.find(({ row }) => row.run_id === runId);
    return run !== undefined && !this.marked.has(runId) && !this.marked.has(run.row.session_id);
  }

  /** Deletes sessions and runs with their sub-agents; their usage stays counted. */
  forget(sessionIds: readonly string[], runIds: readonly string[]): void {
    const under = this.kept
      .filter(({ row }) => runIds.includes(row.spawned_by?.run_id ?? ''))
      .map(({ row }) => row.session_id);
    const gone = [...sessionIds, ...under].flatMap((id) => [id, ...this.below(id).map(({ row }) => row.session_id)]);
    const goes = ({ row }: KeptRun): boolean => gone.includes(row.session_id) || runIds.includes(row.run_id);
    this.spent.push(
      ...this.runs
        .filter(goes)
        .map(({ tenant_id, row }) => ({
          tenant_id,
          row,
          agent_id: this.session(tenant_id, row.session_id)?.row.agent_id ?? '',
        })),
    );
    this.runs.splice(0, Infinity, ...this.runs.filter((run) => !goes(run)));
    this.kept.splice(0, Infinity, ...this.kept.filter(({ row }) => !gone.includes(row.session_id)));
  }

  isAtWork({ row, leaseUntil }: KeptRun): boolean {
    return row.state === 'running' || row.state === 'waiting' || (row.state !== 'ended' && leaseUntil >= this.now);
  }

  /** The first run of the session that an operation started. */
  spawned(operationId: string): KeptRun | undefined {
    const session = this.kept.find(({ row }) => row.spawned_by?.operation_id === operationId);
    return session === undefined ? undefined : this.of(session.row.session_id)[0];
  }
}
