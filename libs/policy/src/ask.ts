// SPDX-License-Identifier: Apache-2.0
import {
  AUTONOMY_MODES,
  type AutonomyMode,
  type FsResource,
  type Reason,
  type ToolCategory,
  type ToolClass,
} from '@writ/contract';

export type Supervision = Exclude<AutonomyMode, 'no_go'>;
export type RiskCeiling = 'none' | 'soft_gate' | 'no_go';
export type SessionMode = 'interactive' | 'gateway' | 'scheduled';

/** Where a call would go outside. */
export interface EgressFacts {
  /** hosts, or of a command the patterns that its token grants */
  readonly domains: readonly string[];
  /** `CONNECT` for tunnels, whose requests nobody sees */
  readonly methods: readonly string[];
  /** as the caller says; empty where it doesn't */
  readonly purpose: string;
}

/** What happened in a session before a call: counts, by the ids of what `historyNeeds` asked for. */
export type HistoryFacts = Readonly<Record<string, number>>;

/** What policy is told of a call. `category` is the tool definition's own; what risk made of it is in the ceiling. */
export interface PolicyAsk {
  readonly agent_id: string;
  /** the agents above it from which its token's rights come; empty for an agent with rights of its own */
  readonly delegated_by: readonly string[];
  readonly workspace_id: string;
  readonly tool_id: string;
  readonly category: ToolCategory;
  readonly tool_class: ToolClass;
  /** what the arguments touch, with paths as the workspace library parses them */
  readonly resources: readonly FsResource[];
  /** the risk score in thousandths, 0 to 1000 */
  readonly risk_milli: number;
  readonly risk_ceiling: RiskCeiling;
  /** absent where nothing can leave */
  readonly egress?: EgressFacts;
  readonly task_class: string;
  readonly labels: readonly string[];
  readonly session_mode: SessionMode;
  /** whether the policy of the job that the session runs lists the tool */
  readonly job_lists_tool: boolean;
  /** whether the call applies a change that was staged, with its valid token */
  readonly staged_change: boolean;
  /** the least supervision that the session accepts; null: autopilot */
  readonly max_autonomy: AutonomyMode | null;
  /** what `historyNeeds` asked for; a set whose history rules concern the call refuses it without */
  readonly history?: HistoryFacts;
  /**
   * hour (0 to 23) and weekday (1 Monday to 7 Sunday), UTC; rules that ask for it where it isn't given fail, or say
   * `context has time` first
   */
  readonly time?: { readonly hour: number; readonly weekday: number };
}

/** Who must approve: a number of people of a role or a higher one, nobody twice. */
export interface Approvers {
  readonly count: number;
  readonly role: 'operator' | 'admin';
}

/** What policy says: the supervision that it demands, the rules that decided, and why, in words. */
export interface PolicyDecision {
  /** what is enforced */
  readonly mode: AutonomyMode;
  /** what the set decides; differs from `mode` only in a set that observes */
  readonly decided: AutonomyMode;
  readonly enforcement: 'enforce' | 'observe';
  /**
   * of the text, of the history, or a reserved word such as `risk.soft_gate`; those that asked for more supervision
   * first
   */
  readonly rule_ids: readonly string[];
  readonly reasons: readonly Reason[];
  /** what stood in the way of less supervision, each as what would have let the call pass; empty on autopilot */
  readonly would_pass: readonly string[];
  /** who must approve what `mode` holds; null where nobody is asked, or nobody can lift it */
  readonly approvers: Approvers | null;
  /** what failed while a rule was evaluated; if there is any, the mode is `no_go` and the fault is `policy.error` */
  readonly errors: readonly string[];
}

/** The supervisions to ask for, least first, beginning with the one that is the least allowed. */
export function supervisionsFrom(least: AutonomyMode): readonly Supervision[] {
  return AUTONOMY_MODES.slice(AUTONOMY_MODES.indexOf(least)).filter((mode): mode is Supervision => mode !== 'no_go');
}

/** The stricter of two modes. */
export function stricterOf(a: AutonomyMode, b: AutonomyMode): AutonomyMode {
  return AUTONOMY_MODES.indexOf(a) >= AUTONOMY_MODES.indexOf(b) ? a : b;
}
