// SPDX-License-Identifier: Apache-2.0
import { parseMessage } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { Model, ModelTurn, type Conversation, type ModelDelta } from './model.ts';
import type { RunEvent } from './run-event.ts';

/** A recorded run: the model's replies, turn by turn. */
export const Transcript = Type.Object(
  { v: Type.Literal(1), model: Type.String({ minLength: 1 }), prompt: Type.String(), turns: Type.Array(ModelTurn) },
  { additionalProperties: false },
);
export type Transcript = Static<typeof Transcript>;

/** Parses a recorded run. Throws Fault `request.malformed` with the JSON pointer of the problem. */
export const parseTranscript = (value: unknown): Transcript => parseMessage(Transcript, value);

/** Replays a recorded run through the same loop as a provider's model; its name shows that. */
export class TranscriptModel extends Model {
  readonly name: string;
  readonly #turns: readonly ModelTurn[];
  #next: number;

  /** @param from how many turns were replayed before, if the run continues here */
  constructor(transcript: Transcript, from = 0) {
    super();
    this.name = `transcript:${transcript.model}`;
    this.#turns = transcript.turns;
    this.#next = from;
  }

  override async *reply(_conversation: Conversation, signal: AbortSignal): AsyncGenerator<ModelDelta, ModelTurn, void> {
    signal.throwIfAborted();
    const turn = this.#turns[this.#next++];
    if (!turn) throw new Error('the transcript has no further turn: the run differs from the recorded one');
    if (turn.text !== '') yield { kind: 'text', text: turn.text };
    for (const call of turn.calls) yield { kind: 'call', call };
    return turn;
  }
}

/** Wraps a model and records its replies; `transcript` makes them replayable. */
export class RecordingModel extends Model {
  readonly name: string;
  readonly #model: Model;
  readonly #turns: ModelTurn[] = [];

  constructor(model: Model) {
    super();
    this.name = model.name;
    this.#model = model;
  }

  override async *reply(conversation: Conversation, signal: AbortSignal): AsyncGenerator<ModelDelta, ModelTurn, void> {
    const turn = yield* this.#model.reply(conversation, signal);
    this.#turns.push(turn);
    return turn;
  }

  /** The replies so far, without the parts that only the provider can read. */
  transcript(prompt: string): Transcript {
    return { v: 1, model: this.name, prompt, turns: this.#turns.map(({ native: _theirs, ...turn }) => turn) };
  }
}

/**
 * A recorded run from its events, for a session of the same dialect. Replies in a dialect of text are as written, since
 * the dialect parses that, and summaries are replies too. Parts that only the provider can read are left out.
 */
export function transcriptOf(model: string, prompt: string, events: readonly RunEvent[]): Transcript {
  return {
    v: 1,
    model,
    prompt,
    turns: events.flatMap((event) =>
      event.kind === 'compacted'
        ? [replyOf(event.summary, event.usage)]
        : 'turn' in event
          ? [asReplied(event.turn)]
          : [],
    ),
  };
}

const replyOf = (text: string, usage: ModelTurn['usage'], stop: ModelTurn['stop'] = 'end'): ModelTurn => ({
  text,
  calls: [],
  stop,
  ...(usage === undefined ? {} : { usage }),
});

function asReplied({ native: _theirs, written, ...turn }: ModelTurn): ModelTurn {
  return written === undefined ? turn : replyOf(written, turn.usage, turn.stop === 'tool_use' ? 'end' : turn.stop);
}
