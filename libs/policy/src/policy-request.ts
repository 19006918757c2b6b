// SPDX-License-Identifier: Apache-2.0
import {
  AUTONOMY_MODES,
  type AppliedRedaction,
  type ApproverDemand,
  type AutonomyMode,
  type BoundResource,
  type FaultCode,
  type FsResource,
  type Reason,
  type ToolCategory,
  type ToolClass,
} from '@writ/contract';

export type Supervision = Exclude<AutonomyMode, 'no_go'>;
export type RiskCeiling = 'none' | 'soft_gate' | 'no_go';
export type SessionMode = 'interactive' | 'gateway' | 'scheduled';

/** The destinations of a call's network requests. */
export interface EgressFacts {
  /** hosts, or the patterns that a command's token grants */
  readonly domains: readonly string[];
  /** `CONNECT` for tunnels, whose requests are not visible */
  readonly methods: readonly string[];
  /** as the caller states it; empty without one */
  readonly purpose: string;
}

/** A registered resource as rules see it. */
export type PolicyResource = Pick<BoundResource, 'kind' | 'name' | 'owner_agent_id'>;

/** The session's history before a call: counts, by the ids that `historyNeeds` returned. */
export type HistoryFacts = Readonly<Record<string, number>>;

/** A person by a stable pseudonym, or, where no person is `known`, the id of the key that calls. */
export interface PersonFacts {
  readonly id: string;
  readonly known: boolean;
}

/**
 * The facts about a call that policy decides on. `category` is the tool definition's own; `risk_ceiling` has the risk
 * table's result.
 */
export interface PolicyRequest {
  readonly agent_id: string;
  /** the agents above it from which its token derives; empty for an agent with its own rights */
  readonly delegated_by: readonly string[];
  readonly workspace_id: string;
  readonly tool_id: string;
  readonly category: ToolCategory;
  readonly tool_class: ToolClass;
  /** the resources in the arguments, with paths as the workspace library parses them */
  readonly resources: readonly FsResource[];
  /** the registered resources that the arguments name; absent: none */
  readonly registered?: readonly PolicyResource[];
  /** the risk score in thousandths, 0 to 1000 */
  readonly risk_milli: number;
  readonly risk_ceiling: RiskCeiling;
  /** absent if nothing can leave */
  readonly egress?: EgressFacts;
  readonly task_class: string;
  readonly labels: readonly string[];
  readonly session_mode: SessionMode;
  /** on whose behalf the call is made; absent where that isn't known to whoever asks */
  readonly person?: PersonFacts;
  /** whether the list of the session's job has the tool */
  readonly job_lists_tool: boolean;
  /** whether the call applies a staged change, with its valid token */
  readonly staged_change: boolean;
  /** the least supervision that the session accepts; null: autopilot */
  readonly max_autonomy: AutonomyMode | null;
  /** the counts that `historyNeeds` requires; without them a set whose history rules apply to the call refuses it */
  readonly history?: HistoryFacts;
  /**
   * hour (0 to 23) and weekday (1 Monday to 7 Sunday), UTC; if it is absent, rules that read it fail, unless they check
   * `context has time` first
   */
  readonly time?: { readonly hour: number; readonly weekday: number };
  /**
   * the arguments, which fit the JSON Schema `parameters` of the definition that the call is judged by; without them a
   * set whose rules read arguments of the call refuses it
   */
  readonly args?: CallArguments;
}

/** The arguments of a call. */
export interface CallArguments {
  readonly parameters: object;
  readonly value: Readonly<Record<string, unknown>>;
  /** names of the arguments in which the kernel replaces references to secrets; absent: none */
  readonly secrets?: readonly string[];
}

/** Why a call is refused that the rules can't decide on. */
export type PolicyFault = Extract<FaultCode, 'policy.error' | 'policy.args_untyped' | 'policy.args_changed'>;

/** Who must approve: a number of distinct people with that role or a higher one. */
export interface Approvers {
  readonly count: number;
  readonly role: 'operator' | 'admin';
  /** which groups some or all of them must be of: each of these holds; absent: anybody of that role counts */
  readonly groups?: ApproverDemand[];
}

/** The decision of policy: the required supervision, the rules that decided, and the reasons in words. */
export interface PolicyDecision {
  /** the enforced mode */
  readonly mode: AutonomyMode;
  /** the decided mode; differs from `mode` only in a set that observes */
  readonly decided: AutonomyMode;
  readonly enforcement: 'enforce' | 'observe';
  /**
   * ids of rules of the text or of history, or reserved words such as `risk.soft_gate`; those that required more
   * supervision first
   */
  readonly rule_ids: readonly string[];
  readonly reasons: readonly Reason[];
  /** what would have let the call run with less supervision; empty on autopilot */
  readonly would_pass: readonly string[];
  /** who must approve a call that `mode` holds; null if nobody needs to, or nobody can */
  readonly approvers: Approvers | null;
  /** the rules that redact the result, whatever the mode; empty for most calls, and for an effect */
  readonly redactions: readonly AppliedRedaction[];
  /** what the rules failed on; if there is anything, the mode is `no_go`. It quotes no argument */
  readonly errors: readonly string[];
  /** the code of these errors; null without any */
  readonly fault: PolicyFault | null;
}

/** The levels of supervision to evaluate, least first, from the least allowed one. */
export function supervisionsFrom(least: AutonomyMode): readonly Supervision[] {
  return AUTONOMY_MODES.slice(AUTONOMY_MODES.indexOf(least)).filter((mode): mode is Supervision => mode !== 'no_go');
}

/** The stricter of two modes. */
export function stricterOf(a: AutonomyMode, b: AutonomyMode): AutonomyMode {
  return AUTONOMY_MODES.indexOf(a) >= AUTONOMY_MODES.indexOf(b) ? a : b;
}
