// SPDX-License-Identifier: Apache-2.0
import { applyEvent, messagesOf, newRun, RUN_RULES, rulesOf, type Message, type RunState } from '@writ/agent-loop';
import { TEXT_DIALECTS, type TextDialect } from '@writ/dialects';
import { inSlices } from '@writ/worker-pool';
import type { KeptEvent, KeptEvents } from '../../store/sessions/run-events.ts';

/** A run as it is kept: what was asked, and all that happened. */
export interface ToldRun {
  readonly input: string;
  readonly events: readonly KeptEvent[] | KeptEvents;
}

/** A run's state, and what was counted on the way to it. */
export interface FoldedRun {
  readonly state: RunState;
  readonly events: number;
  /** how often a model replied, to whatever */
  readonly replies: number;
}

/** A run on top of a conversation: the fold of the loop's own events. */
export async function foldedOf(base: readonly Message[], { input, events }: ToldRun): Promise<FoldedRun> {
  let state = newRun([...base, { role: 'user', text: input }]);
  let [count, replies] = [0, 0];
  for await (const event of events) {
    count += 1;
    if (event.kind === 'replied' || event.kind === 'explained' || event.kind === 'compacted') replies += 1;
    if (event.kind !== 'ended') state = applyEvent(state, event);
  }
  return { state, events: count, replies };
}

const UNANSWERED = { text: 'The run ended before this call did.', standing: 'cancelled', is_error: true } as const;

/** The dialect of text that a session's model writes; null where its provider has its own way. */
export const textDialectOf = ({ dialect }: { readonly dialect: string }): TextDialect | null =>
  TEXT_DIALECTS.find((name) => name === dialect) ?? null;

/**
 * The conversation after a run, whatever ended it: providers take no call that nothing answers. What the loop told the
 * model by the rules of its dialect is a part of it.
 */
export function closedMessages(state: RunState, dialect: TextDialect | null): Message[] {
  const calls = state.rounds.at(-1)?.calls ?? [];
  const closed = calls.reduce<RunState>(
    (so, { answer }, index) =>
      answer === null
        ? applyEvent({ ...so, ended: null }, { kind: 'answered', round: so.rounds.length, index, answer: UNANSWERED })
        : so,
    state,
  );
  return messagesOf(closed, { ...RUN_RULES, ...(dialect === null ? {} : rulesOf(dialect)) });
}

/**
 * What a session's next run goes on with. INVARIANT (a session is the fold of its runs): nothing else of it is carried.
 */
export async function conversationAfter(
  base: readonly Message[],
  runs: readonly ToldRun[],
  dialect: TextDialect | null,
): Promise<readonly Message[]> {
  let messages = base;
  for await (const run of inSlices(runs)) {
    const { state, events } = await foldedOf(messages, run);
    if (events > 0) messages = closedMessages(state, dialect);
  }
  return messages;
}
