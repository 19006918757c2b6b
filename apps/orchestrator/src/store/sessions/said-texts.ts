// SPDX-License-Identifier: Apache-2.0
import type { Id, TenantId, TextOrder } from '@writ/contract';

/**
 * Whose texts an erasure is to reach: what hangs together with a session, the session with its sub-agents alone, or the
 * sessions about somebody.
 */
export type TextsOf = { readonly whole: string } | { readonly alone: string } | { readonly subject: string };

/** What an erasure would reach now. */
export interface TextsReach {
  readonly session_ids: readonly Id<'session'>[];
  /** runs of them that are at work */
  readonly at_work: number;
  /** jobs about the same person: they would ask it all again */
  readonly jobs: readonly string[];
}

/** What goes in one round of an erasure. */
export interface TextRound {
  readonly round: number;
  /** those that go whole */
  readonly session_ids: Id<'session'>[];
  /** those that go of sessions which stay */
  readonly run_ids: Id<'run'>[];
  /** forks that stay, and lose the conversation that they began with */
  readonly fork_ids: Id<'session'>[];
}

/**
 * What was said in sessions, as erasures see it. A conversation hangs together: a sub-agent's task and last words stand
 * in the run above it, and a fork begins with a copy. So it goes whole, whichever part of it is named. Implementations
 * MUST NOT show or take anything of another tenant than the one that is named.
 */
export abstract class SaidTexts {
  /** Nothing where the tenant has no such session. */
  abstract reach(tenantId: TenantId, of: TextsOf): Promise<TextsReach>;
  /**
   * Settles what goes next, durably: the round that is under way where there is one. Null where nothing is left. From
   * then on no run begins in a session that goes, and none is forked from it. Callers MUST have it recorded before they
   * take it.
   */
  abstract mark(order: TextOrder): Promise<TextRound | null>;
  /**
   * Takes a round away; what its runs took stays counted. False while a run is at work, whose end it asks for. Of a
   * round that is gone nothing changes.
   */
  abstract take(order: TextOrder, round: number): Promise<boolean>;
}
