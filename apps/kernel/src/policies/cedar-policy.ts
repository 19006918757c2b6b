// SPDX-License-Identifier: Apache-2.0
import type { Reason, Verdict } from '@writ/contract';
import { decideEffectPolicy, decidePolicy, type PolicyAsk, type PolicyDecision, type PolicySet } from '@writ/policy';
import { assessRisk, type Risk, type ShellGrammar } from '@writ/risk';
import type { ActivePolicy, JudgedAction, Supervision } from '../ports/index.ts';

/** A policy set with the risk table in front of it: risk is part of what policy is asked about. */
export function cedarPolicy(set: PolicySet, grammar: ShellGrammar): ActivePolicy {
  return {
    hash: set.policy_hash,
    judge: (action) => {
      const risk = assessRisk(action, grammar);
      return supervisionOf(decidePolicy(set, askOf(action, risk)), risk);
    },
    judgeEffect: (effect) => {
      const risk = assessRisk(effect, grammar);
      return supervisionOf(decideEffectPolicy(set, { ...askOf(effect, risk), changes: effect.changes, granted: effect.granted }), risk);
    },
  };
}

function askOf(action: JudgedAction, risk: Risk): PolicyAsk {
  return {
    agent_id: action.agent_id,
    workspace_id: action.workspace_id,
    tool_id: action.tool.tool_id,
    category: action.tool.category,
    tool_class: action.tool.class,
    resources: action.resources,
    risk_milli: Math.round(risk.risk_score * 1000),
    risk_ceiling: risk.ceiling,
    task_class: action.task_class,
    // No tool labels its output yet, no job lists tools, and nothing is staged: each is what asks for most supervision.
    labels: [],
    session_mode: action.session_mode,
    job_lists_tool: false,
    staged_change: false,
    max_autonomy: action.max_autonomy,
  };
}

function supervisionOf(decision: PolicyDecision, risk: Risk): Verdict<Supervision> {
  if (decision.errors.length > 0) return { effect: 'refuse', code: 'policy.error', message: 'a rule of the policy failed, so the call is refused' };
  return {
    effect: 'allow',
    autonomy_mode: decision.mode,
    risk_score: risk.risk_score,
    risk_basis: risk.risk_basis,
    rule_ids: decision.rule_ids,
    reasons: eachOnce([...risk.reasons, ...decision.reasons]),
  };
}

/** What makes a call risky comes first: that is what a person wants to know. */
function eachOnce(reasons: readonly Reason[]): Reason[] {
  return [...new Map(reasons.map((reason) => [`${reason.code}\n${reason.message}`, reason])).values()];
}
