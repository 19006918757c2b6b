// SPDX-License-Identifier: Apache-2.0
import { AUTONOMY_MODES, type AutonomyMode, type FsResource, type Reason, type ToolCategory, type ToolClass } from '@writ/contract';

export type Supervision = Exclude<AutonomyMode, 'no_go'>;
export type RiskCeiling = 'none' | 'soft_gate' | 'no_go';
export type SessionMode = 'interactive' | 'gateway' | 'scheduled';

/** What policy is told of a call. `category` is the tool definition's own; what risk made of it is in the ceiling. */
export interface PolicyAsk {
  readonly agent_id: string;
  readonly workspace_id: string;
  readonly tool_id: string;
  readonly category: ToolCategory;
  readonly tool_class: ToolClass;
  /** what the arguments touch, with paths as the workspace library parses them */
  readonly resources: readonly FsResource[];
  /** the risk score in thousandths, 0 to 1000 */
  readonly risk_milli: number;
  readonly risk_ceiling: RiskCeiling;
  readonly task_class: string;
  readonly labels: readonly string[];
  readonly session_mode: SessionMode;
  /** whether the policy of the job that the session runs lists the tool */
  readonly job_lists_tool: boolean;
  /** whether the call applies a change that was staged, with its valid token */
  readonly staged_change: boolean;
  /** the least supervision that the session accepts; null: autopilot */
  readonly max_autonomy: AutonomyMode | null;
}

/** What policy says: the supervision that it demands, the rules that decided, and why, in words. */
export interface PolicyDecision {
  readonly mode: AutonomyMode;
  readonly rule_ids: readonly string[];
  readonly reasons: readonly Reason[];
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
