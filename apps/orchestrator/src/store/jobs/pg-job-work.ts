// SPDX-License-Identifier: Apache-2.0
import { Fault, type Id, type TenantId } from '@writ/contract';
import { inTenant, type Client, type Pool } from '@writ/database';
import { newId } from '@writ/nest-kit';
import { orchestratorSql } from '../functions.ts';
import { JobWork, type JobContent, type JobPlan, type JobRow, type JobStatus } from './jobs.ts';
import type { RunBounds } from '../session-rows/sessions.ts';
import { insertRun, insertSession, nextPosition, verifySessionLimit } from '../session-rows/new-rows.ts';
import { lockSession } from '../session-rows/pg-session-texts.ts';
import { JOB_COLUMNS, jobSeal } from './pg-jobs.ts';
import type { SessionSeal } from '../session-rows/session-seal.ts';

/** How long starts are stored, for people who look into them. */
const STARTS_KEPT_MS = 30 * 24 * 3_600_000;

type FullJobRow = Omit<JobRow, 'content'> &
  Pick<JobStatus, 'now' | 'queued' | 'unended'> & {
    readonly content: Buffer;
    readonly session_id: Id<'session'> | null;
    readonly principal: string | null;
    readonly revoked: boolean;
  };
interface QueuedStart {
  readonly start_id: string;
  readonly due_at: number;
}

/** orchestrator.job and orchestrator.job_start, for the scheduler. */
export class PgJobWork extends JobWork {
  readonly #pool: Pool;
  readonly #seal: SessionSeal;
  readonly #bounds: RunBounds & { readonly sessionsMax: number };

  constructor(pool: Pool, seal: SessionSeal, bounds: RunBounds & { readonly sessionsMax: number }) {
    super();
    this.#pool = pool;
    this.#seal = seal;
    this.#bounds = bounds;
  }

  override async due(rows: number): Promise<{ tenant_id: TenantId; job_id: Id<'job'> }[]> {
    return await orchestratorSql.dueJobs(this.#pool, { rows });
  }

  override applyPlan(tenantId: TenantId, jobId: string, plan: (standing: JobStatus) => JobPlan): Promise<void> {
    return inTenant(this.#pool, tenantId, async (client) => {
      // A concurrent transaction for the same job waits here, and then reads the result of this one.
      if ((await client.query('SELECT 1 FROM orchestrator.job WHERE job_id = $1 FOR UPDATE', [jobId])).rowCount === 0)
        return;
      const job = await statusOf(client, jobId);
      const { dueStart, due_at, startsNext } = plan(job);
      if (dueStart !== null) {
        // A due time that was recorded before, by a clock that lags behind, is not recorded again.
        await client.query(
          'INSERT INTO orchestrator.job_start (start_id, tenant_id, job_id, due_at, by_hand, state, reason) VALUES ($1, $2, $3, $4, false, $5, $6) ON CONFLICT (job_id, due_at) WHERE NOT by_hand DO NOTHING',
          [newId('jobStart'), tenantId, jobId, dueStart.due_at, dueStart.state, dueStart.reason],
        );
        await client.query('UPDATE orchestrator.job SET due_at = $2 WHERE job_id = $1', [jobId, due_at]);
        await client.query(
          `DELETE FROM orchestrator.job_start WHERE job_id = $1 AND state <> 'queued' AND created_at < orchestrator.now_ms() - $2`,
          [jobId, STARTS_KEPT_MS],
        );
      }
      if (!startsNext) return;
      const {
        rows: [next],
      } = await client.query<QueuedStart>(
        `SELECT start_id, due_at FROM orchestrator.job_start WHERE job_id = $1 AND state = 'queued' ORDER BY due_at, start_id LIMIT 1`,
        [jobId],
      );
      if (next !== undefined) await this.#start(client, tenantId, job, next);
    });
  }

  async #start(client: Client, tenantId: TenantId, job: FullJobRow, { start_id }: QueuedStart): Promise<void> {
    try {
      const { session_id, run_id } = await this.#begin(client, tenantId, job);
      await client.query(
        `UPDATE orchestrator.job_start SET state = 'started', session_id = $2, run_id = $3, started_at = orchestrator.now_ms() WHERE start_id = $1`,
        [start_id, session_id, run_id],
      );
    } catch (error) {
      // This fault is thrown before anything is written. Any other error rolls back the whole transaction, which is
      // retried.
      if (!(error instanceof Fault) || error.retryable) throw error;
      await client.query(`UPDATE orchestrator.job_start SET state = 'failed', reason = $2 WHERE start_id = $1`, [
        start_id,
        error.code,
      ]);
    }
  }

  /** Faults: `auth.invalid` where the key on whose behalf it would run is no longer valid, `limit.exceeded`. */
  async #begin(client: Client, tenantId: TenantId, job: FullJobRow): Promise<{ session_id: string; run_id: string }> {
    if (job.revoked) throw new Fault('auth.invalid');
    const { input } = this.#content(tenantId, job);
    const { session_id, place } = await this.#positionIn(client, tenantId, job);
    const { rounds_max, tokens_max, cost_max, changed_by, principal } = job;
    const { run_id } = await insertRun(
      client,
      this.#seal,
      tenantId,
      {
        run_id: newId('run'),
        session_id,
        idempotency_key: null,
        input,
        rounds_max,
        tokens_max,
        cost_max,
        created_by: changed_by,
        role: 'admin',
        principal,
      },
      place,
    );
    return { session_id, run_id };
  }

  async #positionIn(
    client: Client,
    tenantId: TenantId,
    job: FullJobRow,
  ): Promise<{ session_id: Id<'session'>; place: number }> {
    if (job.session_id !== null && (await lockSession(client, job.session_id)))
      return { session_id: job.session_id, place: await nextPosition(client, job.session_id, this.#bounds) };
    await verifySessionLimit(client, tenantId, this.#bounds.sessionsMax);
    const { name, agent_id, workspace_id, run_token_id, dialect, model, job_id, scheduling_class, changed_by } = job;
    const { system, data_subject = null } = this.#content(tenantId, job);
    const { session_id } = await insertSession(client, this.#seal, tenantId, {
      session_id: newId('session'),
      name,
      agent_id,
      workspace_id,
      capability_token_id: run_token_id,
      dialect,
      model,
      forked_from: null,
      spawned_by: null,
      job_id,
      session_mode: 'scheduled',
      scheduling_class,
      created_by: changed_by,
      content: { system, base: [], data_subject },
    });
    if (job.conversation === 'kept')
      await client.query('UPDATE orchestrator.job SET session_id = $2 WHERE job_id = $1', [job_id, session_id]);
    return { session_id, place: 1 };
  }

  #content(tenantId: TenantId, { job_id, content }: FullJobRow): JobContent {
    return this.#seal.open(tenantId, jobSeal(job_id), content) as JobContent;
  }
}

async function statusOf(client: Client, jobId: string): Promise<FullJobRow> {
  const {
    rows: [row],
  } = await client.query<FullJobRow>(
    `SELECT ${JOB_COLUMNS}, content, session_id, principal, orchestrator.now_ms() AS now,
       NOT EXISTS (SELECT 1 FROM orchestrator.api_key k WHERE k.api_key_id = job.changed_by AND k.revoked_at IS NULL AND coalesce(k.expires_at > orchestrator.now_ms(), true)
         AND NOT orchestrator.is_refused(k.member_id)) AS revoked,
       (SELECT count(*)::int FROM orchestrator.job_start s WHERE s.job_id = job.job_id AND s.state = 'queued') AS queued,
       (SELECT count(*)::int FROM orchestrator.job_start s JOIN orchestrator.run r ON r.run_id = s.run_id WHERE s.job_id = job.job_id AND r.state <> 'ended') AS unended
     FROM orchestrator.job WHERE job_id = $1`,
    [jobId],
  );
  if (row === undefined) throw new Error('a locked job does not exist');
  return row;
}
