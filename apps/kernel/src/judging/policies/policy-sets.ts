// SPDX-License-Identifier: Apache-2.0
import type { AutonomyMode, Change, EffectRule, FsResource, Reason, ToolDefinition, Verdict } from '@writ/contract';
import type { Approvers, EgressFacts, HistoryFacts, HistoryNeed } from '@writ/policy';
import type { EffectExamination, EffectSettings } from '@writ/effect';
import type { SessionPast } from '../../foundation/rows/session-past.ts';

/** An action as policy sees it: parsed, within the token, on a known workspace. */
export interface JudgedAction {
  readonly tenant_id: string;
  readonly agent_id: string;
  /** the agents above it in its token's chain, the nearest first */
  readonly delegated_by: readonly string[];
  readonly workspace_id: string;
  readonly tool: ToolDefinition;
  readonly args: Readonly<Record<string, unknown>>;
  /** what the arguments touch, with links resolved */
  readonly resources: readonly FsResource[];
  /**
   * where it would go outside: what its arguments name, or of a command what its token lets out; absent or null where
   * nothing can leave
   */
  readonly egress?: EgressFacts | null;
  readonly task_class: string;
  readonly session_mode: 'interactive' | 'gateway' | 'scheduled';
  /** by the token that the call is made under, never by its proposer's word */
  readonly job_lists_tool: boolean;
  /** the least supervision that the session accepts; null: whatever policy asks for */
  readonly max_autonomy: AutonomyMode | null;
  /** what flowed into the session and the workspace */
  readonly labels: readonly string[];
  /** the counts that `historyNeeds` asked for; null where it asked for none */
  readonly history: HistoryFacts | null;
  /** what risk is told of the session's past; null where no rule of risk on it can speak, or it was asked before */
  readonly past: SessionPast | null;
}

/** What an action did, and the supervision that it had. */
export interface JudgedEffect extends JudgedAction {
  readonly changes: readonly Change[];
  readonly granted: AutonomyMode;
  /** what the rules on effects found in it */
  readonly examined: EffectExamination;
  /** whether persons approved this very effect, its findings before their eyes: a yes to an action covers no finding */
  readonly isApproved: boolean;
  /**
   * rules on effects whose findings every token of the chain permits beforehand: they are recorded and ask for nobody
   */
  readonly permitted: readonly EffectRule[];
}

/** How much supervision the action needs, and why. `no_go` is a refusal by policy. */
export interface Supervision {
  /** what is enforced */
  readonly autonomy_mode: AutonomyMode;
  /** what the set decides; differs from `autonomy_mode` only where the set observes */
  readonly decided: AutonomyMode;
  /** who must approve what is held; null where nobody is asked */
  readonly approvers: Approvers | null;
  /** 0..1, three decimals */
  readonly risk_score: number;
  readonly risk_basis: readonly string[];
  readonly rule_ids: readonly string[];
  readonly reasons: readonly Reason[];
  /** what would have passed, in words: one for each rule that asks for more */
  readonly would_pass?: readonly string[];
  /** of an effect: findings that nobody has approved ask for this supervision, whatever the call was granted */
  readonly asksAnew?: boolean;
}

/**
 * A count to read before a call can be judged: see `HistoryNeed`. Patterns are spelt out as the tools that fit them,
 * and nobody needs to count past `most`.
 */
export interface CountNeeded extends HistoryNeed {
  readonly most: number;
  /** what `tools` is spelt out of, for tools of the tenant */
  readonly patterns: readonly string[];
}

/** The policy in force for a tenant, ready to be asked. */
export interface ActivePolicy {
  /** hex SHA-256 of what it says */
  readonly hash: string;
  /** how long a held call waits for a person, in milliseconds */
  readonly approvalMs: number;
  /** what must be known of the session's past; null for most calls */
  readonly historyNeeds: (call: {
    readonly tool_id: string;
    readonly task_class: string;
  }) => readonly CountNeeded[] | null;
  /**
   * A rule that can't be evaluated refuses (`policy.error`): a forbid that can't be read is still a forbid. Rejects
   * with Fault `overloaded` where too many calls wait to be read, and with a plain error for a bug.
   */
  readonly judge: (action: JudgedAction) => Promise<Verdict<Supervision>>;
  /** The settings by which an effect of the task class is examined, before it is judged. */
  readonly effectSettings: (taskClass: string) => EffectSettings;
  /** The same about what was done. More supervision than was granted means that the effect mustn't commit as it is. */
  readonly judgeEffect: (effect: JudgedEffect) => Promise<Verdict<Supervision>>;
}

/**
 * Policies by the hashes that tenants have activated. The database says which is in force, in the facts that a decision
 * reads; this only has them ready.
 */
export abstract class PolicySets {
  /**
   * The set that the tenant has activated under the hash; null: the default one. Implementations MUST answer with what
   * that hash is of and MUST reject rather than answer with another. Callers MUST have read the hash from the facts
   * that they decide on, and MUST have it asserted by what writes the decision.
   * @throws Fault `policy.unreadable`
   */
  abstract of(tenantId: string, activated: string | null): Promise<ActivePolicy>;
  /** What was in force when this replica looked last: a guess, good for knowing what to read. */
  abstract lastOf(tenantId: string): ActivePolicy;
}
