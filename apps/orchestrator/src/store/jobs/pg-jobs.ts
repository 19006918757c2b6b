// SPDX-License-Identifier: Apache-2.0
import { Fault, type Id, type TenantId } from '@writ/contract';
import { inTenant, type Client, type Pool } from '@writ/database';
import { newId } from '@writ/nest-kit';
import {
  Jobs,
  type JobCondition,
  type JobContent,
  type JobName,
  type JobRow,
  type JobStart,
  type JobSpec,
} from './jobs.ts';
import type { PageRequest, PageOf } from '../session-rows/sessions.ts';
import { pageOfRows, parseRowCursor } from '../row-cursor.ts';
import type { SessionSeal } from '../session-rows/session-seal.ts';

export const JOB_COLUMNS = `job_id, name, state, cron, time_zone, agent_id, workspace_id, capability_token_id, run_token_id, tools, dialect, model, conversation, overlap, missed, scheduling_class, rounds_max, tokens_max, cost_max,
  due_at, created_at, created_by, changed_at, changed_by`;
const START_COLUMNS = 'start_id, job_id, due_at, by_hand, state, reason, session_id, run_id, created_at, started_at';
/** What a job spec sets, as columns from the third parameter on. */
const SET = [
  'name',
  'cron',
  'time_zone',
  'agent_id',
  'workspace_id',
  'capability_token_id',
  'run_token_id',
  'tools',
  'dialect',
  'model',
  'conversation',
  'overlap',
  'missed',
  'scheduling_class',
  'rounds_max',
  'tokens_max',
  'cost_max',
  'content',
  'changed_by',
  'principal',
  'data_subject',
] as const;

export const jobSeal = (jobId: string): string => `job ${jobId}`;
type Sealed = Omit<JobRow, 'content'> & { readonly content: Buffer };

/** orchestrator.job and orchestrator.job_start. Row-level security shows the tenant's rows and no others. */
export class PgJobs extends Jobs {
  readonly #pool: Pool;
  readonly #seal: SessionSeal;

  constructor(pool: Pool, seal: SessionSeal) {
    super();
    this.#pool = pool;
    this.#seal = seal;
  }

  override create(
    tenantId: TenantId,
    { job_id, ...spec }: JobSpec & { job_id: Id<'job'> },
    countMax: number,
  ): Promise<JobRow> {
    return inTenant(this.#pool, tenantId, async (client) => {
      const {
        rows: [had],
      } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM orchestrator.job WHERE tenant_id = $1', [
        tenantId,
      ]);
      if ((had?.n ?? 0) >= countMax)
        throw new Fault('limit.exceeded', `a tenant may have ${countMax} jobs; delete old ones first`);
      const values = this.#values(tenantId, job_id, spec);
      const row = await this.#one(
        client,
        tenantId,
        `INSERT INTO orchestrator.job (job_id, tenant_id, ${SET.join(', ')}, state, due_at, created_by) VALUES ($1, $2, ${values.map((_, n) => `$${n + 3}`).join(', ')}, 'active', $${values.length + 3}, $${values.length + 4})`,
        [job_id, tenantId, ...values, spec.due_at, spec.by],
      );
      if (row === null) throw new Error('an insertion returned no row');
      return row;
    });
  }

  override read(tenantId: TenantId, jobId: string): Promise<JobRow | null> {
    return inTenant(
      this.#pool,
      tenantId,
      async (client) => {
        const {
          rows: [row],
        } = await client.query<Sealed>(`SELECT ${JOB_COLUMNS}, content FROM orchestrator.job WHERE job_id = $1`, [
          jobId,
        ]);
        return row === undefined ? null : this.#opened(tenantId, row);
      },
      { readOnly: true },
    );
  }

  override async list(
    tenantId: TenantId,
    { cursor, limit }: PageRequest,
    agentId: string | null,
  ): Promise<PageOf<JobRow>> {
    const after = cursor === null ? null : parseRowCursor('job', cursor);
    const { rows } = await inTenant(
      this.#pool,
      tenantId,
      (client) =>
        client.query<Sealed>(
          `SELECT ${JOB_COLUMNS}, content FROM orchestrator.job WHERE tenant_id = $1 AND ($2::text IS NULL OR agent_id = $2)
         AND ($3::bigint IS NULL OR (created_at, job_id) < ($3, $4)) ORDER BY created_at DESC, job_id DESC LIMIT $5`,
          [tenantId, agentId, after?.created_at ?? null, after?.id ?? null, limit + 1],
        ),
      { readOnly: true },
    );
    return pageOfRows(
      rows.map((row) => this.#opened(tenantId, row)),
      limit,
      ({ job_id }) => job_id,
    );
  }

  override async madeBy(tenantId: TenantId, apiKeyId: string, limit: number): Promise<JobName[]> {
    const { rows } = await inTenant(
      this.#pool,
      tenantId,
      (client) =>
        client.query<JobName>(
          `SELECT job_id, name, state FROM orchestrator.job WHERE tenant_id = $1 AND $2 IN (created_by, changed_by)
       ORDER BY created_at DESC, job_id DESC LIMIT $3`,
          [tenantId, apiKeyId, limit],
        ),
      { readOnly: true },
    );
    return rows;
  }

  override change(tenantId: TenantId, jobId: string, spec: JobSpec, condition?: JobCondition): Promise<JobRow | null> {
    return this.#changed(tenantId, jobId, condition, (client) =>
      this.#one(
        client,
        tenantId,
        `UPDATE orchestrator.job SET ${SET.map((column, n) => `${column} = $${n + 3}`).join(', ')}, session_id = NULL, changed_at = orchestrator.now_ms(), due_at = CASE WHEN state = 'active' THEN $2::bigint END WHERE job_id = $1`,
        [jobId, spec.due_at, ...this.#values(tenantId, jobId, spec)],
      ),
    );
  }

  override pause(tenantId: TenantId, jobId: string, condition?: JobCondition): Promise<JobRow | null> {
    return this.#changed(tenantId, jobId, condition, (client) =>
      this.#one(client, tenantId, `UPDATE orchestrator.job SET state = 'paused', due_at = NULL WHERE job_id = $1`, [
        jobId,
      ]),
    );
  }

  override resume(tenantId: TenantId, jobId: string, dueAt: number, condition?: JobCondition): Promise<JobRow | null> {
    return this.#changed(tenantId, jobId, condition, (client) =>
      this.#one(client, tenantId, `UPDATE orchestrator.job SET state = 'active', due_at = $2 WHERE job_id = $1`, [
        jobId,
        dueAt,
      ]),
    );
  }

  override remove(tenantId: TenantId, jobId: string, by: string, condition?: JobCondition): Promise<JobRow | null> {
    return this.#changed(tenantId, jobId, condition, async (client) => {
      await client.query(
        `UPDATE orchestrator.run SET cancel_by = coalesce(cancel_by, $2), wake_at = orchestrator.now_ms() WHERE state <> 'ended' AND run_id IN (SELECT run_id FROM orchestrator.job_start WHERE job_id = $1)`,
        [jobId, by],
      );
      return await this.#one(client, tenantId, 'DELETE FROM orchestrator.job WHERE job_id = $1', [jobId]);
    });
  }

  override queueStart(
    tenantId: TenantId,
    jobId: string,
    idempotencyKey: string | null,
    queuedMax: number,
  ): Promise<JobStart | null> {
    return inTenant(this.#pool, tenantId, async (client) => {
      if ((await client.query('SELECT 1 FROM orchestrator.job WHERE job_id = $1 FOR UPDATE', [jobId])).rowCount === 0)
        return null;
      const {
        rows: [same],
      } = await client.query<JobStart>(
        `SELECT ${START_COLUMNS} FROM orchestrator.job_start WHERE job_id = $1 AND idempotency_key = $2`,
        [jobId, idempotencyKey],
      );
      if (same !== undefined) return same;
      const { rowCount } = await client.query(
        `SELECT 1 FROM orchestrator.job_start WHERE job_id = $1 AND state = 'queued'`,
        [jobId],
      );
      if ((rowCount ?? 0) >= queuedMax)
        throw new Fault('limit.exceeded', `${queuedMax} starts of the job wait already`);
      const {
        rows: [row],
      } = await client.query<JobStart>(
        `INSERT INTO orchestrator.job_start (start_id, tenant_id, job_id, due_at, by_hand, idempotency_key, state) VALUES ($1, $2, $3, orchestrator.now_ms(), true, $4, 'queued') RETURNING ${START_COLUMNS}`,
        [newId('jobStart'), tenantId, jobId, idempotencyKey],
      );
      return row ?? null;
    });
  }

  override async starts(tenantId: TenantId, jobId: string, { cursor, limit }: PageRequest): Promise<PageOf<JobStart>> {
    const after = cursor === null ? null : parseRowCursor('jobStart', cursor);
    const { rows } = await inTenant(
      this.#pool,
      tenantId,
      (client) =>
        client.query<JobStart>(
          `SELECT ${START_COLUMNS} FROM orchestrator.job_start WHERE job_id = $1 AND ($2::bigint IS NULL OR (created_at, start_id) < ($2, $3)) ORDER BY created_at DESC, start_id DESC LIMIT $4`,
          [jobId, after?.created_at ?? null, after?.id ?? null, limit + 1],
        ),
      { readOnly: true },
    );
    return pageOfRows(rows, limit, ({ start_id }) => start_id);
  }

  #values(tenantId: TenantId, jobId: string, spec: JobSpec): unknown[] {
    const columns: Readonly<Record<(typeof SET)[number], unknown>> = {
      ...spec,
      changed_by: spec.by,
      data_subject: spec.content.data_subject ?? null,
      content: this.#seal.seal(tenantId, jobSeal(jobId), spec.content),
    };
    return SET.map((column) => columns[column]);
  }

  /** The row is locked from the comparison on, also against a replica of before, whose change then waits. */
  #changed(
    tenantId: TenantId,
    jobId: string,
    condition: JobCondition | undefined,
    change: (client: Client) => Promise<JobRow | null>,
  ): Promise<JobRow | null> {
    return inTenant(this.#pool, tenantId, async (client) => {
      if (condition === undefined) return await change(client);
      const lock = `SELECT ${JOB_COLUMNS}, content FROM orchestrator.job WHERE job_id = $1 FOR UPDATE`;
      const {
        rows: [row],
      } = await client.query<Sealed>(lock, [jobId]);
      if (row === undefined) return null;
      await condition(this.#opened(tenantId, row));
      return await change(client);
    });
  }

  async #one(
    client: Client,
    tenantId: TenantId,
    statement: string,
    values: readonly unknown[],
  ): Promise<JobRow | null> {
    const {
      rows: [row],
    } = await client.query<Sealed>(`${statement} RETURNING ${JOB_COLUMNS}, content`, [...values]);
    return row === undefined ? null : this.#opened(tenantId, row);
  }

  #opened(tenantId: TenantId, row: Sealed): JobRow {
    return { ...row, content: this.#seal.open(tenantId, jobSeal(row.job_id), row.content) as JobContent };
  }
}
