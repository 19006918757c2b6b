// SPDX-License-Identifier: Apache-2.0
import type { Message } from '@writ/agent-loop';
import type { AgentId, Id, TenantId } from '@writ/contract';
import type { KeptEvent, KeptEvents, RunEventRow, RunStopped } from './run-events.ts';

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
  /** the call that it works for, where it is a sub-agent's */
  readonly spawned_by: { readonly run_id: Id<'run'>; readonly operation_id: string } | null;
  /** the job whose runs it holds: calls in it are a scheduled session's */
  readonly job_id: Id<'job'> | null;
  readonly created_at: number;
  readonly created_by: string;
}

/** What nobody but its readers sees: sealed where it is kept. */
export interface SessionContent {
  /** the session's own layer of the prompt */
  readonly system: string | null;
  /** the conversation that it begins with */
  readonly base: readonly Message[];
  /** whom it is about, by an id of the caller's: its calls name it, and texts can be erased by it */
  readonly data_subject?: string | null;
}
export type NewSession = Omit<SessionRow, 'created_at'> & { readonly content: SessionContent };

export interface RunLimits {
  readonly rounds_max: number | null;
  readonly tokens_max: number | null;
  /** millionths of the model's currency */
  readonly cost_max: number | null;
}

/** One task of a session, from what was asked to the end. */
export interface RunRow extends RunLimits {
  readonly run_id: Id<'run'>;
  readonly session_id: Id<'session'>;
  readonly model: string;
  readonly state: 'queued' | 'running' | 'waiting' | 'ended';
  readonly stopped: RunStopped | null;
  readonly fault: string | null;
  /** operations that somebody has to decide */
  readonly waits_for: readonly string[];
  readonly cancel_by: string | null;
  /** how many there are: the last one's place */
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

/** A run as it is asked for, and on whose behalf. */
export interface NewRun extends RunLimits {
  readonly run_id: Id<'run'>;
  readonly session_id: Id<'session'>;
  readonly idempotency_key: string | null;
  readonly input: string;
  readonly created_by: Id<'apiKey'>;
  readonly role: 'admin' | 'agent';
  readonly principal: string | null;
}

/** How many runs a session may have, in all and waiting. */
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

/** What usage is summed by: a run belongs to the UTC day on which it was asked for. */
export const USAGE_BY = ['model', 'session', 'agent', 'day'] as const;
export type UsageBy = (typeof USAGE_BY)[number];

/** Tokens and costs of runs: of one model, and of one session, agent or day where it is summed by that. */
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

export interface PageAsked {
  readonly cursor: string | null;
  readonly limit: number;
}
export interface PageOf<T> {
  readonly items: T[];
  readonly next_cursor: string | null;
}

/**
 * Sessions and runs as those who ask about them see them. Implementations MUST NOT show or change one of another tenant
 * than the one that is named, and MUST seal what was said where they keep it.
 */
export abstract class Sessions {
  /** Fault `limit.exceeded` where the tenant has `countMax` already. */
  abstract create(tenantId: TenantId, session: NewSession, countMax: number): Promise<SessionRow>;
  /** Null where the tenant has no such session; so for all below. */
  abstract read(
    tenantId: TenantId,
    sessionId: string,
  ): Promise<(SessionRow & { readonly content: SessionContent }) | null>;
  /** Newest first; null filters nothing, but of the run: those that its calls began, or those that no run's did. */
  abstract list(tenantId: TenantId, page: PageAsked, of: SessionFilter): Promise<PageOf<SessionRow>>;
  /** Queues a run behind those of its session; a key that was used before answers that run. Fault `limit.exceeded`. */
  abstract queue(tenantId: TenantId, run: NewRun, bounds: RunBounds): Promise<RunRow | null>;
  abstract readRun(tenantId: TenantId, runId: string): Promise<RunRow | null>;
  /** Newest first. */
  abstract listRuns(tenantId: TenantId, sessionId: string, page: PageAsked): Promise<PageOf<RunRow>>;
  /** What was asked, by run, in order. */
  abstract inputs(tenantId: TenantId, sessionId: string): Promise<{ readonly run: RunRow; readonly input: string }[]>;
  /** What was asked of one run. */
  abstract input(tenantId: TenantId, runId: string): Promise<string | null>;
  /** Of one run, in order, those after a place. */
  abstract events(tenantId: TenantId, runId: string, after: number, limit: number): Promise<RunEventRow[]>;
  /** Asks for its end; of one that has ended nothing changes. */
  abstract cancel(tenantId: TenantId, runId: string, by: string): Promise<RunRow | null>;
  /** Of runs that were asked for in [from, to), of deleted sessions too. */
  abstract usage(tenantId: TenantId, from: number, to: number, by: UsageBy): Promise<UsageRow[]>;
}

/** A right to drive one run. Once the run is claimed again, the earlier claim is fenced. */
export interface RunClaim {
  readonly tenant_id: TenantId;
  readonly run_id: Id<'run'>;
  readonly fence: number;
}

/** Prompt and tools as they were when a run began: the same whoever goes on with it. */
export interface RunPrompt {
  readonly system: string;
  readonly tools: readonly { readonly tool_id: string; readonly description: string; readonly parameters: object }[];
}

/** What driving a run needs. */
export interface OpenRun {
  readonly session: SessionRow & { readonly content: SessionContent };
  readonly run: RunRow & { readonly role: 'admin' | 'agent'; readonly principal: string | null };
  readonly input: string;
  /** null before it began */
  readonly prompt: RunPrompt | null;
  readonly events: KeptEvents;
  /** the session's runs before it, in order */
  readonly earlier: readonly { readonly input: string; readonly events: KeptEvents }[];
  /** whether the key on whose behalf it runs is valid no more */
  readonly revoked: boolean;
}

/** What a run's row says after an event. */
export interface RunSums {
  /** `queued`: it never began, and is only to be cancelled */
  readonly state: 'queued' | 'running' | 'ended';
  readonly stopped: RunStopped | null;
  readonly fault: string | null;
  readonly rounds: number;
  readonly input_tokens: number;
  readonly cached_tokens: number;
  readonly output_tokens: number;
  readonly cost: number | null;
}

/** What whoever appends has to know. */
export interface Appended {
  readonly at: number;
  readonly cancelled: boolean;
  readonly revoked: boolean;
}

/** The lease ran out or was taken: whoever hears this stops, and leaves the run to who has it. */
export class LeaseLost extends Error {
  constructor(runId: string) {
    super(`the lease of \`${runId}\` is another's`);
    this.name = 'LeaseLost';
  }
}

/** A run under a lease that still stands. */
export interface RenewedRun {
  readonly run_id: string;
  /** somebody wants it cancelled */
  readonly cancelled: boolean;
  /** the API key that asked for it was revoked */
  readonly revoked: boolean;
}

/** Which runs a replica claims. */
export interface RunsToClaim {
  readonly rows: number;
  /** runs of one tenant under way at most, over all replicas */
  readonly tenantMax: number;
  readonly leaseMs: number;
  /** names of the models that this replica has: it claims their runs, and runs that are to be cancelled */
  readonly models: readonly string[];
  /** also runs of models that no replica has named for so many milliseconds; null: only of its own models */
  readonly goneMs: number | null;
}

/**
 * Runs as those who drive them see them. Every method with a claim throws `LeaseLost` where that is no longer the
 * run's, and changes nothing then.
 */
export abstract class RunWork {
  /** Claims what is due of all tenants, in the order of each session, and says which models this replica has. */
  abstract claim(of: RunsToClaim): Promise<RunClaim[]>;
  abstract open(claim: RunClaim): Promise<OpenRun>;
  /** Begins: from here on its prompt is that. */
  abstract begin(claim: RunClaim, prompt: RunPrompt): Promise<void>;
  /**
   * Makes the event of that place durable, with what the run's row says of it, and renews the lease. Implementations
   * MUST NOT resolve before COMMIT, and MUST refuse a place that isn't the next one. An event `answered` a database
   * that dies may forget: its call is asked for again, and answered the same. With the event of the end they MUST keep
   * what webhooks are told of it, in the same transaction.
   */
  abstract append(claim: RunClaim, seq: number, event: KeptEvent, sums: RunSums, leaseMs: number): Promise<Appended>;
  /**
   * Reserves what the next reply may cost, in place of what was reserved for this run before; `append` settles it.
   * False, and nothing is reserved, where that and what the tenant's runs cost that were under way within the last day,
   * with what is reserved for them, come to more than `dayMax`. Whoever asks at the same time waits.
   */
  abstract reserve(claim: RunClaim, amount: number, dayMax: number): Promise<boolean>;
  /**
   * Lets go of a run that waits for somebody to decide operations, or for the sub-agents of others; it is looked at
   * again after `wakeMs`, when it is woken, and when one of these runs has ended.
   */
  abstract wait(
    claim: RunClaim,
    operationIds: readonly string[],
    wakeMs: number,
    belowIds?: readonly string[],
  ): Promise<void>;
  /** Lets go of a run that goes on after `wakeMs`. */
  abstract release(claim: RunClaim, wakeMs: number): Promise<void>;
  /**
   * Those that are still held, whether their end is asked for, and whether the key was revoked that they are for. A
   * lease that is more than half over is renewed, unless its row is being changed just then: whoever asks does so
   * several times a lease.
   */
  abstract renew(claims: readonly RunClaim[], leaseMs: number): Promise<RenewedRun[]>;
  /**
   * Begins a sub-agent of the run: a session with one task, for the operation that asked for it. Asked again for that
   * operation, the answer is the run that there is. Fault `limit.exceeded` where the run has `countMax` already.
   */
  abstract spawn(claim: RunClaim, session: NewSession, run: NewRun, countMax: number): Promise<RunRow>;
  /** The run of the sub-agent that an operation began, with what happened in it; null where there is none. */
  abstract below(
    claim: RunClaim,
    operationId: string,
  ): Promise<{ readonly run: RunRow; readonly events: KeptEvents } | null>;
  /** Asks for the end of every sub-agent's run that has not ended. */
  abstract cancelBelow(claim: RunClaim, by: string): Promise<void>;
  /** Looks again at a run that waits. */
  abstract wake(tenantId: TenantId, runId: string): Promise<void>;
}
