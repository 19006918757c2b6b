// SPDX-License-Identifier: Apache-2.0
import { Fault, type TenantId } from '@writ/contract';
import { badCursor } from '@writ/paging';
import type { RunEventRow } from '../store/sessions/run-events.ts';
import type { SaidTexts } from '../store/sessions/said-texts.ts';
import { FakeRunWork } from './fake-run-work.ts';
import { FakeSaidTexts } from './fake-said-texts.ts';
import {
  RunWork,
  Sessions,
  type NewRun,
  type NewSession,
  type PageAsked,
  type PageOf,
  type RunBounds,
  type RunPrompt,
  type RunRow,
  type SessionContent,
  type SessionFilter,
  type SessionRow,
  type UsageBy,
  type UsageRow,
} from '../store/sessions/sessions.ts';

interface KeptSession {
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

interface FakeSpent {
  readonly tenant_id: TenantId;
  readonly row: RunRow;
  readonly agent_id: string;
}

function pageOf<T>(rows: readonly T[], { cursor, limit }: PageAsked, idOf: (row: T) => string): PageOf<T> {
  const from = cursor === null ? 0 : rows.findIndex((row) => idOf(row) === cursor) + 1;
  if (cursor !== null && from === 0) throw badCursor();
  const items = rows.slice(from, from + limit);
  const last = items.at(-1);
  return { items, next_cursor: rows.length > from + limit && last !== undefined ? idOf(last) : null };
}

/** Sessions and runs for as long as the process lives. */
export class FakeRuns {
  /** milliseconds; a test moves it */
  now = Date.now();
  /** which models replicas have named, and when last */
  readonly driven = new Map<string, number>();
  /** nothing is claimed while it is set */
  isPaused = false;
  readonly revoked = new Set<string>();
  readonly kept: KeptSession[] = [];
  readonly runs: KeptRun[] = [];
  readonly spent: FakeSpent[] = [];
  readonly sessions: Sessions = new FakeSessions(this);
  readonly work: RunWork = new FakeRunWork(this);
  readonly said: SaidTexts = new FakeSaidTexts(this);
  /** sessions and runs that an erasure is about to take */
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

  /** With those of its sub-agents. */
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

  /** What was taken, of deleted sessions too. */
  taken(tenantId: string): FakeSpent[] {
    const alive = this.runs
      .filter(({ tenant_id }) => tenant_id === tenantId)
      .map(({ tenant_id, row }) => ({
        tenant_id,
        row,
        agent_id: this.session(tenant_id, row.session_id)?.row.agent_id ?? '',
      }));
    return [...alive, ...this.spent.filter(({ tenant_id }) => tenant_id === tenantId)];
  }

  /** Whether a run is there, and no erasure is about to take it. */
  stays(runId: string): boolean {
    const run = this.runs.find(({ row }) => row.run_id === runId);
    return run !== undefined && !this.marked.has(runId) && !this.marked.has(run.row.session_id);
  }

  /** Takes sessions and runs away, with what is below them; what they took stays counted. */
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

  /** The first run of the session that an operation began. */
  spawned(operationId: string): KeptRun | undefined {
    const session = this.kept.find(({ row }) => row.spawned_by?.operation_id === operationId);
    return session === undefined ? undefined : this.of(session.row.session_id)[0];
  }
}

class FakeSessions extends Sessions {
  readonly #all: FakeRuns;

  constructor(all: FakeRuns) {
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
    page: PageAsked,
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

  override async readRun(tenantId: TenantId, runId: string): Promise<RunRow | null> {
    return this.#all.run(tenantId, runId)?.row ?? null;
  }

  override async listRuns(tenantId: TenantId, sessionId: string, page: PageAsked): Promise<PageOf<RunRow>> {
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
    const within = this.#all.taken(tenantId).filter(({ row }) => row.created_at >= from && row.created_at < to);
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
