// SPDX-License-Identifier: Apache-2.0
import { EFFECT_RULES, TOOLS, type Reason, type Verdict } from '@writ/contract';
import { matchesTool } from '@writ/capability';
import type { EffectFinding } from '@writ/effect';
import {
  decideEffectPolicySteps,
  decidePolicySteps,
  effectSettingsFor,
  historyNeeds,
  type HistoryRule,
  type PolicyAsk,
  type PolicyDecision,
  type PolicySet,
} from '@writ/policy';
import type { Risk } from '@writ/risk';
import { runInSlices } from '@writ/worker-pool';
import type { ActivePolicy, CountNeeded, JudgedAction, JudgedEffect, Supervision } from './policy-sets.ts';
import type { CallReader } from './call-reader.ts';
import type { CallRead } from './read-call.ts';

/** A policy set with the risk table in front of it: risk is part of what policy is asked about. */
export function cedarPolicy(set: PolicySet, reader: CallReader): ActivePolicy {
  return {
    hash: set.policy_hash,
    approvalMs: set.document.ttl.approval_ms,
    historyNeeds: (call) => countsFor(set, call),
    effectSettings: (taskClass) => effectSettingsFor(set.document, taskClass),
    judge: async (action) => {
      const read = await reader.read(action);
      if (!read.ok) return refusalOf(read);
      return supervisionOf(await runInSlices(decidePolicySteps(set, askOf(action, read.risk))), read.risk);
    },
    judgeEffect: async (effect) => {
      const read = await reader.read(effect);
      if (!read.ok) return refusalOf(read);
      return await judgedEffect(set, effect, read.risk);
    },
  };
}

/**
 * INVARIANT (shown, or asked): a finding passes only with the approval of this very effect. A yes to the action was
 * given before anybody could know of it, so the policy is asked as if there had been none.
 */
async function judgedEffect(set: PolicySet, effect: JudgedEffect, risk: Risk): Promise<Verdict<Supervision>> {
  const findings = findingsOf(effect, risk);
  const asksAnew = !effect.isApproved && findings.some(({ mode }) => mode !== 'observe');
  const ask = {
    ...askOf(effect, risk),
    changes: effect.changes,
    granted: asksAnew ? ('autopilot' as const) : effect.granted,
    findings,
  };
  const supervision = supervisionOf(await runInSlices(decideEffectPolicySteps(set, ask)), risk);
  if (supervision.effect === 'refuse') return supervision;
  const observed = findings.filter(({ mode }) => mode === 'observe');
  const only = observed.map(({ rule, message }): Reason => ({ code: rule, message: `the call ${message}` }));
  const rule_ids = [...supervision.rule_ids, ...observed.map(({ rule }) => rule)];
  return { ...supervision, rule_ids, reasons: [...findingsFirst(supervision.reasons), ...only], asksAnew };
}

/** What the call did comes before what made it risky: an effect that is refused or waits does so for that. */
function findingsFirst(reasons: readonly Reason[]): readonly Reason[] {
  const isFinding = ({ code }: Reason): boolean => EFFECT_RULES.some((rule) => rule === code);
  return [...reasons.filter(isFinding), ...reasons.filter((reason) => !isFinding(reason))];
}

/** What the issuer of every token in the chain permits is only observed; what the policy refuses stays refused. */
function findingsOf({ examined, permitted }: JudgedEffect, risk: Risk): readonly EffectFinding[] {
  const wrote = risk.category === 'read' ? examined.readWrote : null;
  const findings = wrote === null ? examined.findings : [...examined.findings, wrote];
  return findings.map((finding) =>
    finding.mode !== 'no_go' && permitted.includes(finding.rule) ? { ...finding, mode: 'observe' as const } : finding,
  );
}

function refusalOf({ message, hint }: Extract<CallRead, { ok: false }>): Extract<Verdict, { effect: 'refuse' }> {
  return { effect: 'refuse', code: 'args.invalid', message: `\`/command\`: ${message}`, hint };
}

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

/**
 * Counts are looked up by tool, so patterns become the tools that there are: Writ's own here, the tenant's by the
 * database.
 */
function countsFor(
  set: PolicySet,
  call: { readonly tool_id: string; readonly task_class: string },
): readonly CountNeeded[] | null {
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
  if (decision.errors.length > 0)
    return { effect: 'refuse', code: 'policy.error', message: 'a rule of the policy failed, so the call is refused' };
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

/**
 * What would have been decided, for the record, which holds ids and no words. No rule of a set can be called so: their
 * ids have no `:`.
 */
const observedIds = ({ enforcement, decided }: PolicyDecision): string[] =>
  enforcement === 'observe' ? [`policy.observed:${decided}`] : [];

/** What makes a call risky comes first: that is what a person wants to know. */
function eachOnce(reasons: readonly Reason[]): Reason[] {
  return [...new Map(reasons.map((reason) => [`${reason.code}\n${reason.message}`, reason])).values()];
}
