// SPDX-License-Identifier: Apache-2.0
import type { Message } from '@writ/agent-loop';
import type { AgentId, Id, SchedulingClass, TenantId } from '@writ/contract';
import type { KeptEvent, KeptEvents, RunEventRow, RunStopped } from './run-events.ts';

/** Whether calls can ask a person: only those of an interactive session can. */
export type SessionMode = 'interactive' | 'gateway' | 'scheduled';

/** A conversation of one agent in one workspace. Times are milliseconds since the epoch by the database's clock. */
export interface SessionRow {
  readonly session_id: Id<'session'>;
  readonly name: string | null;
  readonly agent_id: AgentId;
  readonly workspace_id: string;
  readonly capability_token_id: string;
  readonly dialect: string;
  /** the name of a model as it is configured */
  readonly model: string;
  readonly forked_from: { readonly run_id: Id<'run'>; readonly after: number } | null;
  /** the call that it works for, if it is a sub-agent's session; `run_id` is null for a call of a turn */
  readonly spawned_by: { readonly run_id: Id<'run'> | null; readonly operation_id: string } | null;
  /** the job whose runs it holds; its calls have the session mode `scheduled` */
  readonly job_id: Id<'job'> | null;
  /** the session mode of its calls, if it is no job's: see `modeOf` */
  readonly session_mode: SessionMode;
  /** the class that the job's definition names; null where task class and session mode of a call give its class */
  readonly scheduling_class: SchedulingClass | null;
  readonly created_at: number;
  readonly created_by: string;
}

/** The session mode of a session's calls. */
export const modeOf = ({ job_id, session_mode }: Pick<SessionRow, 'job_id' | 'session_mode'>): SessionMode =>
  job_id === null ? session_mode : 'scheduled';

/** Private content of a session. Stores encrypt it. */
export interface SessionContent {
  /** the session's layer of the prompt */
  readonly system: string | null;
  /** the conversation that it begins with */
  readonly base: readonly Message[];
  /** its data subject, as an id that the caller chose: its calls carry it, and an erasure can select texts by it */
  readonly data_subject?: string | null;
}
export type NewSession = Omit<SessionRow, 'created_at'> & { readonly content: SessionContent };

export interface RunLimits {
  readonly rounds_max: number | null;
  readonly tokens_max: number | null;
  /** millionths of the model's currency */
  readonly cost_max: number | null;
}

/** One task of a session, from its input to its end. */
export interface RunRow extends RunLimits {
  readonly run_id: Id<'run'>;
  readonly session_id: Id<'session'>;
  readonly model: string;
  readonly state: 'queued' | 'running' | 'waiting' | 'ended';
  readonly stopped: RunStopped | null;
  readonly fault: string | null;
  /** operations that a person has to decide */
  readonly waits_for: readonly string[];
  readonly cancel_by: string | null;
  /** the number of events, which is the `seq` of the last one */
  readonly events: number;
  readonly rounds: number;
  readonly input_tokens: number;
  readonly cached_tokens: number;
  readonly output_tokens: number;
  readonly cost: number | null;
  readonly created_at: number;
  readonly created_by: Id<'apiKey'>;
  readonly started_at: number | null;
  readonly ended_at: number | null;
}

/** What began a run; of a sub-agent's run, what began the run at the top. */
export interface RunStart {
  readonly run_id: Id<'run'>;
  readonly session_id: Id<'session'>;
  /** the job whose session it is; null for none */
  readonly job_id: Id<'job'> | null;
  /** null where the job was deleted */
  readonly job_name: string | null;
  /** null where no start of the job is stored: these are deleted after a time */
  readonly by_hand: boolean | null;
  readonly due_at: number | null;
}

/** Sub-agents below one another that `startOf` follows: more than a run can have. */
export const SUB_AGENT_LEVELS_MAX = 32;

/** A requested run, and on whose behalf it acts. */
export interface NewRun extends RunLimits {
  readonly run_id: Id<'run'>;
  readonly session_id: Id<'session'>;
  readonly idempotency_key: string | null;
  readonly input: string;
  readonly created_by: Id<'apiKey'>;
  readonly role: 'admin' | 'agent';
  readonly principal: string | null;
}

/** How many runs a session may have, in total and unfinished. */
export interface RunBounds {
  readonly runsMax: number;
  readonly unendedMax: number;
}

/** Which sessions are listed. */
export interface SessionFilter {
  readonly agent_id: string | null;
  readonly workspace_id: string | null;
  readonly run_id: string | null;
}

/** The dimensions by which usage is summed. A run belongs to the UTC day on which it was requested. */
export const USAGE_BY = ['model', 'session', 'agent', 'day'] as const;
export type UsageBy = (typeof USAGE_BY)[number];

/** Tokens and costs of runs of one model, and of one session, agent or day where usage is summed by that. */
export interface UsageRow {
  /** null where it is summed by model alone */
  readonly of: string | null;
  readonly model: string;
  readonly runs: number;
  readonly input_tokens: number;
  readonly cached_tokens: number;
  readonly output_tokens: number;
  readonly cost: number;
}

export interface PageRequest {
  readonly cursor: string | null;
  readonly limit: number;
}
export interface PageOf<T> {
  readonly items: T[];
  readonly next_cursor: string | null;
}

/**
 * Sessions and runs, for callers of the API. Implementations MUST NOT show or change one of a tenant other than
 * `tenantId`, and MUST encrypt the texts that they store.
 */
export abstract class Sessions {
  /** Fault `limit.exceeded` where the tenant has `countMax` already. */
  abstract create(tenantId: TenantId, session: NewSession, countMax: number): Promise<SessionRow>;
  /** Null where the tenant has no such session; the same holds for all methods below. */
  abstract read(
    tenantId: TenantId,
    sessionId: string,
  ): Promise<(SessionRow & { readonly content: SessionContent }) | null>;
  /**
   * Newest first. A null filter matches all, except `run_id`: with a run it lists the sessions of its sub-agents, and
   * with null those of no sub-agent.
   */
  abstract list(tenantId: TenantId, page: PageRequest, of: SessionFilter): Promise<PageOf<SessionRow>>;
  /**
   * Queues a run behind those of its session. An idempotency key that was used before returns the earlier run. Fault
   * `limit.exceeded`.
   */
  abstract queue(tenantId: TenantId, run: NewRun, bounds: RunBounds): Promise<RunRow | null>;
  /**
   * Starts a sub-agent for a call of a turn: a session with one task, and without a parent run. A second call for that
   * operation returns the existing run. Fault `limit.exceeded` where the tenant has `countMax` sessions already.
   */
  abstract spawn(tenantId: TenantId, session: NewSession, run: NewRun, countMax: number): Promise<RunRow>;
  /** The run of the sub-agent that an operation started. */
  abstract subAgentRun(tenantId: TenantId, operationId: string): Promise<RunRow | null>;
  abstract readRun(tenantId: TenantId, runId: string): Promise<RunRow | null>;
  /** What began the work that the run belongs to. */
  abstract startOf(tenantId: TenantId, runId: string): Promise<RunStart | null>;
  /** Newest first. */
  abstract listRuns(tenantId: TenantId, sessionId: string, page: PageRequest): Promise<PageOf<RunRow>>;
  /** The inputs of all runs of a session, in order. */
  abstract inputs(tenantId: TenantId, sessionId: string): Promise<{ readonly run: RunRow; readonly input: string }[]>;
  /** The input of one run. */
  abstract input(tenantId: TenantId, runId: string): Promise<string | null>;
  /** The events of one run after the position `after`, in order. */
  abstract events(tenantId: TenantId, runId: string, after: number, limit: number): Promise<RunEventRow[]>;
  /** Requests its cancellation. A run that has ended does not change. */
  abstract cancel(tenantId: TenantId, runId: string, by: string): Promise<RunRow | null>;
  /** The usage of runs that were requested in [from, to), including those of deleted sessions. */
  abstract usage(tenantId: TenantId, from: number, to: number, by: UsageBy): Promise<UsageRow[]>;
}

/** A right to drive one run. Once the run is claimed again, the earlier claim is fenced. */
export interface RunClaim {
  readonly tenant_id: TenantId;
  readonly run_id: Id<'run'>;
  readonly fence: number;
}

/** Prompt and tools as they were when a run began. Every replica that continues the run uses the same. */
export interface RunPrompt {
  readonly system: string;
  readonly tools: readonly { readonly tool_id: string; readonly description: string; readonly parameters: object }[];
}

/** What a replica needs to drive a run. */
export interface OpenRun {
  readonly session: SessionRow & { readonly content: SessionContent };
  readonly run: RunRow & { readonly role: 'admin' | 'agent'; readonly principal: string | null };
  readonly input: string;
  /** null before it began */
  readonly prompt: RunPrompt | null;
  readonly events: KeptEvents;
  /** the session's runs before it, in order */
  readonly earlier: readonly { readonly input: string; readonly events: KeptEvents }[];
  /** whether the key on whose behalf it runs is no longer valid */
  readonly revoked: boolean;
}

/** The columns of a run's row after an event. */
export interface RunSums {
  /** `queued`: it never began, and is only being cancelled */
  readonly state: 'queued' | 'running' | 'ended';
  readonly stopped: RunStopped | null;
  readonly fault: string | null;
  readonly rounds: number;
  readonly input_tokens: number;
  readonly cached_tokens: number;
  readonly output_tokens: number;
  readonly cost: number | null;
}

/** The result of an append, with requests to end the run. */
export interface Appended {
  readonly at: number;
  readonly cancelled: boolean;
  readonly revoked: boolean;
}

/**
 * The lease expired or another replica claimed the run. The receiver stops driving the run and leaves it to the other
 * replica.
 */
export class LeaseLost extends Error {
  constructor(runId: string) {
    super(`the lease of \`${runId}\` is another's`);
    this.name = 'LeaseLost';
  }
}

/** A run whose lease is still valid. */
export interface RenewedRun {
  readonly run_id: string;
  /** whether its cancellation was requested */
  readonly cancelled: boolean;
  /** whether the API key that requested it was revoked */
  readonly revoked: boolean;
}

/** Which runs a replica claims. */
export interface RunsToClaim {
  readonly rows: number;
  /** most runs of one tenant in progress, over all replicas */
  readonly tenantMax: number;
  readonly leaseMs: number;
  /** names of the models that this replica has; it claims their runs, and any run that is to be cancelled */
  readonly models: readonly string[];
  /**
   * also claims runs whose model no replica has reported for this many milliseconds; null: only runs of its own models
   */
  readonly goneMs: number | null;
}

/**
 * Runs, for replicas that drive them. Every method with a claim throws `LeaseLost`, and changes nothing, where the
 * claim is no longer the run's.
 */
export abstract class RunWork {
  /** Claims due runs of all tenants, in the order of each session, and records which models this replica has. */
  abstract claim(of: RunsToClaim): Promise<RunClaim[]>;
  abstract open(claim: RunClaim): Promise<OpenRun>;
  /** Marks the run as begun, and fixes its prompt. */
  abstract begin(claim: RunClaim, prompt: RunPrompt): Promise<void>;
  /**
   * Makes the event at position `seq` durable, updates the run's row, and renews the lease. Implementations MUST NOT
   * resolve before COMMIT, and MUST reject a position that isn't the next one. A crash of the database may lose an
   * event `answered`: its call is proposed again and gets the same answer. With the event of the end they MUST store
   * the webhook messages about it, in the same transaction.
   */
  abstract append(claim: RunClaim, seq: number, event: KeptEvent, sums: RunSums, leaseMs: number): Promise<Appended>;
  /**
   * Reserves what the next reply may cost, in place of the run's previous reservation; `append` replaces it by the
   * cost. The sum is this amount, the costs of the tenant's runs within the last day, and their reservations. Where it
   * exceeds `dayMax`, nothing is reserved and the result is false. Concurrent reservations of one tenant wait for each
   * other.
   */
  abstract reserve(claim: RunClaim, amount: number, dayMax: number): Promise<boolean>;
  /**
   * Releases a run that waits for a person to decide `operationIds`, or for the sub-agents that `belowIds` started. The
   * run is due again after `wakeMs`, when it is woken, or when a run of one of these sub-agents has ended.
   */
  abstract wait(
    claim: RunClaim,
    operationIds: readonly string[],
    wakeMs: number,
    subAgentOperationIds?: readonly string[],
  ): Promise<void>;
  /** Releases a run, which is due again after `wakeMs`. */
  abstract release(claim: RunClaim, wakeMs: number): Promise<void>;
  /**
   * Returns the runs whose claims are still valid, whether their cancellation was requested, and whether their API key
   * was revoked. It renews a lease that is more than half over, unless the row is locked just then. Callers MUST call
   * it several times per lease.
   */
  abstract renew(claims: readonly RunClaim[], leaseMs: number): Promise<RenewedRun[]>;
  /**
   * Starts a sub-agent of the run: a session with one task, for the operation that requested it. A second call for that
   * operation returns the existing run. Fault `limit.exceeded` where the run has `countMax` sub-agents already.
   */
  abstract spawn(claim: RunClaim, session: NewSession, run: NewRun, countMax: number): Promise<RunRow>;
  /** The run of the sub-agent that an operation started, with its events; null where there is none. */
  abstract subAgentRun(
    claim: RunClaim,
    operationId: string,
  ): Promise<{ readonly run: RunRow; readonly events: KeptEvents } | null>;
  /** Requests the cancellation of every sub-agent's run that has not ended. */
  abstract cancelSubAgents(claim: RunClaim, by: string): Promise<void>;
  /** Makes a waiting run due now. */
  abstract wake(tenantId: TenantId, runId: string): Promise<void>;
}
