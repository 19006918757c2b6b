// SPDX-License-Identifier: Apache-2.0
import type { AgentId, Id, SchedulingClass, TenantId } from '@writ/contract';
import type { PageRequest, PageOf, RunLimits } from '../session-rows/sessions.ts';

export const OVERLAPS = ['skip', 'queue', 'allow'] as const;
export const MISSED = ['skip', 'run_once'] as const;
export const CONVERSATIONS = ['fresh', 'kept'] as const;
export const START_STATES = ['queued', 'started', 'skipped', 'missed', 'failed'] as const;

/** The definition of a job, as its creator or the last person to change it set it. */
export interface JobDefinition extends RunLimits {
  readonly name: string;
  /** five fields, or a nickname such as `@daily` */
  readonly cron: string;
  /** an IANA time zone: due times follow its clocks through their changes */
  readonly time_zone: string;
  readonly agent_id: AgentId;
  readonly workspace_id: string;
  /** the agent's token, from which the token of the runs is derived */
  readonly capability_token_id: string;
  readonly tools: readonly string[];
  readonly dialect: string;
  readonly model: string;
  /** `kept`: each run continues the conversation of the one before */
  readonly conversation: (typeof CONVERSATIONS)[number];
  readonly overlap: (typeof OVERLAPS)[number];
  readonly missed: (typeof MISSED)[number];
  /** when calls of its runs are served among the waiting calls of the tenant */
  readonly scheduling_class: SchedulingClass;
}

/** Private content of a job. Stores encrypt it. */
export interface JobContent {
  readonly input: string;
  readonly system: string | null;
  /** its data subject, as an id that the caller chose; its sessions have the same one */
  readonly data_subject?: string | null;
}

/** A job. Times are milliseconds since the epoch by the database's clock. */
export interface JobRow extends JobDefinition {
  readonly job_id: Id<'job'>;
  readonly state: 'active' | 'paused';
  /** the kernel's token that grants the listed tools */
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

/** The id, name and state of a job. */
export type JobName = Pick<JobRow, 'job_id' | 'name' | 'state'>;

/** The values with which a job is created or changed, on whose behalf, and when it is due next. */
export interface JobSpec extends JobDefinition {
  readonly run_token_id: string;
  readonly content: JobContent;
  readonly by: Id<'apiKey'>;
  readonly principal: string | null;
  /** milliseconds by this process's clock; a small deviation from the database's clock does not start the job twice */
  readonly due_at: number;
}

/** One start of a job, at a due time or on request. */
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
 * Throws unless the change is meant for this state of the job. Implementations MUST call it in the transaction of the
 * change, on a row that is locked until its end.
 */
export type JobCondition = (present: JobRow) => void | Promise<void>;

/**
 * Jobs, for those who manage them. Implementations MUST NOT show or change a job of a tenant other than `tenantId`, and
 * MUST encrypt the content that they store.
 */
export abstract class Jobs {
  /** Fault `limit.exceeded` where the tenant has `countMax` already. */
  abstract create(tenantId: TenantId, job: JobSpec & { readonly job_id: Id<'job'> }, countMax: number): Promise<JobRow>;
  /** Null where the tenant has no such job; the same holds for all methods below. */
  abstract read(tenantId: TenantId, jobId: string): Promise<JobRow | null>;
  /** Newest first; null filters nothing. */
  abstract list(tenantId: TenantId, page: PageRequest, agentId: string | null): Promise<PageOf<JobRow>>;
  /** Newest first: jobs that the key created, or on whose behalf their runs make calls; at most `limit`. */
  abstract madeBy(tenantId: TenantId, apiKeyId: string, limit: number): Promise<JobName[]>;
  /** Replaces its definition. The job begins a new conversation, and stays paused where it was. */
  abstract change(tenantId: TenantId, jobId: string, job: JobSpec, condition?: JobCondition): Promise<JobRow | null>;
  abstract pause(tenantId: TenantId, jobId: string, condition?: JobCondition): Promise<JobRow | null>;
  abstract resume(tenantId: TenantId, jobId: string, dueAt: number, condition?: JobCondition): Promise<JobRow | null>;
  /** Deletes it with its starts, and cancels the runs that it started. Its sessions remain. */
  abstract remove(tenantId: TenantId, jobId: string, by: string, condition?: JobCondition): Promise<JobRow | null>;
  /**
   * Queues a requested start. An idempotency key that was used before returns the earlier start. Fault `limit.exceeded`
   * where `queuedMax` starts wait already.
   */
  abstract queueStart(
    tenantId: TenantId,
    jobId: string,
    idempotencyKey: string | null,
    queuedMax: number,
  ): Promise<JobStart | null>;
  /** Newest first. */
  abstract starts(tenantId: TenantId, jobId: string, page: PageRequest): Promise<PageOf<JobStart>>;
}

/** The status of a job, from which its next start is planned. */
export interface JobStatus {
  readonly now: number;
  readonly cron: string;
  readonly time_zone: string;
  readonly due_at: number | null;
  readonly overlap: 'skip' | 'queue' | 'allow';
  readonly missed: 'skip' | 'run_once';
  /** starts that wait */
  readonly queued: number;
  /** runs that it started and that have not ended yet */
  readonly unended: number;
}

/** Whether a job starts now, and when it is due next. */
export interface JobPlan {
  /** the start of the due time that has passed; null where none has */
  readonly dueStart: {
    readonly due_at: number;
    readonly state: 'queued' | 'skipped' | 'missed';
    readonly reason: string | null;
  } | null;
  /** when it is due next */
  readonly due_at: number | null;
  /** whether the start that has waited longest begins now; the new start counts among them */
  readonly startsNext: boolean;
}

/** Jobs, for the scheduler. */
export abstract class JobWork {
  /** Jobs of all tenants that are due, or have a queued start that can begin. */
  abstract due(rows: number): Promise<{ readonly tenant_id: TenantId; readonly job_id: Id<'job'> }[]>;
  /**
   * Applies `plan` to the job's current status. It holds a lock on the job, so transactions for one job run one after
   * another. INVARIANT (one start a due time): the start, its run and the next due time are committed together or not
   * at all.
   */
  abstract applyPlan(tenantId: TenantId, jobId: string, plan: (standing: JobStatus) => JobPlan): Promise<void>;
}
