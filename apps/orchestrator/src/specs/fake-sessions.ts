// SPDX-License-Identifier: Apache-2.0
import { Fault, type TenantId } from '@writ/contract';
import { badCursor } from '@writ/paging';
import type { RunEventRow } from '../store/session-rows/run-events.ts';
import type { SessionTexts } from '../store/session-rows/session-texts.ts';
import { FakeRunWork } from './fake-run-work.ts';
import { FakeSessionTexts } from './fake-session-texts.ts';
import {
  RunWork,
  Sessions,
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
} from '../store/session-rows/sessions.ts';
import { KeptRuns, type FakeSpent } from './stored-runs.ts';

function pageOf<T>(rows: readonly T[], { cursor, limit }: PageRequest, idOf: (row: T) => string): PageOf<T> {
  const from = cursor === null ? 0 : rows.findIndex((row) => idOf(row) === cursor) + 1;
  if (cursor !== null && from === 0) throw badCursor();
  const items = rows.slice(from, from + limit);
  const last = items.at(-1);
  return { items, next_cursor: rows.length > from + limit && last !== undefined ? idOf(last) : null };
}

/** In-memory stores of sessions and runs. */
export class FakeRuns extends KeptRuns {
  readonly sessions: Sessions = new FakeSessions(this);
  readonly work: RunWork = new FakeRunWork(this);
  readonly sessionTexts: SessionTexts = new FakeSessionTexts(this);
}

class FakeSessions extends Sessions {
  readonly #all: KeptRuns;

  constructor(all: KeptRuns) {
    super();
    this.#all = all;
  }

  override async create(
    tenant_id: TenantId,
    { content, ...session }: NewSession,
    countMax: number,
  ): Promise<SessionRow> {
    if (this.#all.kept.filter((each) => each.tenant_id === tenant_id).length >= countMax)
      throw new Fault('limit.exceeded');
    if (session.forked_from !== null && !this.#all.stays(session.forked_from.run_id)) throw new Fault('not_found');
    const row = { ...session, created_at: this.#all.now };
    this.#all.kept.unshift({ tenant_id, row, content });
    return row;
  }

  override async read(
    tenantId: TenantId,
    sessionId: string,
  ): Promise<(SessionRow & { content: SessionContent }) | null> {
    const kept = this.#all.session(tenantId, sessionId);
    return kept === undefined ? null : { ...kept.row, content: kept.content };
  }

  override async list(
    tenantId: TenantId,
    page: PageRequest,
    { agent_id, workspace_id, run_id }: SessionFilter,
  ): Promise<PageOf<SessionRow>> {
    const rows = this.#all.kept.filter(
      ({ tenant_id, row }) =>
        tenant_id === tenantId &&
        (agent_id ?? row.agent_id) === row.agent_id &&
        (workspace_id ?? row.workspace_id) === row.workspace_id &&
        run_id === (row.spawned_by?.run_id ?? null),
    );
    return pageOf(
      rows.map(({ row }) => row),
      page,
      ({ session_id }) => session_id,
    );
  }

  override async queue(tenant_id: TenantId, asked: NewRun, { runsMax, unendedMax }: RunBounds): Promise<RunRow | null> {
    const session = this.#all.session(tenant_id, asked.session_id);
    if (session === undefined || this.#all.marked.has(asked.session_id)) return null;
    const runs = this.#all.of(asked.session_id);
    const same =
      asked.idempotency_key === null
        ? undefined
        : runs.find((each) => each.asked.idempotency_key === asked.idempotency_key);
    if (same !== undefined) return same.row;
    if (runs.length >= runsMax || runs.filter(({ row }) => row.state !== 'ended').length >= unendedMax)
      throw new Fault('limit.exceeded');
    return this.#all.add(tenant_id, asked, session.row.model, Math.max(0, ...runs.map(({ place }) => place)) + 1);
  }

  override async spawn(
    tenant_id: TenantId,
    { content, ...session }: NewSession,
    run: NewRun,
    countMax: number,
  ): Promise<RunRow> {
    const made = this.#all.spawned(session.spawned_by?.operation_id ?? '');
    if (made !== undefined) return made.row;
    // Nothing comes between the two: another request of the same operation finds the run.
    const created = this.create(tenant_id, { content, ...session }, countMax);
    const row = this.#all.add(tenant_id, run, session.model, 1);
    await created;
    return row;
  }

  override async subAgentRun(tenantId: TenantId, operationId: string): Promise<RunRow | null> {
    const run = this.#all.spawned(operationId);
    return run?.tenant_id === tenantId ? run.row : null;
  }

  override async readRun(tenantId: TenantId, runId: string): Promise<RunRow | null> {
    return this.#all.run(tenantId, runId)?.row ?? null;
  }

  override async startOf(tenantId: TenantId, runId: string): Promise<RunStart | null> {
    const run = this.#all.run(tenantId, runId)?.row;
    const session = run === undefined ? undefined : this.#all.session(tenantId, run.session_id)?.row;
    if (run === undefined || session === undefined) return null;
    const parent = session.spawned_by?.run_id ?? null;
    const above = parent === null ? null : await this.startOf(tenantId, parent);
    // The starts of jobs are in another fake.
    const { run_id, session_id } = run;
    return above ?? { run_id, session_id, job_id: session.job_id, job_name: null, by_hand: null, due_at: null };
  }

  override async listRuns(tenantId: TenantId, sessionId: string, page: PageRequest): Promise<PageOf<RunRow>> {
    return pageOf(
      this.#all
        .of(sessionId)
        .filter(({ tenant_id }) => tenant_id === tenantId)
        .map(({ row }) => row)
        .reverse(),
      page,
      ({ run_id }) => run_id,
    );
  }

  override async inputs(tenantId: TenantId, sessionId: string): Promise<{ run: RunRow; input: string }[]> {
    return this.#all
      .of(sessionId)
      .filter(({ tenant_id }) => tenant_id === tenantId)
      .map(({ row, asked }) => ({ run: row, input: asked.input }));
  }

  override async input(tenantId: TenantId, runId: string): Promise<string | null> {
    return this.#all.run(tenantId, runId)?.asked.input ?? null;
  }

  override async events(tenantId: TenantId, runId: string, after: number, limit: number): Promise<RunEventRow[]> {
    return (this.#all.run(tenantId, runId)?.events ?? []).filter(({ seq }) => seq > after).slice(0, limit);
  }

  override async cancel(tenantId: TenantId, runId: string, by: string): Promise<RunRow | null> {
    const run = this.#all.run(tenantId, runId);
    if (run === undefined) return null;
    if (run.row.state !== 'ended')
      [run.row, run.wakeAt] = [{ ...run.row, cancel_by: run.row.cancel_by ?? by }, this.#all.now];
    return run.row;
  }

  override async usage(tenantId: TenantId, from: number, to: number, by: UsageBy): Promise<UsageRow[]> {
    const of = ({ row, agent_id }: FakeSpent): string | null =>
      ({
        model: null,
        session: row.session_id,
        agent: agent_id,
        day: new Date(row.created_at).toISOString().slice(0, 10),
      })[by];
    const within = this.#all.spending(tenantId).filter(({ row }) => row.created_at >= from && row.created_at < to);
    return [...Map.groupBy(within, (each) => JSON.stringify([of(each), each.row.model])).values()]
      .map((group): UsageRow => {
        const sum = (amountOf: (row: RunRow) => number | null): number =>
          group.reduce((total, { row }) => total + (amountOf(row) ?? 0), 0);
        const [first] = group as [FakeSpent];
        return {
          of: of(first),
          model: first.row.model,
          runs: group.length,
          input_tokens: sum((row) => row.input_tokens),
          cached_tokens: sum((row) => row.cached_tokens),
          output_tokens: sum((row) => row.output_tokens),
          cost: sum((row) => row.cost),
        };
      })
      .sort((a, b) => (`${a.of} ${a.model}` < `${b.of} ${b.model}` ? -1 : 1));
  }
}
