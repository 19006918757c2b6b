// SPDX-License-Identifier: Apache-2.0
import type { CallPlace, HeldCall, ModelCall, ToolAnswer } from '@writ/agent-loop';
import { AGENT_SPAWN, Fault, isFinal, type Caller, type OperationId, type OperationView } from '@writ/contract';
import { OUTCOME_STATUSES, truncated, type Outcome, type TextDialect } from '@writ/dialects';
import { parseJson } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import type { RunRow, SessionContent, SessionRow } from '../../store/sessions/sessions.ts';
import type { ParsedCall } from '../../calls/parsed-call.ts';
import type { WaitOptions, Propose, Waits } from '../../calls/propose.ts';
import { cameOf, type Came, type StagedChanges } from '../turns/staged-changes.ts';
import type { Turn } from '../turns/turn-call.ts';

/** What calls of runs are made with. */
export interface CallParts {
  /** reads a call by the rules of the API */
  readonly parse: (body: unknown, keyHeader: undefined, caller: Caller) => ParsedCall;
  /** the way of every call: proposed to the kernel, and followed until it has ended, is held, or nobody waits */
  readonly propose: Propose['run'];
  /** changes of files in two steps, of dialects that have them */
  readonly staged: Pick<StagedChanges, 'stage' | 'apply'>;
  /** puts results that are kept elsewhere into the view */
  readonly show: (caller: Caller, view: OperationView) => Promise<OperationView>;
  /** resolves after so many milliseconds, rejects with the signal's reason */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Whose call it is, and of what. */
export interface CallOf {
  readonly caller: Caller;
  readonly session: SessionRow & { readonly content?: Pick<SessionContent, 'data_subject'> };
  readonly run: Pick<RunRow, 'run_id'>;
  /** the session's, where it is one of text */
  readonly dialect: TextDialect | null;
  /** as its provider names it */
  readonly model: string;
  readonly started: (operationId: OperationId) => void;
  /** what becomes of the sub-agent that a committed call is for */
  readonly below?: (call: ModelCall, operationId: string) => Promise<ToolAnswer | { held: HeldCall }>;
  /** counts what is waited for elsewhere */
  readonly waits?: Waits;
  /** the session's token was revoked: no call of the run will be let in any more */
  readonly tokenEnded?: () => void;
}

/** What a model can use of one answer. */
const ANSWER_CHARS_MAX = 60_000;
/** What people see of an answer whose outcome the dialect renders. */
const SHOWN_CHARS_MAX = 2_000;
/** One wait for a call's end: it is asked for again, under its key, until it has ended. */
const WAIT_MS = 60_000;
/** Between two askings of a kernel that has no room or isn't there. */
const PAUSE_MS = 1_000;
/** What provenance takes of a name. */
const WORD = /[^A-Za-z0-9._:/-]/g;

/** The idempotency key of a call: its place in its run. */
export const placeKey = (runId: string, { round, index }: CallPlace): string => `${runId}/${round}/${index}`;

/**
 * Runs one call of a run. INVARIANT (once): its idempotency key is its place, so a call that is asked for again, by
 * whoever goes on with the run, is answered with what became of the first.
 *
 * Rejects with the signal's reason when that aborts: nobody knows then what becomes of the call, but whoever asks
 * again.
 * @param earlier the calls of the same reply before it
 */
export async function runCall(
  parts: CallParts,
  of: CallOf,
  call: ModelCall,
  place: CallPlace,
  signal: AbortSignal,
  earlier: readonly ModelCall[] = [],
): Promise<ToolAnswer | { held: HeldCall }> {
  const begin =
    call.mode === undefined
      ? asItIs(parts, of, call, place, signal)
      : inTwoSteps(parts, of, { ...call, mode: call.mode }, place, signal, earlier);
  for (;;) {
    const came = await unlessLater(begin);
    signal.throwIfAborted();
    if (came?.view?.state === 'held') return { held: heldOf(came.view) };
    const isOver = came !== null && (came.view === null || isFinal(came.view.state));
    const answer = isOver ? await ended(parts, of, call, came) : null;
    if (answer !== null) return answer;
    if (came === null || isOver) await parts.wait(PAUSE_MS, signal);
  }
}

/** The call as it is proposed, and followed for a while. */
function asItIs(
  parts: CallParts,
  of: CallOf,
  call: ModelCall,
  place: CallPlace,
  gone: AbortSignal,
): () => Promise<Came> {
  const parsed = parts.parse(bodyOf(of, call, place), undefined, of.caller);
  const operationId = newId('operation');
  of.started(operationId);
  let told: string = operationId;
  return async () => {
    const view = await parts.propose(of.caller, operationId, parsed, waitOptionsOf(of, gone));
    // A call that was asked for before is the operation that it became then.
    if (view.operation_id !== told) of.started(view.operation_id);
    told = view.operation_id;
    return cameOf({ kind: 'proposed', view });
  };
}

const waitOptionsOf = ({ waits }: CallOf, gone: AbortSignal): WaitOptions => ({
  waitMs: WAIT_MS,
  gone,
  ...(waits === undefined ? {} : { waits }),
});

/** Null where asking again later may help. */
async function ended(
  parts: CallParts,
  of: CallOf,
  call: ModelCall,
  came: Came,
): Promise<ToolAnswer | { held: HeldCall } | null> {
  const { view } = came;
  if (view?.result?.error?.code === 'token.revoked') of.tokenEnded?.();
  if (view === null || call.tool_id !== AGENT_SPAWN.tool_id || view.result?.status !== 'ok' || of.below === undefined)
    return answerOf(await shown(parts, of.caller, came), of.dialect);
  const { below } = of;
  const answer = await unlessLater(() => below(call, view.operation_id));
  if (answer === null || 'held' in answer) return answer;
  const named = { ...answer, operation_id: view.operation_id };
  return of.dialect === null ? named : { ...named, outcome: { result: parseJson(answer.text), error: null } };
}

/** A change that is staged, or one that is applied by its token; its calls have keys of the same place. */
function inTwoSteps(
  parts: CallParts,
  of: CallOf,
  call: ModelCall & { mode: 'stage' | 'apply' },
  { round }: CallPlace,
  gone: AbortSignal,
  earlier: readonly ModelCall[],
): () => Promise<Came> {
  const tokens = earlier.flatMap(({ mode, args }) => (mode === 'apply' ? [String(args['token'])] : []));
  let isTold = false;
  return async () => {
    const asking = { caller: of.caller, turn: turnOf(of, round), waitOptions: waitOptionsOf(of, gone) };
    const came =
      call.mode === 'stage' ? await parts.staged.stage(asking, call) : await parts.staged.apply(asking, call, tokens);
    if (came.view !== null && !isTold) of.started(came.view.operation_id);
    isTold = true;
    return came;
  };
}

/** Whom a call of the session is about, where that was said. */
function subjectOf({ content }: CallOf['session']): { data_subject?: string } {
  const { data_subject = null } = content ?? {};
  return data_subject === null ? {} : { data_subject };
}

function turnOf({ session, run, dialect, model }: CallOf, round: number): Turn {
  if (dialect === null) throw new Error('a change is staged in a dialect of text alone');
  const { agent_id, capability_token_id, workspace_id, session_id } = session;
  return {
    dialect,
    agent_id,
    capability_token_id,
    workspace_id,
    session_id,
    session_mode: 'interactive',
    ...subjectOf(session),
    run_id: run.run_id,
    turn_id: String(round),
    model: wordOf(model),
  };
}

const wordOf = (name: string): string => name.replaceAll(WORD, '_').slice(0, 128);

function bodyOf({ session, run, model }: CallOf, call: ModelCall, { round, index }: CallPlace): object {
  return {
    tool_id: call.tool_id,
    args: call.args,
    agent_id: session.agent_id,
    capability_token_id: session.capability_token_id,
    workspace_id: session.workspace_id,
    ...subjectOf(session),
    session_id: session.session_id,
    session_mode: session.job_id === null ? 'interactive' : 'scheduled',
    idempotency_key: placeKey(run.run_id, { round, index }),
    provenance: {
      source: 'run',
      dialect: session.dialect,
      session_id: session.session_id,
      run_id: run.run_id,
      turn: String(round),
      model: wordOf(model),
    },
  };
}

/** Null where asking again later may help: a call that couldn't be decided is no answer for a model. */
async function unlessLater<T>(begin: () => Promise<T>): Promise<T | null> {
  try {
    return await begin();
  } catch (error) {
    if (error instanceof Fault && error.retryable) return null;
    throw error;
  }
}

/** With the result itself, where that is what the model is told. */
async function shown({ show }: CallParts, caller: Caller, came: Came): Promise<Came> {
  if (came.view === null || came.shows === null) return came;
  const view = await show(caller, came.view);
  return { ...came, view, outcome: { ...came.outcome, result: view.result?.result ?? null } };
}

function heldOf({ operation_id, reasons }: OperationView): HeldCall {
  const waits_for = reasons.some(({ code }) => code === 'value.wanted') ? 'value' : 'approval';
  return { operation_id, waits_for, text: reasons[0]?.message ?? 'a person has to decide' };
}

/** What the model is told of a call that ended. */
function answerOf({ outcome, view }: Came, dialect: TextDialect | null): ToolAnswer {
  const { standing, result, error, metadata } = outcome;
  const { word, is_error } = OUTCOME_STATUSES[standing];
  const reasons = (view?.result?.reasons ?? []).map(({ code, message }) => ({ code, message }));
  const text = JSON.stringify({
    status: word,
    tx_outcome: view?.result?.tx_outcome,
    result,
    metadata,
    ...(error === null ? {} : { error, ...(reasons.length > 0 ? { reasons } : {}) }),
  });
  const of = { standing, is_error, ...(view === null ? {} : { operation_id: view.operation_id }) };
  if (dialect === null) return { ...of, text: text.slice(0, ANSWER_CHARS_MAX) };
  return {
    ...of,
    text: text.slice(0, SHOWN_CHARS_MAX),
    outcome: { result: fitted(result), error, ...(metadata === undefined ? {} : { metadata: fittedEach(metadata) }) },
  };
}

/**
 * As much of a value as a model can use: long texts in it are cut with a notice; what has too many parts is the
 * beginning of its JSON.
 */
function fitted(value: unknown): Outcome['result'] {
  const fits = (it: unknown): boolean => (JSON.stringify(it ?? null) as string).length <= ANSWER_CHARS_MAX;
  if (fits(value)) return value ?? null;
  // Half: what is escaped in JSON takes more room there.
  const cut = parseJson(
    JSON.stringify(value, (_key, each: unknown) =>
      typeof each === 'string' ? truncated(each, ANSWER_CHARS_MAX / 2) : each,
    ),
  );
  return fits(cut) ? cut : { cut: truncated(JSON.stringify(value), ANSWER_CHARS_MAX) };
}

const fittedEach = (metadata: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, fitted(value)]));

/** Before the first round: what the run itself asks for. */
const ITS_OWN: CallPlace = { round: 0, index: 0 };

/** A file of the workspace as the agent may read it; null where it can't, for whatever reason: a run does without. */
export async function readAsAgent(
  parts: CallParts,
  of: CallOf,
  path: string,
  signal: AbortSignal,
): Promise<string | null> {
  const parsed = parts.parse(
    bodyOf(of, { id: 'own', tool_id: 'fs.read', args: { path } }, ITS_OWN),
    undefined,
    of.caller,
  );
  const view = await parts.propose(of.caller, newId('operation'), parsed, { waitMs: WAIT_MS, gone: signal });
  if (!isFinal(view.state)) return null;
  const { result } = await parts.show(of.caller, view);
  const read =
    result?.status === 'ok'
      ? (result.result as { readonly content?: unknown; readonly encoding?: unknown } | null)
      : null;
  return typeof read?.content === 'string' && read.encoding === 'utf8' ? read.content : null;
}
