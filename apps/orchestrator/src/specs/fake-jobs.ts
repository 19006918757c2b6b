// SPDX-License-Identifier: Apache-2.0
import { Fault, type Id, type TenantId } from '@writ/contract';
import { badCursor } from '@writ/paging';
import { newId } from '@writ/nest-kit';
import {
  Jobs,
  JobWork,
  type JobCondition,
  type JobPlan,
  type JobName,
  type JobRow,
  type JobStatus,
  type JobStart,
  type JobSpec,
} from '../store/jobs/jobs.ts';
import type { PageRequest, PageOf } from '../store/session-rows/sessions.ts';

interface Kept {
  readonly tenant_id: TenantId;
  row: JobRow;
  readonly starts: (JobStart & { readonly key: string | null })[];
}

function pageOf<T>(rows: readonly T[], { cursor, limit }: PageRequest, idOf: (row: T) => string): PageOf<T> {
  const from = cursor === null ? 0 : rows.findIndex((row) => idOf(row) === cursor) + 1;
  if (cursor !== null && from === 0) throw badCursor();
  const items = rows.slice(from, from + limit);
  const last = items.at(-1);
  return { items, next_cursor: rows.length > from + limit && last !== undefined ? idOf(last) : null };
}

/** An in-memory store of jobs. The runs that they start are only ids. */
export class FakeJobs extends Jobs {
  /** milliseconds; a test moves it */
  now = Date.now();
  readonly kept: Kept[] = [];
  /** runs that have ended, by id */
  readonly ended = new Set<string>();
  readonly revoked = new Set<string>();
  readonly work: JobWork = new FakeJobWork(this);

  of(tenantId: string, jobId: string): Kept | undefined {
    return this.kept.find(({ tenant_id, row }) => tenant_id === tenantId && row.job_id === jobId);
  }

  override async create(
    tenant_id: TenantId,
    { by, principal: _theirs, ...job }: JobSpec & { readonly job_id: Id<'job'> },
    countMax: number,
  ): Promise<JobRow> {
    if (this.kept.filter((each) => each.tenant_id === tenant_id).length >= countMax) throw new Fault('limit.exceeded');
    const row: JobRow = {
      ...job,
      state: 'active',
      created_at: this.now,
      created_by: by,
      changed_at: this.now,
      changed_by: by,
    };
    this.kept.unshift({ tenant_id, row, starts: [] });
    return row;
  }

  override async read(tenantId: TenantId, jobId: string): Promise<JobRow | null> {
    return this.of(tenantId, jobId)?.row ?? null;
  }

  override async list(tenantId: TenantId, page: PageRequest, agentId: string | null): Promise<PageOf<JobRow>> {
    return pageOf(
      this.kept
        .filter(({ tenant_id, row }) => tenant_id === tenantId && (agentId ?? row.agent_id) === row.agent_id)
        .map(({ row }) => row),
      page,
      ({ job_id }) => job_id,
    );
  }

  override async madeBy(tenantId: TenantId, apiKeyId: string, limit: number): Promise<JobName[]> {
    const isTheirs = ({ created_by, changed_by }: JobRow): boolean =>
      created_by === apiKeyId || changed_by === apiKeyId;
    const theirs = this.kept.filter(({ tenant_id, row }) => tenant_id === tenantId && isTheirs(row));
    return theirs.slice(0, limit).map(({ row: { job_id, name, state } }) => ({ job_id, name, state }));
  }

  override async change(
    tenantId: TenantId,
    jobId: string,
    { by, principal: _theirs, due_at, ...job }: JobSpec,
    condition?: JobCondition,
  ): Promise<JobRow | null> {
    return this.#set(tenantId, jobId, condition, (row) => ({
      ...row,
      ...job,
      job_id: row.job_id,
      changed_by: by,
      changed_at: this.now,
      due_at: row.state === 'active' ? due_at : null,
    }));
  }

  override async pause(tenantId: TenantId, jobId: string, condition?: JobCondition): Promise<JobRow | null> {
    return this.#set(tenantId, jobId, condition, (row) => ({ ...row, state: 'paused', due_at: null }));
  }

  override async resume(
    tenantId: TenantId,
    jobId: string,
    due_at: number,
    condition?: JobCondition,
  ): Promise<JobRow | null> {
    return this.#set(tenantId, jobId, condition, (row) => ({ ...row, state: 'active', due_at }));
  }

  override async remove(
    tenantId: TenantId,
    jobId: string,
    _by: string,
    condition?: JobCondition,
  ): Promise<JobRow | null> {
    const kept = this.of(tenantId, jobId);
    if (kept === undefined) return null;
    await condition?.(kept.row);
    this.kept.splice(this.kept.indexOf(kept), 1);
    return kept.row;
  }

  override async queueStart(
    tenantId: TenantId,
    jobId: string,
    key: string | null,
    queuedMax: number,
  ): Promise<JobStart | null> {
    const kept = this.of(tenantId, jobId);
    if (kept === undefined) return null;
    const same = key === null ? undefined : kept.starts.find((start) => start.key === key);
    if (same !== undefined) return shown(same);
    if (kept.starts.filter(({ state }) => state === 'queued').length >= queuedMax) throw new Fault('limit.exceeded');
    const start = {
      start_id: newId('jobStart'),
      job_id: kept.row.job_id,
      due_at: this.now,
      by_hand: true,
      state: 'queued',
      reason: null,
      session_id: null,
      run_id: null,
      created_at: this.now,
      started_at: null,
      key,
    } as const;
    kept.starts.unshift(start);
    return shown(start);
  }

  override async starts(tenantId: TenantId, jobId: string, page: PageRequest): Promise<PageOf<JobStart>> {
    return pageOf((this.of(tenantId, jobId)?.starts ?? []).map(shown), page, ({ start_id }) => start_id);
  }

  async #set(
    tenantId: TenantId,
    jobId: string,
    condition: JobCondition | undefined,
    to: (row: JobRow) => JobRow,
  ): Promise<JobRow | null> {
    const kept = this.of(tenantId, jobId);
    if (kept === undefined) return null;
    await condition?.(kept.row);
    kept.row = to(kept.row);
    return kept.row;
  }
}

const shown = ({ key: _theirs, ...start }: Kept['starts'][number]): JobStart => start;

class FakeJobWork extends JobWork {
  readonly #all: FakeJobs;

  constructor(all: FakeJobs) {
    super();
    this.#all = all;
  }

  override async due(rows: number): Promise<{ tenant_id: TenantId; job_id: Id<'job'> }[]> {
    const due = this.#all.kept.filter(
      (kept) =>
        (kept.row.due_at ?? Infinity) <= this.#all.now ||
        (kept.starts.some(({ state }) => state === 'queued') &&
          (kept.row.overlap === 'allow' || this.#unended(kept) === 0)),
    );
    return due.slice(0, rows).map(({ tenant_id, row }) => ({ tenant_id, job_id: row.job_id }));
  }

  override async applyPlan(tenantId: TenantId, jobId: string, plan: (standing: JobStatus) => JobPlan): Promise<void> {
    const kept = this.#all.of(tenantId, jobId);
    if (kept === undefined) return;
    const { now } = this.#all;
    const { dueStart, due_at, startsNext } = plan({
      ...kept.row,
      now,
      queued: kept.starts.filter(({ state }) => state === 'queued').length,
      unended: this.#unended(kept),
    });
    if (dueStart !== null) {
      const isTold = kept.starts.some((start) => !start.by_hand && start.due_at === dueStart.due_at);
      if (!isTold)
        kept.starts.unshift({
          start_id: newId('jobStart'),
          job_id: kept.row.job_id,
          ...dueStart,
          by_hand: false,
          session_id: null,
          run_id: null,
          created_at: now,
          started_at: null,
          key: null,
        });
      kept.row = { ...kept.row, due_at };
    }
    const waiting = kept.starts.filter(({ state }) => state === 'queued').sort((a, b) => a.due_at - b.due_at)[0];
    if (!startsNext || waiting === undefined) return;
    const isRevoked = this.#all.revoked.has(kept.row.changed_by);
    kept.starts[kept.starts.indexOf(waiting)] = isRevoked
      ? { ...waiting, state: 'failed', reason: 'auth.invalid' }
      : { ...waiting, state: 'started', session_id: newId('session'), run_id: newId('run'), started_at: now };
  }

  #unended({ starts }: Kept): number {
    return starts.filter(({ run_id }) => run_id !== null && !this.#all.ended.has(run_id)).length;
  }
}
