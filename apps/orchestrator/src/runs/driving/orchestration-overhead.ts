// SPDX-License-Identifier: Apache-2.0
import { Model, type Conversation, type ModelDelta, type ModelTurn } from '@writ/agent-loop';
import type { WaitObserver } from '../../calls/propose.ts';

/**
 * Measures how long this process takes between a model's whole reply and the next request to it. It leaves out the time
 * in which a call is with the kernel or an executor. So it counts reading the reply, storing events, preparing calls
 * and answers, and waiting for the event loop. It doesn't count rounds without calls, nor those that a person, a
 * sub-agent or a restart interrupted. INVARIANT (measurement only): it only measures, and nothing depends on it.
 */
export class OrchestrationOverhead implements WaitObserver {
  readonly #now: () => number;
  readonly #report: (ms: number) => void;
  /** since when this process works on the round; null: it waits for a call, or no round is in progress */
  #since: number | null = null;
  #spent = 0;
  #waiting = 0;
  #hasCalled = false;

  /** @param now milliseconds that only go forward */
  constructor(now: () => number, report: (ms: number) => void) {
    this.#now = now;
    this.#report = report;
  }

  /** The model's reply is complete. */
  replied(): void {
    [this.#since, this.#spent, this.#hasCalled] = [this.#now(), 0, false];
  }

  /** A request to the model begins. */
  requested(): void {
    this.#pause();
    if (this.#hasCalled) this.#report(this.#spent);
    this.#hasCalled = false;
  }

  began(): void {
    this.#waiting += 1;
    this.#hasCalled = true;
    this.#pause();
  }

  ended(): void {
    this.#waiting -= 1;
    if (this.#waiting === 0) this.#since = this.#now();
  }

  #pause(): void {
    if (this.#since !== null) this.#spent += this.#now() - this.#since;
    this.#since = null;
  }
}

/** A model that reports when a request begins and when its reply is complete. */
export class TimedModel extends Model {
  readonly name: string;
  readonly #model: Model;
  readonly #overhead: OrchestrationOverhead;

  constructor(model: Model, overhead: OrchestrationOverhead) {
    super();
    this.name = model.name;
    this.#model = model;
    this.#overhead = overhead;
  }

  override async *reply(conversation: Conversation, signal: AbortSignal): AsyncGenerator<ModelDelta, ModelTurn, void> {
    this.#overhead.requested();
    const turn = yield* this.#model.reply(conversation, signal);
    this.#overhead.replied();
    return turn;
  }
}
