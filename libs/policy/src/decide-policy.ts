// SPDX-License-Identifier: Apache-2.0
import { statefulIsAuthorized, type AuthorizationAnswer, type EntityJson, type TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';
import type { AutonomyMode, Change, FsResource, Reason } from '@writ/contract';
import { stricterOf, supervisionsFrom, type PolicyAsk, type PolicyDecision, type Supervision } from './ask.ts';
import { effectFacts, type EffectFacts } from './effect.ts';
import type { PolicyRule, PolicySet } from './policy-set.ts';
import { slotOf } from './slots.ts';

/** Paths that one decision asks about one by one; more can't be decided by rules that look at paths. Each costs up to three asks of some 50 µs. */
const PATHS_MAX = 1000;

/** An ask with the effect of the call: what it changed, and the supervision that it already had. */
export interface EffectAsk extends PolicyAsk {
  readonly changes: readonly Pick<Change, 'path' | 'before' | 'after'>[];
  /** the mode under which the call ran; an effect isn't asked to need less */
  readonly granted: AutonomyMode;
}

/**
 * Decides what supervision the call needs: the least for which every ask is allowed, else `no_go`. Deny by default; a forbid wins.
 * A session's `max_autonomy` only lowers. INVARIANT (error refuses): a rule that fails in any ask refuses the call; it may be a forbid that
 * couldn't be read.
 */
export function decidePolicy(set: PolicySet, ask: PolicyAsk): PolicyDecision {
  return decideFrom(set, ask, ask.max_autonomy ?? 'autopilot', ask.resources, undefined);
}

/**
 * Decides on the effect at commit by the same rules, told what was changed. The mode is at least the one that was granted; only a
 * stricter one asks for something more: a person, or the end of the call.
 */
export function decideEffectPolicy(set: PolicySet, ask: EffectAsk): PolicyDecision {
  const written = ask.changes.map(({ path }): FsResource => ({ kind: 'fs', access: 'write', path }));
  return decideFrom(set, ask, stricterOf(ask.granted, ask.max_autonomy ?? 'autopilot'), written, effectFacts(ask.changes));
}

function decideFrom(set: PolicySet, ask: PolicyAsk, least: AutonomyMode, paths: readonly FsResource[], effect: EffectFacts | undefined): PolicyDecision {
  const targets = targetsOf(set, ask, paths);
  if (targets.length > PATHS_MAX) return failed([`rules look at paths, and ${targets.length} are more than can be asked about`]);
  const denying = new Set<string>();
  for (const supervision of supervisionsFrom(least)) {
    const answer = askAll(set, ask, supervision, targets, effect);
    if (answer.errors.length > 0) return failed(answer.errors);
    if (answer.allowed) return decided(set, supervision, [...denying, ...answer.rules]);
    for (const rule of answer.rules) denying.add(rule);
  }
  return refused(set, ask, least, [...denying]);
}

interface Answer {
  readonly allowed: boolean;
  readonly rules: readonly string[];
  readonly errors: readonly string[];
}

/** Asks about every target; all must be allowed. The rules are those that allowed, or those that forbade. */
function askAll(set: PolicySet, ask: PolicyAsk, supervision: Supervision, targets: readonly EntityJson[], effect: EffectFacts | undefined): Answer {
  const allowing = new Set<string>();
  for (const target of targets) {
    const answer = read(statefulIsAuthorized({
      principal: { type: 'Agent', id: ask.agent_id },
      action: { type: 'Action', id: ask.tool_id },
      resource: target.uid,
      context: contextOf(ask, supervision, effect),
      preparsedPolicySetId: slotOf(set),
      entities: [{ uid: { type: 'Action', id: ask.tool_id }, attrs: {}, parents: [{ type: 'Action', id: ask.category }] }, target],
    }));
    if (!answer.allowed) return answer;
    for (const rule of answer.rules) allowing.add(rule);
  }
  return { allowed: true, rules: [...allowing].sort(), errors: [] };
}

/** Reads Cedar's answer. Its warnings aren't errors; anything else that isn't a plain decision is. */
export function read(answer: AuthorizationAnswer): Answer {
  if (answer.type === 'failure') return { allowed: false, rules: [], errors: answer.errors.map(({ message }) => message) };
  const { decision, diagnostics } = answer.response;
  const errors = diagnostics.errors.map(({ policyId, error }) => `\`${policyId}\`: ${error.message}`);
  return { allowed: decision === 'allow' && errors.length === 0, rules: [...diagnostics.reason].sort(), errors };
}

function contextOf(ask: PolicyAsk, supervision: Supervision, effect: EffectFacts | undefined) {
  const { risk_milli, risk_ceiling, task_class, tool_class, session_mode, job_lists_tool, staged_change } = ask;
  const context = { risk_milli, risk_ceiling, task_class, tool_class, labels: [...ask.labels], session_mode, supervision, job_lists_tool, staged_change };
  return effect ? { ...context, effect: { ...effect, areas: [...effect.areas] } } : context;
}

/** The workspace as a whole, or each path in it if rules look at paths. */
function targetsOf(set: PolicySet, ask: PolicyAsk, paths: readonly FsResource[]): EntityJson[] {
  const workspace: TypeAndId = { type: 'Workspace', id: ask.workspace_id };
  if (!set.looksAtPaths || paths.length === 0) return [{ uid: workspace, attrs: {}, parents: [] }];
  return paths.map(({ path, access }) => ({ uid: { type: 'File', id: `${access} ${path}` }, attrs: { path, access }, parents: [workspace] }));
}

/** Names the rules that forbade less supervision before those that allowed this much: they are why it is needed. */
function decided(set: PolicySet, mode: AutonomyMode, rule_ids: readonly string[]): PolicyDecision {
  const reasons = rule_ids.map((code): Reason => ({ code, message: (set.rules.get(code) as PolicyRule).reason }));
  return { mode, rule_ids, reasons, errors: [] };
}

function refused(set: PolicySet, ask: PolicyAsk, least: AutonomyMode, forbidding: readonly string[]): PolicyDecision {
  if (forbidding.length > 0) return decided(set, 'no_go', forbidding);
  const [code, message] = least === 'no_go'
    ? ['session.max_autonomy', 'the session lets nothing run']
    : ['default.deny', `no rule permits \`${ask.tool_id}\` of category ${ask.category} in a session that is ${ask.session_mode}`];
  return { mode: 'no_go', rule_ids: [code], reasons: [{ code, message }], errors: [] };
}

const failed = (errors: readonly string[]): PolicyDecision => ({
  mode: 'no_go', rule_ids: [], reasons: errors.map((message) => ({ code: 'policy.error', message })), errors,
});
