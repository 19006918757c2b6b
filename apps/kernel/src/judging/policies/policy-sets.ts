// SPDX-License-Identifier: Apache-2.0
import type {
  AppliedRedaction,
  AutonomyMode,
  BoundResource,
  Change,
  EffectRule,
  FsResource,
  Reason,
  ToolDefinition,
  Verdict,
} from '@writ/contract';
import type { Approvers, EgressFacts, HistoryFacts, HistoryNeed, PersonFacts, PolicyDocument } from '@writ/policy';
import type { EffectExamination, EffectSettings } from '@writ/effect';
import type { SessionPast } from '../../foundation/rows/session-past.ts';

/** An action as input of policy: parsed, within the token, on an existing workspace. */
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
  /** the registered resources that the arguments name; absent: none */
  readonly registered?: readonly BoundResource[];
  /**
   * where it would send requests: the targets that its arguments name, or, for a command, those that its token allows;
   * absent or null where nothing can leave
   */
  readonly egress?: EgressFacts | null;
  readonly task_class: string;
  readonly session_mode: 'interactive' | 'gateway' | 'scheduled';
  /** on whose behalf it is made: a pseudonym, or a key without a known person; absent where neither is recorded */
  readonly person?: PersonFacts;
  /** from the token that the call is made under, never from its proposer */
  readonly job_lists_tool: boolean;
  /** the least supervision that the session accepts; null: whatever policy requires */
  readonly max_autonomy: AutonomyMode | null;
  /** what flowed into the session and the workspace */
  readonly labels: readonly string[];
  /** whether it applies a change that was staged, or stages one; the kernel has verified that. Absent: no */
  readonly staged_change?: boolean;
  /** the counts that `historyNeeds` requires; null where it requires none */
  readonly history: HistoryFacts | null;
  /** the session's past, for risk; null where no rule of risk uses it, or it was judged before */
  readonly past: SessionPast | null;
}

/** An action's effect, and the supervision that it had. */
export interface JudgedEffect extends JudgedAction {
  readonly changes: readonly Change[];
  readonly granted: AutonomyMode;
  /** the findings of the rules on effects */
  readonly examined: EffectExamination;
  /** whether persons approved this very effect and saw its findings: an approval of an action covers no finding */
  readonly isApproved: boolean;
  /**
   * rules on effects whose findings every token of the chain permits beforehand: they are recorded and require no
   * person
   */
  readonly permitted: readonly EffectRule[];
}

/** How much supervision the action needs, and why. `no_go` is a refusal by policy. */
export interface Supervision {
  /** what is enforced */
  readonly autonomy_mode: AutonomyMode;
  /** the decision of the set; differs from `autonomy_mode` only where the set observes */
  readonly decided: AutonomyMode;
  /** the persons who must approve a held call; null where none must */
  readonly approvers: Approvers | null;
  /** 0..1, three decimals */
  readonly risk_score: number;
  readonly risk_basis: readonly string[];
  readonly rule_ids: readonly string[];
  readonly reasons: readonly Reason[];
  /** what rules redact of its result; empty or absent: nothing */
  readonly redactions?: readonly AppliedRedaction[];
  /** how the call would have passed, in words: one for each rule that requires more */
  readonly would_pass?: readonly string[];
  /** for an effect: findings that no person has approved require this supervision, whatever the call was granted */
  readonly requiresNewApproval?: boolean;
}

/**
 * A count to read before a call can be judged: see `HistoryNeed`. Patterns are expanded to the tools that match them,
 * and counting ends at `most`.
 */
export interface CountNeeded extends HistoryNeed {
  readonly most: number;
  /** the patterns that `tools` is expanded from, for tools of the tenant */
  readonly patterns: readonly string[];
}

/** What happens while a held call waits, as the set says. */
export type PolicyWaiting = NonNullable<PolicyDocument['waiting']>;

/** The policy in force for a tenant, ready to be evaluated. */
export interface ActivePolicy {
  /** hex SHA-256 of its meaning */
  readonly hash: string;
  /** how many persons must approve a held call at least, by its supervision */
  readonly quorum: Readonly<Record<'soft_gate' | 'escalated', number>>;
  /** how long a held call waits for a person, in milliseconds */
  readonly approvalMs: number;
  /** to whom a held call is offered while nobody decides, and when people are reminded; null: neither */
  readonly waiting: PolicyWaiting | null;
  /** the approver groups that the set names */
  readonly groups: readonly string[];
  /** how long a previewed effect may be approved as it was shown, in milliseconds */
  readonly previewMs: number;
  /** how long a staged change may be applied, in milliseconds */
  readonly stagedChangeMs: number;
  /** how long a session grant lives whose approver sets no time, in milliseconds */
  readonly sessionGrantMs: number;
  /** the counts of the session's past that it needs; null for most calls */
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
  /**
   * Judges the effect of an action. If it requires more supervision than was granted, the effect mustn't commit as it
   * is.
   */
  readonly judgeEffect: (effect: JudgedEffect) => Promise<Verdict<Supervision>>;
}

/**
 * Policies by the hashes that tenants have activated. The database decides which is in force, in the facts that a
 * decision reads; this class only provides the compiled sets.
 */
export abstract class PolicySets {
  /**
   * The set that the tenant has activated under the hash; null: the default one. Implementations MUST return the set of
   * that hash and MUST reject rather than return another. Callers MUST have read the hash from the facts that they
   * decide on, and MUST have the statement that writes the decision assert it.
   * @throws Fault `policy.unreadable`
   */
  abstract of(tenantId: string, activated: string | null): Promise<ActivePolicy>;
  /** The set that was in force at this replica's last look: a guess, for deciding what to read. */
  abstract lastOf(tenantId: string): ActivePolicy;
}
