// SPDX-License-Identifier: Apache-2.0
import type { AutonomyMode, Change, FsResource, Reason, ToolDefinition, Verdict } from '@writ/contract';

/** An action as policy sees it: parsed, within the token, on a known workspace. */
export interface JudgedAction {
  readonly tenant_id: string;
  readonly agent_id: string;
  readonly workspace_id: string;
  readonly tool: ToolDefinition;
  readonly args: Readonly<Record<string, unknown>>;
  /** what the arguments touch, with links resolved */
  readonly resources: readonly FsResource[];
  readonly task_class: string;
  readonly session_mode: 'interactive' | 'gateway' | 'scheduled';
  /** the least supervision that the session accepts; null: whatever policy asks for */
  readonly max_autonomy: AutonomyMode | null;
}

/** What an action did, and the supervision that it had. */
export interface JudgedEffect extends JudgedAction {
  readonly changes: readonly Change[];
  readonly granted: AutonomyMode;
}

/** How much supervision the action needs, and why. `no_go` is a refusal by policy. */
export interface Supervision {
  readonly autonomy_mode: AutonomyMode;
  /** 0..1, three decimals */
  readonly risk_score: number;
  readonly risk_basis: readonly string[];
  readonly rule_ids: readonly string[];
  readonly reasons: readonly Reason[];
}

/** The policy in force for a tenant, ready to be asked. */
export interface ActivePolicy {
  /** hex SHA-256 of what it says */
  readonly hash: string;
  /** A rule that can't be evaluated refuses (`policy.error`): a forbid that can't be read is still a forbid. */
  readonly judge: (action: JudgedAction) => Verdict<Supervision>;
  /** The same about what was done. More supervision than was granted means that the effect mustn't commit as it is. */
  readonly judgeEffect: (effect: JudgedEffect) => Verdict<Supervision>;
}

/** The sole authority on which policy is in force. */
export abstract class PolicySets {
  /** Implementations MUST NOT answer with a set that was replaced more than a second ago. Rejects rather than answer with none. */
  abstract of(tenantId: string): Promise<ActivePolicy>;
}
