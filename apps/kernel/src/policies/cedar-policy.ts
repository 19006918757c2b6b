// SPDX-License-Identifier: Apache-2.0
import { TOOLS, type Reason, type Verdict } from '@writ/contract';
import { matchesTool } from '@writ/capability';
import { decideEffectPolicy, decidePolicy, historyNeeds, type HistoryRule, type PolicyAsk, type PolicyDecision, type PolicySet } from '@writ/policy';
import { assessRisk, placeSecrets, type Risk, type RiskHistory, type ShellGrammar } from '@writ/risk';
import type { ActivePolicy, CountNeeded, JudgedAction, Supervision } from '../ports/index.ts';

/** A policy set with the risk table in front of it: risk is part of what policy is asked about. */
export function cedarPolicy(set: PolicySet, grammar: ShellGrammar): ActivePolicy {
  return {
    hash: set.policy_hash,
    approvalMs: set.document.ttl.approval_ms,
    historyNeeds: (call) => countsFor(set, call),
    judge: (written) => {
      const action = asRun(written, grammar);
      if ('effect' in action) return action;
      const risk = assessRisk(action, grammar, riskHistory(action));
      return supervisionOf(decidePolicy(set, askOf(action, risk)), risk);
    },
    judgeEffect: (written) => {
      const effect = asRun(written, grammar);
      if ('effect' in effect) return effect;
      const risk = assessRisk(effect, grammar, riskHistory(effect));
      return supervisionOf(decideEffectPolicy(set, { ...askOf(effect, risk), changes: effect.changes, granted: effect.granted }), risk);
    },
  };
}

/** INVARIANT (judged is run): a command that names secrets is judged as it will run, with variables in their places; one that can't be made so is refused. */
function asRun<A extends JudgedAction>(action: A, grammar: ShellGrammar): A | Extract<Verdict, { effect: 'refuse' }> {
  const { command } = action.args;
  if (typeof command !== 'string' || !action.tool.accepts_secrets.includes('command')) return action;
  const placed = placeSecrets(command, grammar);
  if (!placed.ok) return { effect: 'refuse', code: 'args.invalid', message: `\`/command\`: ${placed.message}`, hint: placed.hint };
  return placed.command === command ? action : { ...action, args: { ...action.args, command: placed.command } };
}

/** What risk is told of the session. */
export const riskHistory = ({ labels, past }: JudgedAction): RiskHistory => ({ labels, ...past });

/** What policy is asked about the action, given what the risk table says of it. */
export function askOf(action: JudgedAction, risk: Risk): PolicyAsk {
  return {
    agent_id: action.agent_id,
    delegated_by: action.delegated_by,
    workspace_id: action.workspace_id,
    tool_id: action.tool.tool_id,
    category: action.tool.category,
    tool_class: action.tool.class,
    resources: action.resources,
    risk_milli: Math.round(risk.risk_score * 1000),
    risk_ceiling: risk.ceiling,
    task_class: action.task_class,
    labels: action.labels,
    session_mode: action.session_mode,
    job_lists_tool: action.job_lists_tool,
    // Nothing is staged yet: that is what asks for most supervision.
    staged_change: false,
    max_autonomy: action.max_autonomy,
    ...(action.egress === undefined || action.egress === null ? {} : { egress: action.egress }),
    ...(action.history === null ? {} : { history: action.history }),
  };
}

/** Counts are looked up by tool, so patterns become the tools that there are: Writ's own here, the tenant's by the database. */
function countsFor(set: PolicySet, call: { readonly tool_id: string; readonly task_class: string }): readonly CountNeeded[] | null {
  const needs = historyNeeds(set, call);
  if (needs.length === 0) return null;
  const rules = new Map(set.document.history.map((rule): [string, HistoryRule] => [rule.id, rule]));
  return needs.map((need) => ({
    ...need,
    patterns: need.tools,
    tools: [...TOOLS.keys()].filter((id) => need.tools.some((pattern) => matchesTool(pattern, id))),
    most: mostOf(rules.get(need.id)),
  }));
}

/** As far as counting tells anything: an `at_most` is broken at `n`, the others ask whether there was one. */
const mostOf = (rule: HistoryRule | undefined): number => Math.max(1, rule?.kind === 'at_most' ? rule.n : 1);

function supervisionOf(decision: PolicyDecision, risk: Risk): Verdict<Supervision> {
  if (decision.errors.length > 0) return { effect: 'refuse', code: 'policy.error', message: 'a rule of the policy failed, so the call is refused' };
  return {
    effect: 'allow',
    autonomy_mode: decision.mode,
    decided: decision.decided,
    approvers: decision.approvers,
    risk_score: risk.risk_score,
    risk_basis: risk.risk_basis,
    rule_ids: [...observedIds(decision), ...decision.rule_ids],
    reasons: eachOnce([...risk.reasons, ...decision.reasons]),
    would_pass: decision.would_pass,
  };
}

/** What would have been decided, for the record, which holds ids and no words. No rule of a set can be called so: their ids have no `:`. */
const observedIds = ({ enforcement, decided }: PolicyDecision): string[] => (enforcement === 'observe' ? [`policy.observed:${decided}`] : []);

/** What makes a call risky comes first: that is what a person wants to know. */
function eachOnce(reasons: readonly Reason[]): Reason[] {
  return [...new Map(reasons.map((reason) => [`${reason.code}\n${reason.message}`, reason])).values()];
}
