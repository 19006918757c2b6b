// SPDX-License-Identifier: Apache-2.0
import { statefulIsAuthorized, type AuthorizationAnswer, type CedarValueJson, type EntityJson, type TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';
import type { AutonomyMode, FsResource } from '@writ/contract';
import type { PolicyAsk, Supervision } from '../ask.ts';
import type { EffectFacts } from '../effect.ts';
import type { ContextAttribute } from '../rules/schema.ts';
import type { Slice } from '../rules/slices.ts';
import { slotOf } from '../rules/slots.ts';

/** Everything that rules are asked about but the supervision. */
export interface Question {
  readonly ask: PolicyAsk;
  readonly slice: Slice;
  readonly risk_level: AutonomyMode;
  readonly history_broken: readonly string[];
  readonly effect: EffectFacts | undefined;
  readonly paths: readonly FsResource[];
}

/** Whether all of it is allowed; the rules are those that allowed it, or those that forbade. */
export interface Answer {
  readonly allowed: boolean;
  readonly rules: readonly string[];
  readonly errors: readonly string[];
}

type Values = Partial<Record<ContextAttribute, CedarValueJson>>;

/** Puts a question for one supervision after another, with what stays the same made once. */
export function questioner(question: Question): (supervision: Supervision) => Answer {
  const { ask, slice } = question;
  const slot = slotOf(slice);
  const constant = contextOf(question);
  const told = slice.reads.context.has('supervision');
  const targets = targetsOf(question);
  return (supervision) => {
    const context = told ? { ...constant, supervision } : constant;
    const allowing = new Set<string>();
    for (const target of targets) {
      const answer = readAnswer(statefulIsAuthorized({
        principal: { type: 'Agent', id: ask.agent_id },
        action: { type: 'Action', id: ask.tool_id },
        resource: target.uid,
        context,
        preparsedPolicySetId: slot,
        entities: target.entities,
      }));
      if (!answer.allowed) return answer;
      for (const rule of answer.rules) allowing.add(rule);
    }
    return { allowed: true, rules: [...allowing].sort(), errors: [] };
  };
}

/** Reads Cedar's answer. Its warnings aren't errors; anything else that isn't a plain decision is. */
export function readAnswer(answer: AuthorizationAnswer): Answer {
  if (answer.type === 'failure') return { allowed: false, rules: [], errors: answer.errors.map(({ message }) => message) };
  const { decision, diagnostics } = answer.response;
  const errors = diagnostics.errors.map(({ policyId, error }) => `\`${policyId}\`: ${error.message}`);
  return { allowed: decision === 'allow' && errors.length === 0, rules: [...diagnostics.reason].sort(), errors };
}

/** Only what some rule of the slice looks at: Cedar's reading of the rest would cost more than its answer. */
function contextOf({ ask, slice, risk_level, history_broken, effect }: Question): Record<string, CedarValueJson> {
  const all: Values = {
    risk_milli: ask.risk_milli, risk_ceiling: ask.risk_ceiling, risk_level, task_class: ask.task_class, tool_class: ask.tool_class,
    labels: ask.labels as string[], session_mode: ask.session_mode, job_lists_tool: ask.job_lists_tool, staged_change: ask.staged_change,
    history_broken: history_broken as string[],
  };
  if (ask.time !== undefined) all.time = { ...ask.time };
  if (effect !== undefined) all.effect = { ...effect, areas: [...effect.areas] };
  const context: Record<string, CedarValueJson> = {};
  for (const name of slice.reads.context) {
    const value = all[name];
    if (value !== undefined) context[name] = value;
  }
  return context;
}

interface Target {
  readonly uid: TypeAndId;
  readonly entities: EntityJson[];
}

/** The workspace as a whole, or each path in it if rules look at paths. */
function targetsOf({ ask, slice, paths }: Question): readonly Target[] {
  const workspace: TypeAndId = { type: 'Workspace', id: ask.workspace_id };
  if (!slice.reads.resource || paths.length === 0) return [{ uid: workspace, entities: [...slice.entities] }];
  return paths.map(({ path, access }) => {
    const uid: TypeAndId = { type: 'File', id: `${access} ${path}` };
    return { uid, entities: [...slice.entities, { uid, attrs: { path, access }, parents: [workspace] }] };
  });
}
