// SPDX-License-Identifier: Apache-2.0
import type { AuthorizationAnswer, CedarValueJson, EntityJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';
import type { AutonomyMode, FsResource } from '@writ/contract';
import type { PolicyRequest, Supervision } from '../policy-request.ts';
import { callCedar, CedarFailure } from '../cedar-instance.ts';
import type { EffectFacts } from '../effect.ts';
import { PRESENT, type Facts } from '../rules/facets.ts';
import type { ContextAttribute } from '../rules/schema.ts';
import type { Slice, ToolSlice } from '../rules/slices.ts';
import { slotOf } from '../rules/slots.ts';
import type { Steps } from './steps.ts';

/** All inputs of the rules except the supervision. */
export interface Question {
  readonly ask: PolicyRequest;
  readonly slice: ToolSlice;
  readonly risk_level: AutonomyMode;
  readonly history_broken: readonly string[];
  readonly effect: EffectFacts | undefined;
  readonly paths: readonly FsResource[];
  /** the arguments that rules read, typed; absent where none reads any */
  readonly args?: Record<string, CedarValueJson>;
}

/** Whether everything is allowed; `rules` are those that allowed it, or those that forbade it. */
export interface Answer {
  readonly allowed: boolean;
  readonly rules: readonly string[];
  readonly errors: readonly string[];
}

type Values = Partial<Record<ContextAttribute, CedarValueJson>>;

/**
 * Evaluates a question for one level of supervision after another, with a step for each path. Constant parts are built
 * once. A crash of Cedar is an error like a rule's.
 */
export function evaluator(question: Question): (supervision: Supervision) => Steps<Answer> {
  const evaluate = cachingEvaluator(question);
  return function* evaluateSafely(supervision) {
    try {
      return yield* evaluate(supervision);
    } catch (error) {
      if (error instanceof CedarFailure) return { allowed: false, rules: [], errors: [error.message] };
      throw error;
    }
  };
}

function cachingEvaluator(question: Question): (supervision: Supervision) => Steps<Answer> {
  const facts = factsOf(question);
  let prepared: Prepared | undefined;
  let last: Answer | undefined;
  return function* evaluate(supervision) {
    const slice = question.slice.narrowed({ ...facts, supervision });
    if (prepared?.slice !== slice) prepared = prepare(question, slice);
    // The same rules, and none of them reads the supervision, which alone has changed.
    else if (last !== undefined && !slice.reads.context.has('supervision')) return last;
    last = yield* evaluatePaths(question, prepared, supervision);
    return last;
  };
}

interface Prepared {
  readonly slice: Slice;
  readonly context: Record<string, CedarValueJson>;
}

const prepare = (question: Question, slice: Slice): Prepared => ({ slice, context: contextOf(question, slice) });

function* evaluatePaths(question: Question, { slice, context }: Prepared, supervision: Supervision): Steps<Answer> {
  const fullContext = slice.reads.context.has('supervision') ? { ...context, supervision } : context;
  const allowing = new Set<string>();
  for (const target of targetsOf(question, slice)) {
    const answer = yield* answerOn(question, target, slice, fullContext);
    if (!answer.allowed) return answer;
    for (const rule of answer.rules) allowing.add(rule);
  }
  return { allowed: true, rules: [...allowing].sort(), errors: [] };
}

/** The answer of all rules of the slice on one target. */
function* answerOn(
  { ask: { agent_id, tool_id } }: Question,
  target: Target,
  slice: Slice,
  context: Record<string, CedarValueJson>,
): Steps<Answer> {
  const answers: AuthorizationAnswer[] = [];
  for (const piece of slice.pieces) {
    answers.push(
      callCedar((cedar) =>
        cedar.statefulIsAuthorized({
          principal: { type: 'Agent', id: agent_id },
          action: { type: 'Action', id: tool_id },
          resource: target.uid,
          context,
          // Looked up each time: between two steps, other rules may have taken the slot.
          preparsedPolicySetId: slotOf(piece),
          entities: target.entities,
        }),
      ),
    );
    yield;
  }
  return readAnswers(answers, slice.reads.args !== null);
}

/**
 * The answers of rules that don't read the supervision, on each target. @throws CedarFailure where Cedar crashes, which
 * counts as an error of a rule
 */
export function* answersOn(question: Question, slice: Slice): Steps<readonly Answer[]> {
  const context = contextOf(question, slice);
  const answers: Answer[] = [];
  for (const target of targetsOf(question, slice)) answers.push(yield* answerOn(question, target, slice, context));
  return answers;
}

/** The words of a question, without its supervision. */
export function factsOf({
  ask,
  risk_level,
  effect,
}: Pick<Question, 'ask' | 'risk_level' | 'effect'>): Omit<Facts, 'supervision'> {
  const { agent_id, session_mode, risk_ceiling, tool_class, task_class, time } = ask;
  return {
    agent_id,
    session_mode,
    risk_level,
    risk_ceiling,
    tool_class,
    task_class,
    effect: effect === undefined ? '' : PRESENT,
    time: time === undefined ? '' : PRESENT,
  };
}

/**
 * Combines Cedar's answers for the pieces of a slice. INVARIANT (pieces change nothing): the result is that of all
 * rules at once: a forbid of any piece wins, else a permit of any allows, else it is denied by no rule. Warnings aren't
 * errors; anything else but a plain decision is. INVARIANT (no value is quoted): Cedar's messages quote operands, so
 * they are left out where rules read arguments.
 */
export function readAnswers(answers: readonly AuthorizationAnswer[], readsArguments = false): Answer {
  const [permits, forbids, errors]: [string[], string[], string[]] = [[], [], []];
  for (const answer of answers) {
    if (answer.type === 'failure') {
      errors.push(...answer.errors.map(({ message }) => (readsArguments ? UNSAID : message)));
      continue;
    }
    const {
      decision,
      diagnostics: { reason, errors: failed },
    } = answer.response;
    (decision === 'allow' ? permits : forbids).push(...reason);
    errors.push(...failed.map(({ policyId, error }) => `\`${policyId}\`: ${readsArguments ? UNSAID : error.message}`));
  }
  const isForbidden = forbids.length > 0;
  return {
    allowed: permits.length > 0 && !isForbidden && errors.length === 0,
    rules: (isForbidden ? forbids : permits).sort(),
    errors,
  };
}

const UNSAID = 'the rule failed on what it reads';

/** Only attributes that some rule of the slice reads: Cedar would need longer to parse the rest than to answer. */
function contextOf(
  { ask, risk_level, history_broken, effect, args }: Question,
  slice: Slice,
): Record<string, CedarValueJson> {
  const all: Values = {
    risk_milli: ask.risk_milli,
    risk_ceiling: ask.risk_ceiling,
    risk_level,
    task_class: ask.task_class,
    tool_class: ask.tool_class,
    labels: ask.labels as string[],
    delegated_by: ask.delegated_by.map((id) => ({ __entity: { type: 'Agent', id } })),
    session_mode: ask.session_mode,
    job_lists_tool: ask.job_lists_tool,
    staged_change: ask.staged_change,
    history_broken: history_broken as string[],
  };
  if (ask.time !== undefined) all.time = { ...ask.time };
  if (ask.person !== undefined) all.person = { ...ask.person };
  if (ask.egress !== undefined)
    all.egress = { domains: [...ask.egress.domains], methods: [...ask.egress.methods], purpose: ask.egress.purpose };
  if (effect !== undefined) all.effect = { ...effect, areas: [...effect.areas] };
  if (args !== undefined) all.args = args;
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

/**
 * The workspace as a whole, or each path in it and each registered resource if rules read the resource. A generator,
 * since there may be many.
 */
function* targetsOf({ ask, paths, effect }: Question, slice: Slice): Generator<Target> {
  const workspace: TypeAndId = { type: 'Workspace', id: ask.workspace_id };
  // An effect consists of files alone.
  const registered = effect === undefined ? (ask.registered ?? []) : [];
  if (!slice.reads.resource || paths.length + registered.length === 0) {
    yield { uid: workspace, entities: [...slice.entities] };
    return;
  }
  for (const { path, access } of paths) {
    const uid: TypeAndId = { type: 'File', id: `${access} ${path}` };
    yield { uid, entities: [...slice.entities, { uid, attrs: { path, access }, parents: [workspace] }] };
  }
  for (const { kind, name, owner_agent_id } of registered) {
    const uid: TypeAndId = { type: 'Resource', id: `${kind}:${name}` };
    const owner = owner_agent_id ?? '';
    yield { uid, entities: [...slice.entities, { uid, attrs: { kind, name, owner }, parents: [workspace] }] };
  }
}
