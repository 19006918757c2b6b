// SPDX-License-Identifier: Apache-2.0
import { parseMessage } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { Model, ModelTurn, type Conversation, type ModelDelta } from './model.ts';
import type { RunEvent } from './run-event.ts';

/** A recorded run: what a model replied, turn by turn. */
export const Transcript = Type.Object(
  { v: Type.Literal(1), model: Type.String({ minLength: 1 }), prompt: Type.String(), turns: Type.Array(ModelTurn) },
  { additionalProperties: false },
);
export type Transcript = Static<typeof Transcript>;

/** Reads a recorded run. Throws Fault `request.malformed` that names the JSON pointer of what is wrong. */
export const parseTranscript = (value: unknown): Transcript => parseMessage(Transcript, value);

/** Replays a recorded run through the same loop that a provider's model goes through; says so in its name. */
export class TranscriptModel extends Model {
  readonly name: string;
  readonly #turns: readonly ModelTurn[];
  #next: number;

  /** @param from how many turns were replayed before, by a run that goes on here */
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

/** Another model, whose replies are kept: `transcript` replays them. */
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

  /** What was replied so far, without what only the provider can read. */
  transcript(prompt: string): Transcript {
    return { v: 1, model: this.name, prompt, turns: this.#turns.map(({ native: _theirs, ...turn }) => turn) };
  }
}

/**
 * A recorded run from what was kept of it, for a session of the same dialect: replies in a dialect of text are as they
 * were written, since that is what the dialect reads, and summaries are replies too. What only the provider can read is
 * left out.
 */
export function transcriptOf(model: string, prompt: string, events: readonly RunEvent[]): Transcript {
  return {
    v: 1,
    model,
    prompt,
    turns: events.flatMap((event) =>
      event.kind === 'compacted' ? [said(event.summary, event.usage)] : 'turn' in event ? [asReplied(event.turn)] : [],
    ),
  };
}

const said = (text: string, usage: ModelTurn['usage'], stop: ModelTurn['stop'] = 'end'): ModelTurn => ({
  text,
  calls: [],
  stop,
  ...(usage === undefined ? {} : { usage }),
});

function asReplied({ native: _theirs, written, ...turn }: ModelTurn): ModelTurn {
  return written === undefined ? turn : said(written, turn.usage, turn.stop === 'tool_use' ? 'end' : turn.stop);
}
