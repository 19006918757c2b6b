// SPDX-License-Identifier: Apache-2.0
import { Model, type Conversation, type ModelDelta, type ModelTurn } from '@writ/agent-loop';
import type { Waits } from '../../calls/propose.ts';

/**
 * What a run's rounds take of this process: wall time from a model's whole reply to the next request to it, without the
 * time in which one of its calls is with the kernel and whoever executes it. So it counts reading the reply, making
 * events durable, preparing calls and answers, and waiting for a turn of this process; it doesn't count rounds in which
 * nothing was called, or which a person, a sub-agent or a restart came between. INVARIANT (nobody waits for it): it
 * tells, and nothing follows from it.
 */
export class OrchestrationOverhead implements Waits {
  readonly #now: () => number;
  readonly #tell: (ms: number) => void;
  /** since when nobody is waited for; null: somebody is, or no round is under way */
  #since: number | null = null;
  #spent = 0;
  #waiting = 0;
  #hasCalled = false;

  /** @param now milliseconds that only go forward */
  constructor(now: () => number, tell: (ms: number) => void) {
    this.#now = now;
    this.#tell = tell;
  }

  /** The model's reply is whole. */
  replied(): void {
    [this.#since, this.#spent, this.#hasCalled] = [this.#now(), 0, false];
  }

  /** The model is asked. */
  asked(): void {
    this.#pause();
    if (this.#hasCalled) this.#tell(this.#spent);
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

/** A model that tells when it is asked and when it has replied. */
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
    this.#overhead.asked();
    const turn = yield* this.#model.reply(conversation, signal);
    this.#overhead.replied();
    return turn;
  }
}
