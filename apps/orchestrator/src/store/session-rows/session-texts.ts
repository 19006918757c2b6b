// SPDX-License-Identifier: Apache-2.0
import type { Id, TenantId, TextErasureOrder } from '@writ/contract';

/**
 * Whose texts an erasure is to delete: all sessions connected with one, one session with its sub-agents, or the
 * sessions of a data subject.
 */
export type TextScope = { readonly whole: string } | { readonly alone: string } | { readonly subject: string };

/** What an erasure would delete now. */
export interface ErasureReach {
  readonly session_ids: readonly Id<'session'>[];
  /** active runs of these sessions */
  readonly at_work: number;
  /** jobs with the same data subject: they would produce new texts */
  readonly jobs: readonly string[];
}

/** What one round of an erasure deletes. */
export interface TextRound {
  readonly round: number;
  /** sessions that are deleted as a whole */
  readonly session_ids: Id<'session'>[];
  /** runs that are deleted, of sessions that remain */
  readonly run_ids: Id<'run'>[];
  /** forks that remain, and lose the conversation that they began with */
  readonly fork_ids: Id<'session'>[];
}

/**
 * The texts of sessions, for erasures. Texts are copied between sessions: a sub-agent's task and final text are in its
 * parent run, and a fork begins with a copy. So all connected sessions are deleted together, whichever of them is
 * named. Implementations MUST NOT show or delete anything of a tenant other than the one that is named.
 */
export abstract class SessionTexts {
  /** Empty where the tenant has no such session. */
  abstract reach(tenantId: TenantId, of: TextScope): Promise<ErasureReach>;
  /**
   * Durably fixes what is deleted next, and returns the open round where there is one. Null where nothing is left. From
   * then on no run begins in a session of the round, and none is forked from it. Callers MUST have the kernel record
   * the round before they delete it.
   */
  abstract mark(order: TextErasureOrder): Promise<TextRound | null>;
  /**
   * Deletes what a round lists; the usage of its runs stays counted. While a run is active it cancels that run and
   * returns false. For a completed round it changes nothing.
   */
  abstract erase(order: TextErasureOrder, round: number): Promise<boolean>;
}
