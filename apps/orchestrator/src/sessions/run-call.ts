// SPDX-License-Identifier: Apache-2.0
import type { CallPlace, HeldCall, ModelCall, ToolAnswer } from '@writ/agent-loop';
import { AGENT_SPAWN, Fault, isFinal, type Caller, type OperationId, type OperationView } from '@writ/contract';
import { STANDINGS, outcomeOf } from '@writ/dialects';
import { newId } from '@writ/nest-kit';
import type { RunRow, SessionRow } from '../ports/sessions.ts';
import type { ParsedCall } from '../proposals/parsed-call.ts';
import type { Propose } from '../proposals/propose.ts';

/** What calls of runs are made with. */
export interface CallParts {
  /** reads a call by the rules of the API's door */
  readonly parse: (body: unknown, keyHeader: undefined, caller: Caller) => ParsedCall;
  /** the way of every call: proposed to the kernel, and followed until it has ended, is held, or nobody waits */
  readonly propose: Propose['run'];
  /** puts results that are kept elsewhere into the view */
  readonly show: (caller: Caller, view: OperationView) => Promise<OperationView>;
  /** resolves after so many milliseconds, rejects with the signal's reason */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Whose call it is, and of what. */
export interface CallOf {
  readonly caller: Caller;
  readonly session: SessionRow;
  readonly run: Pick<RunRow, 'run_id'>;
  /** as its provider names it */
  readonly model: string;
  readonly started: (operationId: OperationId) => void;
  /** what becomes of the sub-agent that a committed call is for */
  readonly below?: (call: ModelCall, operationId: string) => Promise<ToolAnswer | { held: HeldCall }>;
  /** the session's token was revoked: no call of the run will be let in any more */
  readonly tokenEnded?: () => void;
}

/** What a model can use of one answer. */
const ANSWER_CHARS_MAX = 60_000;
/** One wait for a call's end: it is asked for again, under its key, until it has ended. */
const WAIT_MS = 60_000;
/** Between two askings of a kernel that has no room or isn't there. */
const PAUSE_MS = 1_000;
/** What provenance takes of a name. */
const WORD = /[^A-Za-z0-9._:/-]/g;

/**
 * Runs one call of a run. INVARIANT (once): its idempotency key is its place, so a call that is asked for again, by whoever goes on with the run,
 * is answered with what became of the first.
 *
 * Rejects with the signal's reason when that aborts: nobody knows then what becomes of the call, but whoever asks again.
 */
export async function runCall(parts: CallParts, of: CallOf, call: ModelCall, place: CallPlace, signal: AbortSignal): Promise<ToolAnswer | { held: HeldCall }> {
  const parsed = parts.parse(bodyOf(of, call, place), undefined, of.caller);
  const operationId = newId('operation');
  of.started(operationId);
  for (;;) {
    const view = await proposed(parts, of.caller, operationId, parsed, signal);
    signal.throwIfAborted();
    if (view?.state === 'held') return { held: heldOf(view) };
    const answer = view !== null && isFinal(view.state) ? await ended(parts, of, call, view) : null;
    if (answer !== null) return answer;
    if (view === null || isFinal(view.state)) await parts.wait(PAUSE_MS, signal);
  }
}

/** Null where asking again later may help. */
async function ended(parts: CallParts, of: CallOf, call: ModelCall, view: OperationView): Promise<ToolAnswer | { held: HeldCall } | null> {
  if (view.result?.error?.code === 'token.revoked') of.tokenEnded?.();
  if (call.tool_id === AGENT_SPAWN.tool_id && view.result?.status === 'ok' && of.below !== undefined) return await retried(of.below(call, view.operation_id));
  return answerOf(await parts.show(of.caller, view));
}

function bodyOf({ session, run, model }: CallOf, call: ModelCall, { round, index }: CallPlace): object {
  return {
    tool_id: call.tool_id, args: call.args, agent_id: session.agent_id, capability_token_id: session.capability_token_id, workspace_id: session.workspace_id,
    session_id: session.session_id, session_mode: 'interactive', idempotency_key: `${run.run_id}/${round}/${index}`,
    provenance: { source: 'run', dialect: session.dialect, session_id: session.session_id, run_id: run.run_id, turn: String(round), model: model.replaceAll(WORD, '_').slice(0, 128) },
  };
}

/** Null where asking again later may help: a call that couldn't be decided is no answer for a model. */
const proposed = async ({ propose }: CallParts, caller: Caller, operationId: OperationId, call: ParsedCall, gone: AbortSignal): Promise<OperationView | null> =>
  await retried(propose(caller, operationId, call, { waitMs: WAIT_MS, gone }));

async function retried<T>(asking: Promise<T>): Promise<T | null> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof Fault && error.retryable) return null;
    throw error;
  }
}

function heldOf({ operation_id, reasons }: OperationView): HeldCall {
  const waits_for = reasons.some(({ code }) => code === 'value.wanted') ? 'value' : 'approval';
  return { operation_id, waits_for, text: reasons[0]?.message ?? 'a person has to decide' };
}

/** What the model is told of a call that ended. */
function answerOf(view: OperationView): ToolAnswer {
  const { standing, result, error } = outcomeOf(view);
  const { word, is_error } = STANDINGS[standing];
  const reasons = (view.result?.reasons ?? []).map(({ code, message }) => ({ code, message }));
  const text = JSON.stringify({ status: word, tx_outcome: view.result?.tx_outcome, result, ...(error === null ? {} : { error, ...(reasons.length > 0 ? { reasons } : {}) }) });
  return { text: text.slice(0, ANSWER_CHARS_MAX), standing, is_error };
}

/** Before the first round: what the run itself asks for. */
const ITS_OWN: CallPlace = { round: 0, index: 0 };

/** A file of the workspace as the agent may read it; null where it can't, for whatever reason: a run does without. */
export async function readAsAgent(parts: CallParts, of: CallOf, path: string, signal: AbortSignal): Promise<string | null> {
  const parsed = parts.parse(bodyOf(of, { id: 'own', tool_id: 'fs.read', args: { path } }, ITS_OWN), undefined, of.caller);
  const view = await parts.propose(of.caller, newId('operation'), parsed, { waitMs: WAIT_MS, gone: signal });
  if (!isFinal(view.state)) return null;
  const { result } = await parts.show(of.caller, view);
  const read = result?.status === 'ok' ? result.result as { readonly content?: unknown; readonly encoding?: unknown } | null : null;
  return typeof read?.content === 'string' && read.encoding === 'utf8' ? read.content : null;
}
