// SPDX-License-Identifier: Apache-2.0
import { parseMessage } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { Model, ModelTurn, type Conversation, type ModelDelta } from './model.ts';

/** A recorded run: what a model replied, turn by turn. */
export const Transcript = Type.Object({
  v: Type.Literal(1),
  model: Type.String({ minLength: 1 }),
  prompt: Type.String(),
  turns: Type.Array(ModelTurn),
}, { additionalProperties: false });
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

  override async* reply(_conversation: Conversation, signal: AbortSignal): AsyncGenerator<ModelDelta, ModelTurn, void> {
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

  override async* reply(conversation: Conversation, signal: AbortSignal): AsyncGenerator<ModelDelta, ModelTurn, void> {
    const turn = yield* this.#model.reply(conversation, signal);
    this.#turns.push(turn);
    return turn;
  }

  /** What was replied so far, without what only the provider can read. */
  transcript(prompt: string): Transcript {
    return { v: 1, model: this.name, prompt, turns: this.#turns.map(({ native: _theirs, ...turn }) => turn) };
  }
}
