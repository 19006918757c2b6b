// SPDX-License-Identifier: Apache-2.0
import { applyEvent, foldRun, messagesOf, RUN_RULES, type Message, type RunEvent, type RunState } from '@writ/agent-loop';
import type { KeptEvent } from '../ports/run-events.ts';

/** A run as it is kept: what was asked, and all that happened. */
export interface ToldRun {
  readonly input: string;
  readonly events: readonly KeptEvent[];
}

/** The loop's own events: what a run's state is the fold of. */
export const loopEvents = (events: readonly KeptEvent[]): RunEvent[] => events.filter((event): event is RunEvent => event.kind !== 'ended');

/** The state of a run on top of a conversation. */
export const stateOf = (base: readonly Message[], { input, events }: ToldRun): RunState => foldRun([...base, { role: 'user', text: input }], loopEvents(events));

const UNANSWERED = { text: 'The run ended before this call did.', standing: 'cancelled', is_error: true } as const;

/** The conversation after a run, whatever ended it: providers take no call that nothing answers. */
export function closedMessages(state: RunState): Message[] {
  const calls = state.rounds.at(-1)?.calls ?? [];
  const closed = calls.reduce<RunState>((so, { answer }, index) => (
    answer === null ? applyEvent({ ...so, ended: null }, { kind: 'answered', round: so.rounds.length, index, answer: UNANSWERED }) : so), state);
  return messagesOf(closed, RUN_RULES);
}

/** What a session's next run goes on with. INVARIANT (a session is the fold of its runs): nothing else of it is carried. */
export const conversationAfter = (base: readonly Message[], runs: readonly ToldRun[]): readonly Message[] =>
  runs.reduce<readonly Message[]>((messages, run) => (run.events.length === 0 ? messages : closedMessages(stateOf(messages, run))), base);
