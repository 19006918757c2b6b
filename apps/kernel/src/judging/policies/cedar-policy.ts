// SPDX-License-Identifier: Apache-2.0
import { EFFECT_RULES, redactableResult, TOOLS, type Reason, type Verdict } from '@writ/contract';
import { matchesTool } from '@writ/capability';
import type { EffectFinding } from '@writ/effect';
import {
  decideEffectPolicySteps,
  decidePolicySteps,
  effectSettingsFor,
  groupsNamedIn,
  historyNeeds,
  type HistoryRule,
  type PolicyRequest,
  type PolicyDecision,
  type PolicyFault,
  type PolicySet,
} from '@writ/policy';
import type { Risk } from '@writ/risk';
import { runInSlices } from '@writ/worker-pool';
import type { ActivePolicy, CountNeeded, JudgedAction, JudgedEffect, Supervision } from './policy-sets.ts';
import type { CallReader } from './call-reader.ts';
import type { CallRead } from './read-call.ts';

/** Checks that rules fit the tool of a call, where a decision needs to know it. MUST NOT hold up the event loop. */
export type FitCheck = (tenantId: string, ask: PolicyRequest) => Promise<void>;

/** A policy set behind the risk table: risk is one of the inputs of policy. */
export function cedarPolicy(set: PolicySet, reader: CallReader, fit: FitCheck): ActivePolicy {
  const { ttl } = set.document;
  return {
    hash: set.policy_hash,
    quorum: set.document.quorum,
    approvalMs: ttl.approval_ms,
    waiting: set.document.waiting ?? null,
    groups: groupsNamedIn(set),
    previewMs: ttl.preview_ms,
    stagedChangeMs: ttl.staged_change_ms,
    sessionGrantMs: ttl.session_grant_ms,
    historyNeeds: (call) => countsFor(set, call),
    effectSettings: (taskClass) => effectSettingsFor(set.document, taskClass),
    judge: async (action) => {
      const read = await reader.read(action);
      if (!read.ok) return refusalOf(read);
      const ask = policyInputOf(action, read.risk);
      await fit(action.tenant_id, ask);
      return unlessUnredactable(action, supervisionOf(await runInSlices(decidePolicySteps(set, ask)), read.risk));
    },
    judgeEffect: async (effect) => {
      const read = await reader.read(riskOfEffect(effect));
      if (!read.ok) return refusalOf(read);
      await fit(effect.tenant_id, policyInputOf(effect, read.risk));
      return await judgedEffect(set, effect, read.risk);
    },
  };
}

/**
 * The parts of an effect that the risk table assesses. What runs in a container names none of the paths that it
 * changes: a script that commits with git changes `.git`, and names no file of it. Its arguments are assessed, and the
 * rules on effects and the policy's rules on paths judge what it changed.
 */
const riskOfEffect = (effect: JudgedEffect): JudgedEffect =>
  effect.tool.class === 'sandboxed' ? { ...effect, resources: [] } : effect;

/**
 * INVARIANT (shown, or asked): a finding passes only with the approval of this very effect. A person approved the
 * action before the finding existed, so the policy is evaluated as if the action had no approval.
 */
async function judgedEffect(set: PolicySet, effect: JudgedEffect, risk: Risk): Promise<Verdict<Supervision>> {
  const findings = findingsOf(effect, risk);
  const requiresNewApproval = !effect.isApproved && findings.some(({ mode }) => mode !== 'observe');
  const ask = {
    ...policyInputOf(effect, risk),
    changes: effect.changes,
    granted: requiresNewApproval ? ('autopilot' as const) : effect.granted,
    findings,
  };
  const supervision = supervisionOf(await runInSlices(decideEffectPolicySteps(set, ask)), risk);
  if (supervision.effect === 'refuse') return supervision;
  const observed = findings.filter(({ mode }) => mode === 'observe');
  const observedReasons = observed.map(({ rule, message }): Reason => ({ code: rule, message: `the call ${message}` }));
  const rule_ids = [...supervision.rule_ids, ...observed.map(({ rule }) => rule)];
  return {
    ...supervision,
    rule_ids,
    reasons: [...findingsFirst(supervision.reasons), ...observedReasons],
    requiresNewApproval,
  };
}

/** Puts findings on the effect before the reasons for risk: an effect is refused or held for its findings. */
function findingsFirst(reasons: readonly Reason[]): readonly Reason[] {
  const isFinding = ({ code }: Reason): boolean => EFFECT_RULES.some((rule) => rule === code);
  return [...reasons.filter(isFinding), ...reasons.filter((reason) => !isFinding(reason))];
}

/**
 * A finding that the issuer of every token in the chain permits is only observed; a finding that the policy refuses
 * stays refused.
 */
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

/** The input of policy for the action, given the risk table's assessment. */
export function policyInputOf(action: JudgedAction, risk: Risk): PolicyRequest {
  return {
    agent_id: action.agent_id,
    delegated_by: action.delegated_by,
    workspace_id: action.workspace_id,
    tool_id: action.tool.tool_id,
    category: action.tool.category,
    tool_class: action.tool.class,
    resources: action.resources,
    registered: (action.registered ?? []).map(({ kind, name, owner_agent_id }) => ({ kind, name, owner_agent_id })),
    risk_milli: Math.round(risk.risk_score * 1000),
    risk_ceiling: risk.ceiling,
    task_class: action.task_class,
    labels: action.labels,
    session_mode: action.session_mode,
    ...(action.person === undefined ? {} : { person: action.person }),
    job_lists_tool: action.job_lists_tool,
    // Without it, most supervision is required.
    staged_change: action.staged_change ?? false,
    max_autonomy: action.max_autonomy,
    ...(action.egress === undefined || action.egress === null ? {} : { egress: action.egress }),
    ...(action.history === null ? {} : { history: action.history }),
    args: { parameters: action.tool.parameters, value: action.args, secrets: action.tool.accepts_secrets },
  };
}

/**
 * Counts are queried by tool, so patterns expand to the existing tools: Writ's own here, the tenant's in the database.
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

/**
 * The count beyond which nothing changes: an `at_most` is broken at `n`, the other rules need to know whether there was
 * one.
 */
const mostOf = (rule: HistoryRule | undefined): number => Math.max(1, rule?.kind === 'at_most' ? rule.n : 1);

function supervisionOf(decision: PolicyDecision, risk: Risk): Verdict<Supervision> {
  if (decision.fault !== null) return unreadRefusal(decision.fault, decision);
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
    ...(decision.redactions.length === 0 ? {} : { redactions: decision.redactions }),
  };
}

/**
 * INVARIANT (redacted, or not run): a call of which a rule redacts something runs only if Writ can redact it. The set
 * was checked when it was stored, and the tool may be another by now.
 */
function unlessUnredactable({ tool }: JudgedAction, verdict: Verdict<Supervision>): Verdict<Supervision> {
  if (verdict.effect === 'refuse') return verdict;
  const [first] = verdict.redactions ?? [];
  if (first === undefined || redactableResult(tool) !== null) return verdict;
  return {
    effect: 'refuse',
    code: 'policy.unredactable',
    message: `the rule \`${first.rule}\` redacts the result of \`${tool.tool_id}\`, of which nothing can be redacted`,
    hint: 'an administrator stores a policy set whose rule names other tools, or forbids this one',
  };
}

/** A refusal because rules can't be asked, or failed. Reasons about arguments name pointers and rules, no values. */
function unreadRefusal(code: PolicyFault, { errors }: PolicyDecision): Extract<Verdict, { effect: 'refuse' }> {
  if (code === 'policy.error')
    return { effect: 'refuse', code, message: 'a rule of the policy failed, so the call is refused' };
  return { effect: 'refuse', code, message: errors.join('; '), hint: HINTS[code] };
}

const HINTS = {
  'policy.args_untyped': 'write the argument so that rules can read it, or leave it out',
  'policy.args_changed': 'an administrator stores a policy set whose rules fit the tool as it is now',
} as const;

/**
 * The decision that would have been enforced, for the record, which holds ids and no words. No rule of a set can have
 * this id: their ids have no `:`.
 */
const observedIds = ({ enforcement, decided }: PolicyDecision): string[] =>
  enforcement === 'observe' ? [`policy.observed:${decided}`] : [];

/** Puts the reasons for risk first: a person wants to see those. */
function eachOnce(reasons: readonly Reason[]): Reason[] {
  return [...new Map(reasons.map((reason) => [`${reason.code}\n${reason.message}`, reason])).values()];
}
