// SPDX-License-Identifier: Apache-2.0
import type { ModelTurn, ModelTurnCall, RunEvent, RunState, RunStopped } from '@writ/client/web';
import { placeOf } from '../../data/transcript.ts';

type EventOf<Kind extends RunEvent['kind']> = Extract<RunEvent, { readonly kind: Kind }>;

/** One call of a reply, with what is known of it. */
export interface CallStep {
  readonly index: number;
  readonly call: ModelTurnCall;
  readonly operationId: string | null;
  readonly held: EventOf<'held'>['held'] | null;
  readonly answer: EventOf<'answered'>['answer'] | null;
}

export type Step =
  | {
      readonly kind: 'reply';
      readonly seq: number;
      readonly at: number;
      readonly turn: ModelTurn;
      readonly calls: readonly CallStep[];
    }
  | { readonly kind: 'explained'; readonly seq: number; readonly at: number; readonly text: string }
  | { readonly kind: 'early'; readonly seq: number; readonly at: number; readonly operationId: string | null }
  | {
      readonly kind: 'note';
      readonly seq: number;
      readonly at: number;
      readonly event: EventOf<'resumed' | 'compacted' | 'model_failed' | 'cancelled'>;
    };

/** The events of a run as a conversation: each call is in its reply, with its outcome. */
export function stepsOf(events: readonly RunEvent[], started: ReadonlyMap<string, string>): readonly Step[] {
  const held = new Map<string, EventOf<'held'>['held']>();
  const answers = new Map<string, EventOf<'answered'>['answer']>();
  for (const event of events)
    if (event.kind === 'held') held.set(placeOf(event.round, event.index), event.held);
    else if (event.kind === 'answered') answers.set(placeOf(event.round, event.index), event.answer);
  let round = 0;
  return events.flatMap((event): readonly Step[] => {
    const { seq, at } = event;
    if (event.kind === 'explained') return [{ kind: 'explained', seq, at, text: event.turn.text }];
    if (event.kind === 'answered')
      return event.round === 0 ? [{ kind: 'early', seq, at, operationId: event.answer.operation_id ?? null }] : [];
    if (event.kind === 'held' || event.kind === 'ended') return [];
    if (event.kind !== 'replied') return [{ kind: 'note', seq, at, event }];
    round += 1;
    const calls = event.turn.calls.map((call, index): CallStep => {
      const place = placeOf(round, index);
      const [answer, waits] = [answers.get(place) ?? null, held.get(place) ?? null];
      const operationId = answer?.operation_id ?? waits?.operation_id ?? started.get(place) ?? null;
      return { index, call, answer, operationId, held: answer === null ? waits : null };
    });
    return [{ kind: 'reply', seq, at, turn: event.turn, calls }];
  });
}

/** The state that the events of a run show, where they are ahead of what was read of the run. */
export function stateOf(
  run: { readonly state: RunState; readonly stopped: RunStopped | null },
  events: readonly RunEvent[],
  isWriting: boolean,
): { readonly state: RunState; readonly stopped: RunStopped | null } {
  const ended = events.find((event): event is EventOf<'ended'> => event.kind === 'ended');
  if (ended !== undefined) return { state: 'ended', stopped: ended.stopped };
  if (run.state === 'ended') return run;
  const answered = new Set(events.map((one) => (one.kind === 'answered' ? placeOf(one.round, one.index) : '')));
  const isHeld = events.some((one) => one.kind === 'held' && !answered.has(placeOf(one.round, one.index)));
  if (isHeld && !isWriting && events.at(-1)?.kind !== 'resumed') return { state: 'waiting', stopped: null };
  return { state: events.length > 0 || isWriting ? 'running' : run.state, stopped: null };
}
