// SPDX-License-Identifier: Apache-2.0
import { Model, type ModelTurn } from './model.ts';

/** A recorded run: what a model replied, turn by turn. */
export interface Transcript {
  readonly v: 1;
  readonly model: string;
  readonly prompt: string;
  readonly turns: readonly ModelTurn[];
}

/** Replays a recorded run through the same loop that a provider's model goes through; says so in its name. */
export class TranscriptModel extends Model {
  readonly name: string;
  readonly #turns: readonly ModelTurn[];
  #next = 0;

  constructor(transcript: Transcript) {
    super();
    this.name = `transcript:${transcript.model}`;
    this.#turns = transcript.turns;
  }

  override next(_conversation: unknown, signal: AbortSignal): Promise<ModelTurn> {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    const turn = this.#turns[this.#next++];
    if (!turn) return Promise.reject(new Error('the transcript has no further turn: the run differs from the recorded one'));
    return Promise.resolve(turn);
  }
}
