// SPDX-License-Identifier: Apache-2.0
import {
  applyEvent,
  endedByLimit,
  messagesOf,
  newRun,
  RUN_RULES,
  rulesOf,
  type Message,
  type RunState,
} from '@writ/agent-loop';
import { TEXT_DIALECTS, type TextDialect } from '@writ/dialects';
import { inSlices } from '@writ/worker-pool';
import type { KeptEvent, KeptEvents, RunStopped } from '../../store/session-rows/run-events.ts';

/** A stored run: its input and its events. */
export interface RecordedRun {
  readonly input: string;
  readonly events: readonly KeptEvent[] | KeptEvents;
}

/** A run's state, and the number of its events and replies. */
export interface FoldedRun {
  readonly state: RunState;
  readonly events: number;
  /** how often a model replied, including explanations and summaries */
  readonly replies: number;
  /** null until its last event */
  readonly stopped: RunStopped | null;
}

/** Computes a run's state by folding its events over the conversation before it. */
export async function foldRun(base: readonly Message[], { input, events }: RecordedRun): Promise<FoldedRun> {
  let state = newRun([...base, { role: 'user', text: input }]);
  let [count, replies] = [0, 0];
  let stopped: RunStopped | null = null;
  for await (const event of events) {
    count += 1;
    if (event.kind === 'replied' || event.kind === 'explained' || event.kind === 'compacted') replies += 1;
    if (event.kind === 'ended') stopped = event.stopped;
    else state = applyEvent(state, event);
  }
  return { state, events: count, replies, stopped };
}

const UNANSWERED = { text: 'The run ended before this call did.', standing: 'cancelled', is_error: true } as const;

/** The text dialect of a session's model; null for the provider's native tool calls. */
export const textDialectOf = ({ dialect }: { readonly dialect: string }): TextDialect | null =>
  TEXT_DIALECTS.find((name) => name === dialect) ?? null;

/**
 * The conversation after a run, whatever ended it. Unanswered calls get an answer, because providers reject calls
 * without one. Messages that the agent loop added by the dialect's rules are included, and so is the last one of a run
 * that reached its limit.
 */
export function closedMessages(
  { state, stopped }: Pick<FoldedRun, 'state' | 'stopped'>,
  dialect: TextDialect | null,
): Message[] {
  const calls = state.rounds.at(-1)?.calls ?? [];
  const closed = calls.reduce<RunState>(
    (so, { answer }, index) =>
      answer === null
        ? applyEvent({ ...so, ended: null }, { kind: 'answered', round: so.rounds.length, index, answer: UNANSWERED })
        : so,
    state,
  );
  const messages = messagesOf(closed, { ...RUN_RULES, ...(dialect === null ? {} : rulesOf(dialect)) });
  return stopped === 'limit' ? endedByLimit(messages) : messages;
}

/**
 * The conversation that a session's next run continues. INVARIANT (a session is the fold of its runs): it depends on
 * nothing else.
 */
export async function conversationAfter(
  base: readonly Message[],
  runs: readonly RecordedRun[],
  dialect: TextDialect | null,
): Promise<readonly Message[]> {
  let messages = base;
  for await (const run of inSlices(runs)) {
    const folded = await foldRun(messages, run);
    if (folded.events > 0) messages = closedMessages(folded, dialect);
  }
  return messages;
}
