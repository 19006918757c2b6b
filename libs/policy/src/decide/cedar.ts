// SPDX-License-Identifier: Apache-2.0
import type { AuthorizationAnswer, CedarValueJson, EntityJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';
import type { AutonomyMode, FsResource } from '@writ/contract';
import type { PolicyAsk, Supervision } from '../ask.ts';
import { askCedar, CedarFailure } from '../cedar-instance.ts';
import type { EffectFacts } from '../effect.ts';
import { PRESENT, type Facts } from '../rules/facets.ts';
import type { ContextAttribute } from '../rules/schema.ts';
import type { Slice, ToolSlice } from '../rules/slices.ts';
import { slotOf } from '../rules/slots.ts';

/** Everything that rules are asked about but the supervision. */
export interface Question {
  readonly ask: PolicyAsk;
  readonly slice: ToolSlice;
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

/** Puts a question for one supervision after another. What stays the same is made once. Where Cedar ends instead of answering, that is an error like a rule's. */
export function questioner(question: Question): (supervision: Supervision) => Answer {
  const asks = asker(question);
  return (supervision) => {
    try {
      return asks(supervision);
    } catch (error) {
      if (error instanceof CedarFailure) return { allowed: false, rules: [], errors: [error.message] };
      throw error;
    }
  };
}

function asker(question: Question): (supervision: Supervision) => Answer {
  const facts = factsOf(question);
  let prepared: Prepared | undefined;
  let last: Answer | undefined;
  return (supervision) => {
    const slice = question.slice.narrowed({ ...facts, supervision });
    if (prepared?.slice !== slice) prepared = prepare(question, slice);
    // The same rules, none of which looks at what alone has changed.
    else if (last !== undefined && !slice.reads.context.has('supervision')) return last;
    last = put(question.ask, prepared, supervision);
    return last;
  };
}

interface Prepared {
  readonly slice: Slice;
  readonly slot: string;
  readonly context: Record<string, CedarValueJson>;
  readonly targets: readonly Target[];
}

const prepare = (question: Question, slice: Slice): Prepared =>
  ({ slice, slot: slotOf(slice), context: contextOf(question, slice), targets: targetsOf(question, slice) });

function put({ agent_id, tool_id }: PolicyAsk, { slice, slot, context, targets }: Prepared, supervision: Supervision): Answer {
  const allowing = new Set<string>();
  for (const target of targets) {
    const answer = readAnswer(askCedar((cedar) => cedar.statefulIsAuthorized({
      principal: { type: 'Agent', id: agent_id },
      action: { type: 'Action', id: tool_id },
      resource: target.uid,
      context: slice.reads.context.has('supervision') ? { ...context, supervision } : context,
      preparsedPolicySetId: slot,
      entities: target.entities,
    })));
    if (!answer.allowed) return answer;
    for (const rule of answer.rules) allowing.add(rule);
  }
  return { allowed: true, rules: [...allowing].sort(), errors: [] };
}

function factsOf({ ask, risk_level, effect }: Question): Omit<Facts, 'supervision'> {
  const { agent_id, session_mode, risk_ceiling, tool_class, task_class, time } = ask;
  return { agent_id, session_mode, risk_level, risk_ceiling, tool_class, task_class, effect: effect === undefined ? '' : PRESENT, time: time === undefined ? '' : PRESENT };
}

/** Reads Cedar's answer. Its warnings aren't errors; anything else that isn't a plain decision is. */
export function readAnswer(answer: AuthorizationAnswer): Answer {
  if (answer.type === 'failure') return { allowed: false, rules: [], errors: answer.errors.map(({ message }) => message) };
  const { decision, diagnostics } = answer.response;
  const errors = diagnostics.errors.map(({ policyId, error }) => `\`${policyId}\`: ${error.message}`);
  return { allowed: decision === 'allow' && errors.length === 0, rules: [...diagnostics.reason].sort(), errors };
}

/** Only what some rule of the slice looks at: Cedar's reading of the rest would cost more than its answer. */
function contextOf({ ask, risk_level, history_broken, effect }: Question, slice: Slice): Record<string, CedarValueJson> {
  const all: Values = {
    risk_milli: ask.risk_milli, risk_ceiling: ask.risk_ceiling, risk_level, task_class: ask.task_class, tool_class: ask.tool_class,
    labels: ask.labels as string[], delegated_by: ask.delegated_by.map((id) => ({ __entity: { type: 'Agent', id } })), session_mode: ask.session_mode, job_lists_tool: ask.job_lists_tool, staged_change: ask.staged_change,
    history_broken: history_broken as string[],
  };
  if (ask.time !== undefined) all.time = { ...ask.time };
  if (ask.egress !== undefined) all.egress = { domains: [...ask.egress.domains], methods: [...ask.egress.methods], purpose: ask.egress.purpose };
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
function targetsOf({ ask, paths }: Question, slice: Slice): readonly Target[] {
  const workspace: TypeAndId = { type: 'Workspace', id: ask.workspace_id };
  if (!slice.reads.resource || paths.length === 0) return [{ uid: workspace, entities: [...slice.entities] }];
  return paths.map(({ path, access }) => {
    const uid: TypeAndId = { type: 'File', id: `${access} ${path}` };
    return { uid, entities: [...slice.entities, { uid, attrs: { path, access }, parents: [workspace] }] };
  });
}
