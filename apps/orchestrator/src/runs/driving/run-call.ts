// SPDX-License-Identifier: Apache-2.0
import type { CallPosition, HeldCall, ModelCall, ToolAnswer } from '@writ/agent-loop';
import {
  AGENT_SPAWN,
  Fault,
  isFinal,
  type Caller,
  type OperationId,
  type OperationView,
  type Provenance,
} from '@writ/contract';
import {
  cutForJson,
  cutResult,
  errorInWords,
  OUTCOME_STATUSES,
  truncated,
  type Outcome,
  type TextDialect,
} from '@writ/dialects';
import { parseJson } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import { modeOf, type RunRow, type SessionContent, type SessionRow } from '../../store/session-rows/sessions.ts';
import type { ParsedCall } from '../../calls/parsed-call.ts';
import type { WaitOptions, Propose, WaitObserver } from '../../calls/propose.ts';
import { readText } from '../turns/read-text.ts';
import { callResultOf, type CallResult, type StagedChanges } from '../turns/staged-changes.ts';
import { runWritten, type CallMaker } from '../turns/written-call.ts';
import type { Turn } from '../turns/turn-call.ts';

/** The functions by which a run makes its calls. */
export interface CallParts {
  /** parses a call by the rules of the API */
  readonly parse: (body: unknown, keyHeader: undefined, caller: Caller, origin: Provenance) => ParsedCall;
  /** proposes a call to the kernel, and waits until it has ended, is held, or the wait is over */
  readonly propose: Propose['run'];
  /** stages and applies changes of files, for dialects that have these two steps */
  readonly staged: Pick<StagedChanges, 'stage' | 'apply'>;
  /** inlines stored results into the view */
  readonly show: (caller: Caller, view: OperationView) => Promise<OperationView>;
  /** resolves after `ms` milliseconds, rejects with the signal's reason */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The caller, the session and the run of a call. */
export interface CallContext {
  readonly caller: Caller;
  readonly session: SessionRow & { readonly content?: Pick<SessionContent, 'data_subject'> };
  readonly run: Pick<RunRow, 'run_id'>;
  /** the session's dialect, if it is a text dialect */
  readonly dialect: TextDialect | null;
  /** the model's name at its provider */
  readonly model: string;
  readonly onStarted: (operationId: OperationId) => void;
  /** the answer for a committed call that starts a sub-agent */
  readonly subAgentAnswer?: (call: ModelCall, operationId: string) => Promise<ToolAnswer | { held: HeldCall }>;
  /** observes the time that calls spend with the kernel */
  readonly waitObserver?: WaitObserver;
  /** called when the session's token was revoked, so that no further call of the run can be admitted */
  readonly onTokenRevoked?: () => void;
}

/** Longest answer for a model. */
const ANSWER_CHARS_MAX = 60_000;
/** What a result may take of it: the rest is for status, reasons and the notice of what was cut. */
const VALUE_CHARS_MAX = 56_000;
/** Longest text that people see of an answer whose outcome the dialect renders. */
const SHOWN_CHARS_MAX = 2_000;
/** One wait for a call's end. The call is then proposed again under its key, until it has ended. */
const WAIT_MS = 60_000;
/** Pause between two proposals to an overloaded or unreachable kernel. */
const PAUSE_MS = 1_000;
/** Characters that provenance does not allow in a name. */
const PROVENANCE_FORBIDDEN = /[^A-Za-z0-9._:/-]/g;

/** The idempotency key of a call, made of its position in its run. */
export const positionKey = (runId: string, { round, index }: CallPosition): string => `${runId}/${round}/${index}`;

/**
 * Runs one call of a run. INVARIANT (once): its idempotency key is its position. So a repeated proposal, by any replica
 * that continues the run, returns the result of the first.
 *
 * Rejects with the signal's reason when that aborts. The result of the call is then unknown until it is proposed again.
 * @param earlier earlier calls of the same reply
 */
export async function runCall(
  parts: CallParts,
  context: CallContext,
  call: ModelCall,
  place: CallPosition,
  signal: AbortSignal,
  earlier: readonly ModelCall[] = [],
): Promise<ToolAnswer | { held: HeldCall }> {
  const begin =
    call.mode === undefined
      ? proposeDirectly(parts, context, call, place, signal)
      : proposeStaged(parts, context, { ...call, mode: call.mode }, place, signal, earlier);
  for (;;) {
    const result = await nullIfRetryable(begin);
    signal.throwIfAborted();
    if (result?.view?.state === 'held') return { held: heldOf(result.view) };
    const isOver = result !== null && (result.view === null || isFinal(result.view.state));
    const answer = isOver ? await ended(parts, context, call, result) : null;
    if (answer !== null) return answer;
    if (result === null || isOver) await parts.wait(PAUSE_MS, signal);
  }
}

/**
 * Proposes the call, or those that it stands for, and waits for their end up to `WAIT_MS` each. The keys of all of them
 * are made of the same position.
 */
function proposeDirectly(
  parts: CallParts,
  context: CallContext,
  call: ModelCall,
  place: CallPosition,
  gone: AbortSignal,
): () => Promise<CallResult> {
  const announced = new Map<string, OperationId>();
  const propose: CallMaker['propose'] = async (each, part) => {
    const parsed = parsedOf(parts, context, { call: each, place, part });
    const operationId = announced.get(part) ?? newId('operation');
    if (!announced.has(part)) context.onStarted(operationId);
    announced.set(part, operationId);
    const view = await parts.propose(context.caller, operationId, parsed, waitOptionsOf(context, gone));
    // A call that was proposed before has the id of its earlier operation.
    if (view.operation_id !== announced.get(part)) context.onStarted(view.operation_id);
    announced.set(part, view.operation_id);
    return callResultOf({ kind: 'proposed', view });
  };
  const resultOf: CallMaker['resultOf'] = async (view) => (await parts.show(context.caller, view)).result?.result;
  return async () => await runWritten(context.dialect, call, { propose, resultOf });
}

/**
 * Parses the call by the rules of the API. The class that a job's definition names is added to it: no caller of the API
 * can name one.
 */
const parsedOf = (
  { parse }: CallParts,
  context: CallContext,
  {
    call,
    place,
    part = '',
  }: { readonly call: Pick<ModelCall, 'tool_id' | 'args'>; readonly place: CallPosition; readonly part?: string },
): ParsedCall => ({
  ...parse(bodyOf(context, call, place, part), undefined, context.caller, originOf(context, place)),
  ...classOf(context.session),
});

const classOf = ({ scheduling_class }: SessionRow): Pick<ParsedCall, 'scheduling_class'> =>
  scheduling_class === null ? {} : { scheduling_class };

const waitOptionsOf = ({ waitObserver }: CallContext, gone: AbortSignal): WaitOptions => ({
  waitMs: WAIT_MS,
  gone,
  ...(waitObserver === undefined ? {} : { waitObserver }),
});

/** The answer for the model; null where a later retry may help. */
async function ended(
  parts: CallParts,
  context: CallContext,
  call: ModelCall,
  came: CallResult,
): Promise<ToolAnswer | { held: HeldCall } | null> {
  const { view, appliedCall } = came;
  if (view?.result?.error?.code === 'token.revoked') context.onTokenRevoked?.();
  if (
    view === null ||
    call.tool_id !== AGENT_SPAWN.tool_id ||
    view.result?.status !== 'ok' ||
    context.subAgentAnswer === undefined
  )
    return answerOf(await withResult(parts, context.caller, came), call, context.dialect);
  const { subAgentAnswer } = context;
  // Its task may have had variables, which are filled in by now.
  const made = appliedCall === undefined ? call : { ...call, ...appliedCall, args: { ...appliedCall.args } };
  const answer = await nullIfRetryable(() => subAgentAnswer(made, view.operation_id));
  if (answer === null || 'held' in answer) return answer;
  const named = { ...answer, operation_id: view.operation_id };
  return context.dialect === null ? named : { ...named, outcome: { result: parseJson(answer.text), error: null } };
}

/** Stages a change, or applies a staged one by its token. The keys of its calls are made of the same position. */
function proposeStaged(
  parts: CallParts,
  context: CallContext,
  call: ModelCall & { mode: 'stage' | 'apply' },
  { round }: CallPosition,
  gone: AbortSignal,
  earlier: readonly ModelCall[],
): () => Promise<CallResult> {
  const tokens = earlier.flatMap(({ mode, args }) => (mode === 'apply' ? [String(args['token'])] : []));
  let isAnnounced = false;
  return async () => {
    const turnContext = {
      caller: context.caller,
      turn: turnOf(context, round),
      waitOptions: waitOptionsOf(context, gone),
    };
    const came =
      call.mode === 'stage'
        ? await parts.staged.stage(turnContext, call)
        : await parts.staged.apply(turnContext, call, tokens);
    if (came.view !== null && !isAnnounced) context.onStarted(came.view.operation_id);
    isAnnounced = true;
    return came;
  };
}

/** The data subject of the session's calls, if it has one. */
function subjectOf({ content }: CallContext['session']): { data_subject?: string } {
  const { data_subject = null } = content ?? {};
  return data_subject === null ? {} : { data_subject };
}

function turnOf({ session, run, dialect, model }: CallContext, round: number): Turn {
  if (dialect === null) throw new Error('a change is staged in a dialect of text alone');
  const { agent_id, capability_token_id, workspace_id, session_id } = session;
  return {
    dialect,
    agent_id,
    capability_token_id,
    workspace_id,
    session_id,
    session_mode: modeOf(session),
    ...classOf(session),
    ...subjectOf(session),
    run_id: run.run_id,
    turn_id: String(round),
    model: provenanceNameOf(model),
  };
}

const provenanceNameOf = (name: string): string => name.replaceAll(PROVENANCE_FORBIDDEN, '_').slice(0, 128);

/** `part`: of a call that stands for several; empty for the call itself. */
function bodyOf(
  { session, run }: CallContext,
  { tool_id, args }: Pick<ModelCall, 'tool_id' | 'args'>,
  { round, index }: CallPosition,
  part = '',
): object {
  return {
    tool_id,
    args,
    agent_id: session.agent_id,
    capability_token_id: session.capability_token_id,
    workspace_id: session.workspace_id,
    ...subjectOf(session),
    session_id: session.session_id,
    session_mode: modeOf(session),
    idempotency_key: `${positionKey(run.run_id, { round, index })}${part === '' ? '' : `/${part}`}`,
  };
}

const originOf = ({ session, run, model }: CallContext, { round }: CallPosition): Provenance => ({
  source: 'run',
  dialect: session.dialect,
  session_id: session.session_id,
  run_id: run.run_id,
  turn: String(round),
  model: provenanceNameOf(model),
});

/** Null where a later retry may help: a call without a decision is not an answer for a model. */
async function nullIfRetryable<T>(begin: () => Promise<T>): Promise<T | null> {
  try {
    return await begin();
  } catch (error) {
    if (error instanceof Fault && error.retryable) return null;
    throw error;
  }
}

/** Inlines the operation's result, if the model receives it. */
async function withResult({ show }: CallParts, caller: Caller, came: CallResult): Promise<CallResult> {
  if (came.view === null || came.resultToShow === null) return came;
  const view = await show(caller, came.view);
  return { ...came, view, outcome: { ...came.outcome, result: view.result?.result ?? null } };
}

function heldOf({ operation_id, reasons }: OperationView): HeldCall {
  const waits_for = reasons.some(({ code }) => code === 'value.wanted') ? 'value' : 'approval';
  return { operation_id, waits_for, text: reasons[0]?.message ?? 'a person has to decide' };
}

/** The answer that the model receives for a call that ended. */
function answerOf({ outcome, view }: CallResult, call: ModelCall, dialect: TextDialect | null): ToolAnswer {
  const { standing, result, error, metadata } = outcome;
  const { is_error } = OUTCOME_STATUSES[standing];
  const of = { standing, is_error, ...(view === null ? {} : { operation_id: view.operation_id }) };
  if (dialect === null) return { ...of, text: nativeText({ outcome, view }, call) };
  return {
    ...of,
    text: jsonOf({ outcome, view }, result, error).slice(0, SHOWN_CHARS_MAX),
    outcome: {
      result: truncatedValue(call.tool_id, result),
      error,
      ...(metadata === undefined ? {} : { metadata: truncatedMembers(metadata) }),
    },
  };
}

/** The outcome as JSON, with the given result and error. */
function jsonOf({ outcome, view }: Pick<CallResult, 'outcome' | 'view'>, result: unknown, error: unknown): string {
  const reasons = (view?.result?.reasons ?? []).map(({ code, message }) => ({ code, message }));
  return JSON.stringify({
    status: OUTCOME_STATUSES[outcome.standing].word,
    tx_outcome: view?.result?.tx_outcome,
    result,
    metadata: outcome.metadata,
    ...(error === null ? {} : { error, ...(reasons.length > 0 ? { reasons } : {}) }),
  });
}

/**
 * The answer for a model that calls tools natively: JSON with its text cut where it is too long, so that it stays JSON
 * and says how much there was. All providers have the same names.
 */
function nativeText(came: Pick<CallResult, 'outcome' | 'view'>, { tool_id, name }: ModelCall): string {
  const { result, error } = came.outcome;
  const named = errorInWords('openai', { name: name ?? null, tool_id }, error);
  // The value fits already: this adds the notice of what was cut.
  const short = cutForJson(tool_id, truncatedValue(tool_id, result), VALUE_CHARS_MAX);
  return truncated(jsonOf(came, short, named), ANSWER_CHARS_MAX);
}

/**
 * Shortens a value to what a model can use: its text is cut, with the counts of it; other long texts are cut with a
 * notice; a value with too many parts becomes the beginning of its JSON.
 */
function truncatedValue(toolId: string | null, value: unknown): Outcome['result'] {
  const fits = (it: unknown): boolean => (JSON.stringify(it ?? null) as string).length <= VALUE_CHARS_MAX;
  if (fits(value)) return value ?? null;
  // Half, because JSON escapes make texts longer.
  const short = cutResult(toolId, value, VALUE_CHARS_MAX / 2);
  if (fits(short)) return short;
  const cut = parseJson(
    JSON.stringify(short, (_key, each: unknown) =>
      typeof each === 'string' ? truncated(each, VALUE_CHARS_MAX / 2) : each,
    ),
  );
  return fits(cut) ? cut : { cut: truncated(JSON.stringify(value), VALUE_CHARS_MAX) };
}

const truncatedMembers = (metadata: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, truncatedValue(null, value)]));

/** The position of calls that the run itself makes before the first round. */
const BEFORE_FIRST_ROUND: CallPosition = { round: 0, index: 0 };

/** Reads a file of the workspace with the agent's rights. Null on any failure, because a run works without the file. */
export async function readAsAgent(
  parts: CallParts,
  context: CallContext,
  path: string,
  signal: AbortSignal,
): Promise<string | null> {
  const call = { tool_id: 'fs.read', args: { path } };
  const parsed = parsedOf(parts, context, { call, place: BEFORE_FIRST_ROUND });
  return await readText(parts, context.caller, parsed, { waitMs: WAIT_MS, gone: signal });
}
