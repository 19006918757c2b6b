// SPDX-License-Identifier: Apache-2.0
import { Fault, type Id, type TenantId } from '@writ/contract';
import { inTenant, type Client, type Pool } from '@writ/database';
import { newId } from '@writ/nest-kit';
import { orchestratorSql } from '../functions.ts';
import { JobWork, type JobContent, type JobPlan, type JobRow, type JobStanding } from './jobs.ts';
import type { RunBounds } from '../sessions/sessions.ts';
import { insertRun, insertSession, placeFor } from '../sessions/new-rows.ts';
import { holdSession } from '../sessions/pg-said-texts.ts';
import { JOB_COLUMNS, jobSeal } from './pg-jobs.ts';
import type { SessionSeal } from '../sessions/session-seal.ts';

/** What became of due times is kept so long, for whoever asks why. */
const STARTS_KEPT_MS = 30 * 24 * 3_600_000;

type Whole = Omit<JobRow, 'content'> &
  Pick<JobStanding, 'now' | 'queued' | 'unended'> & {
    readonly content: Buffer;
    readonly session_id: Id<'session'> | null;
    readonly principal: string | null;
    readonly revoked: boolean;
  };
interface Waiting {
  readonly start_id: string;
  readonly due_at: number;
}

/** orchestrator.job and orchestrator.job_start, as the clock sees them. */
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

  override take(tenantId: TenantId, jobId: string, plan: (standing: JobStanding) => JobPlan): Promise<void> {
    return inTenant(this.#pool, tenantId, async (client) => {
      // Whoever takes the same job waits here, and then reads what this one left.
      if ((await client.query('SELECT 1 FROM orchestrator.job WHERE job_id = $1 FOR UPDATE', [jobId])).rowCount === 0)
        return;
      const job = await standingOf(client, jobId);
      const { told, due_at, starts } = plan(job);
      if (told !== null) {
        // One that was told before, under a clock that lags behind, is told no more.
        await client.query(
          'INSERT INTO orchestrator.job_start (start_id, tenant_id, job_id, due_at, by_hand, state, reason) VALUES ($1, $2, $3, $4, false, $5, $6) ON CONFLICT (job_id, due_at) WHERE NOT by_hand DO NOTHING',
          [newId('jobStart'), tenantId, jobId, told.due_at, told.state, told.reason],
        );
        await client.query('UPDATE orchestrator.job SET due_at = $2 WHERE job_id = $1', [jobId, due_at]);
        await client.query(
          `DELETE FROM orchestrator.job_start WHERE job_id = $1 AND state <> 'queued' AND created_at < orchestrator.now_ms() - $2`,
          [jobId, STARTS_KEPT_MS],
        );
      }
      if (!starts) return;
      const {
        rows: [next],
      } = await client.query<Waiting>(
        `SELECT start_id, due_at FROM orchestrator.job_start WHERE job_id = $1 AND state = 'queued' ORDER BY due_at, start_id LIMIT 1`,
        [jobId],
      );
      if (next !== undefined) await this.#start(client, tenantId, job, next);
    });
  }

  async #start(client: Client, tenantId: TenantId, job: Whole, { start_id }: Waiting): Promise<void> {
    try {
      const { session_id, run_id } = await this.#begin(client, tenantId, job);
      await client.query(
        `UPDATE orchestrator.job_start SET state = 'started', session_id = $2, run_id = $3, started_at = orchestrator.now_ms() WHERE start_id = $1`,
        [start_id, session_id, run_id],
      );
    } catch (error) {
      // Said before anything was written: what else goes wrong takes the whole transaction along, and is tried again.
      if (!(error instanceof Fault) || error.retryable) throw error;
      await client.query(`UPDATE orchestrator.job_start SET state = 'failed', reason = $2 WHERE start_id = $1`, [
        start_id,
        error.code,
      ]);
    }
  }

  /** Faults: `auth.invalid` where the key on whose behalf it would run is valid no more, `limit.exceeded`. */
  async #begin(client: Client, tenantId: TenantId, job: Whole): Promise<{ session_id: string; run_id: string }> {
    if (job.revoked) throw new Fault('auth.invalid');
    const { input } = this.#content(tenantId, job);
    const { session_id, place } = await this.#placeIn(client, tenantId, job);
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

  async #placeIn(
    client: Client,
    tenantId: TenantId,
    job: Whole,
  ): Promise<{ session_id: Id<'session'>; place: number }> {
    if (job.session_id !== null && (await holdSession(client, job.session_id)))
      return { session_id: job.session_id, place: await placeFor(client, job.session_id, this.#bounds) };
    const { sessionsMax } = this.#bounds;
    const {
      rows: [had],
    } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM orchestrator.session WHERE tenant_id = $1', [
      tenantId,
    ]);
    if ((had?.n ?? 0) >= sessionsMax)
      throw new Fault('limit.exceeded', `a tenant may have ${sessionsMax} sessions; delete old ones first`);
    const { name, agent_id, workspace_id, run_token_id, dialect, model, job_id, changed_by } = job;
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
      created_by: changed_by,
      content: { system, base: [], data_subject },
    });
    if (job.conversation === 'kept')
      await client.query('UPDATE orchestrator.job SET session_id = $2 WHERE job_id = $1', [job_id, session_id]);
    return { session_id, place: 1 };
  }

  #content(tenantId: TenantId, { job_id, content }: Whole): JobContent {
    return this.#seal.open(tenantId, jobSeal(job_id), content) as JobContent;
  }
}

async function standingOf(client: Client, jobId: string): Promise<Whole> {
  const {
    rows: [row],
  } = await client.query<Whole>(
    `SELECT ${JOB_COLUMNS}, content, session_id, principal, orchestrator.now_ms() AS now,
       NOT EXISTS (SELECT 1 FROM orchestrator.api_key k WHERE k.api_key_id = job.changed_by AND k.revoked_at IS NULL) AS revoked,
       (SELECT count(*)::int FROM orchestrator.job_start s WHERE s.job_id = job.job_id AND s.state = 'queued') AS queued,
       (SELECT count(*)::int FROM orchestrator.job_start s JOIN orchestrator.run r ON r.run_id = s.run_id WHERE s.job_id = job.job_id AND r.state <> 'ended') AS unended
     FROM orchestrator.job WHERE job_id = $1`,
    [jobId],
  );
  if (row === undefined) throw new Error('a job that is locked has gone');
  return row;
}
