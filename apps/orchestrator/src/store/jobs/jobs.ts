// SPDX-License-Identifier: Apache-2.0
import type { AgentId, Id, TenantId } from '@writ/contract';
import type { PageAsked, PageOf, RunLimits } from '../sessions/sessions.ts';

export const OVERLAPS = ['skip', 'queue', 'allow'] as const;
export const MISSED = ['skip', 'run_once'] as const;
export const CONVERSATIONS = ['fresh', 'kept'] as const;
export const START_STATES = ['queued', 'started', 'skipped', 'missed', 'failed'] as const;

/** What a job is, as whoever made or changed it said. */
export interface JobTerms extends RunLimits {
  readonly name: string;
  /** five fields, or a nickname such as `@daily` */
  readonly cron: string;
  /** an IANA time zone: due times follow its clocks through their changes */
  readonly time_zone: string;
  readonly agent_id: AgentId;
  readonly workspace_id: string;
  /** the agent's token, of which that of the runs is made */
  readonly capability_token_id: string;
  readonly tools: readonly string[];
  readonly dialect: string;
  readonly model: string;
  /** `kept`: each run goes on with the conversation of the one before */
  readonly conversation: (typeof CONVERSATIONS)[number];
  readonly overlap: (typeof OVERLAPS)[number];
  readonly missed: (typeof MISSED)[number];
}

/** What nobody but its readers sees: sealed where it is kept. */
export interface JobContent {
  readonly input: string;
  readonly system: string | null;
  /** whom it is about, by an id of the caller's: so are its sessions */
  readonly data_subject?: string | null;
}

/** A job. Times are milliseconds since the epoch by the database's clock. */
export interface JobRow extends JobTerms {
  readonly job_id: Id<'job'>;
  readonly state: 'active' | 'paused';
  /** the token that holds the list, as the kernel knows it */
  readonly run_token_id: string;
  /** null while it is paused, and when it never comes due again */
  readonly due_at: number | null;
  readonly created_at: number;
  readonly created_by: string;
  readonly changed_at: number;
  /** the key on whose behalf its runs make their calls */
  readonly changed_by: Id<'apiKey'>;
  readonly content: JobContent;
}

/** A job as it is named where that is enough. */
export type JobName = Pick<JobRow, 'job_id' | 'name' | 'state'>;

/** A job as it is made or changed, on whose behalf, and when it is due next. */
export interface JobWish extends JobTerms {
  readonly run_token_id: string;
  readonly content: JobContent;
  readonly by: Id<'apiKey'>;
  readonly principal: string | null;
  /** milliseconds by its own clock: a start that is due a little early or late is due once all the same */
  readonly due_at: number;
}

/** What became of a due time, or of somebody's asking. */
export interface JobStart {
  readonly start_id: Id<'jobStart'>;
  readonly job_id: Id<'job'>;
  readonly due_at: number;
  readonly by_hand: boolean;
  readonly state: (typeof START_STATES)[number];
  /** why it was not started: a fault's code, or `overlap` */
  readonly reason: string | null;
  readonly session_id: Id<'session'> | null;
  readonly run_id: Id<'run'> | null;
  readonly created_at: number;
  readonly started_at: number | null;
}

/**
 * Jobs as those who look after them see them. Implementations MUST NOT show or change one of another tenant than the
 * one that is named, and MUST seal what is asked where they keep it.
 */
export abstract class Jobs {
  /** Fault `limit.exceeded` where the tenant has `countMax` already. */
  abstract create(tenantId: TenantId, job: JobWish & { readonly job_id: Id<'job'> }, countMax: number): Promise<JobRow>;
  /** Null where the tenant has no such job; so for all below. */
  abstract read(tenantId: TenantId, jobId: string): Promise<JobRow | null>;
  /** Newest first; null filters nothing. */
  abstract list(tenantId: TenantId, page: PageAsked, agentId: string | null): Promise<PageOf<JobRow>>;
  /** Newest first: jobs that the key made, or on whose behalf their runs make calls; `limit` at most. */
  abstract madeBy(tenantId: TenantId, apiKeyId: string, limit: number): Promise<JobName[]>;
  /**
   * Says anew what it is: from here on it is that, begins a new conversation, and goes on being paused where it was.
   */
  abstract change(tenantId: TenantId, jobId: string, job: JobWish): Promise<JobRow | null>;
  abstract pause(tenantId: TenantId, jobId: string): Promise<JobRow | null>;
  abstract resume(tenantId: TenantId, jobId: string, dueAt: number): Promise<JobRow | null>;
  /**
   * Takes it away, with what is known of its starts, and asks for the end of runs that it started. Its sessions stay.
   */
  abstract remove(tenantId: TenantId, jobId: string, by: string): Promise<JobRow | null>;
  /**
   * Queues a start that somebody asks for; a key that was used before answers that start. Fault `limit.exceeded` where
   * `queuedMax` wait already.
   */
  abstract ask(
    tenantId: TenantId,
    jobId: string,
    idempotencyKey: string | null,
    queuedMax: number,
  ): Promise<JobStart | null>;
  /** Newest first. */
  abstract starts(tenantId: TenantId, jobId: string, page: PageAsked): Promise<PageOf<JobStart>>;
}

/** How a job stands. */
export interface JobStanding {
  readonly now: number;
  readonly cron: string;
  readonly time_zone: string;
  readonly due_at: number | null;
  readonly overlap: 'skip' | 'queue' | 'allow';
  readonly missed: 'skip' | 'run_once';
  /** starts that wait */
  readonly queued: number;
  /** runs that it started and that have not ended */
  readonly unended: number;
}

/** What becomes of it. */
export interface JobPlan {
  /** of the due time that has come; null where none has */
  readonly told: {
    readonly due_at: number;
    readonly state: 'queued' | 'skipped' | 'missed';
    readonly reason: string | null;
  } | null;
  /** when it is due next */
  readonly due_at: number | null;
  /** whether the start that has waited longest, the one that is told now included, goes */
  readonly starts: boolean;
}

/** Jobs as the clock sees them. */
export abstract class JobWork {
  /** Jobs of all tenants that are due, or have a start that can go. */
  abstract due(rows: number): Promise<{ readonly tenant_id: TenantId; readonly job_id: Id<'job'> }[]>;
  /**
   * Does what the plan says of the job as it stands: in one transaction, which nobody else's about this job runs
   * beside. INVARIANT (one start a due time): its row, the run that it starts and the next due time are there together
   * or not at all.
   */
  abstract take(tenantId: TenantId, jobId: string, plan: (standing: JobStanding) => JobPlan): Promise<void>;
}
