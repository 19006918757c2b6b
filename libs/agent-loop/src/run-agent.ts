// SPDX-License-Identifier: Apache-2.0
import { endedByLimit, messagesOf, messagesUntil } from './conversation.ts';
import type { Message, Model, ModelCall, ModelDelta, ModelTurn, ToolOffer } from './model.ts';
import { ModelError } from './model-error.ts';
import { nextStep, type Step, type Stopped } from './next-step.ts';
import { retryDelayMs, RETRY_RULES, type RetryRules } from './retry.ts';
import type { HeldCall, RunEvent, ToolAnswer } from './run-event.ts';
import { RUN_RULES, type RunRules } from './run-rules.ts';
import { applyEvent, type RunState } from './run-state.ts';
import type { Touch } from './touches.ts';

/** Where a call stands in its run: with the run's id, what its idempotency key is made of. */
export interface CallPlace {
  readonly round: number;
  readonly index: number;
}

/** What a watcher sees beside the events. After `retry`, what was streamed of this reply counts for nothing. */
export type AgentNote =
  | { readonly kind: 'delta'; readonly round: number; readonly delta: ModelDelta }
  | {
      readonly kind: 'retry';
      readonly round: number;
      readonly failures: number;
      readonly delay_ms: number;
      readonly error: ModelError;
    }
  | { readonly kind: 'event'; readonly event: RunEvent; readonly state: RunState };

export interface AgentRun {
  readonly model: Model;
  readonly system: string;
  readonly tools: readonly ToolOffer[];
  /** A new run is `newRun(conversation)`; one that goes on, the fold of its events. */
  readonly state: RunState;
  readonly rules?: Partial<RunRules>;
  readonly retry?: RetryRules;
  /**
   * Runs one call, or says that it waits for a person. The same call may be asked for again by a run that goes on: it
   * MUST then answer with what became of the first. A throw becomes the call's answer: the model may try another way.
   */
  readonly callTool: (
    call: ModelCall,
    place: CallPlace,
    signal: AbortSignal,
  ) => Promise<ToolAnswer | { readonly held: HeldCall }>;
  readonly touchesOf?: (call: ModelCall) => readonly Touch[] | null;
  /**
   * Makes an event durable; one at a time, in order. Before this resolves nothing follows from an event but that the
   * model is asked: of its reply nothing is told, kept or run until then. Its rejection ends the run's turn here.
   */
  readonly keep?: (event: RunEvent) => Promise<void>;
  readonly onNote?: (note: AgentNote) => void;
  /** Resolves after so many milliseconds, rejects with the signal's reason. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** In [0, 1). */
  readonly chance: () => number;
  readonly signal: AbortSignal;
}

/** `held`: somebody has to decide; whoever has the events goes on after a `resumed`. */
export interface AgentOutcome {
  readonly stopped: Stopped | 'held';
  readonly rounds: number;
  readonly messages: readonly Message[];
  readonly state: RunState;
}

/**
 * Takes a run on until it ends or somebody has to decide: asks the model, runs the calls of its reply, tells it the
 * answers, and so on.
 *
 * Rejects with the signal's reason when that aborts, which ends nothing: the run goes on from its events, here or
 * elsewhere. Rejects with `keep`'s error when an event can't be kept. A model that keeps failing ends the run as
 * `model_failed`.
 */
export async function runAgent(run: AgentRun): Promise<AgentOutcome> {
  const loop = new Loop(run);
  try {
    return await loop.run();
  } finally {
    await loop.settle();
  }
}

class Loop {
  readonly #run: AgentRun;
  readonly #rules: RunRules;
  readonly #calls = new Map<number, Promise<unknown>>();
  /**
   * Aborted with what keeps the turn from going on: an event wasn't kept, or it is over. What was started ends with it.
   */
  readonly #turn = new AbortController();
  readonly #signal: AbortSignal;
  /** With events that are still being kept. */
  #state: RunState;
  /** Resolves when every event of the state is kept: one after another, though calls end at once. */
  #kept: Promise<void> = Promise.resolve();

  constructor(run: AgentRun) {
    this.#run = run;
    this.#rules = { ...RUN_RULES, ...run.rules };
    this.#state = run.state;
    this.#signal = AbortSignal.any([run.signal, this.#turn.signal]);
  }

  async run(): Promise<AgentOutcome> {
    for (;;) {
      this.#signal.throwIfAborted();
      const state = this.#state;
      const step = nextStep(state, {
        rules: this.#rules,
        running: new Set(this.#calls.keys()),
        touchesOf: this.#run.touchesOf ?? (() => null),
      });
      if (!changesNothing(step)) {
        await this.#kept;
        // A call that ended meanwhile may ask for another step.
        if (this.#state !== state) continue;
      }
      if (step.kind === 'end' || step.kind === 'wait') return this.#outcome(step);
      await this.#take(step);
    }
  }

  /** Waits until nothing that was started runs any more. */
  async settle(): Promise<void> {
    this.#turn.abort(new Error('the turn ended'));
    await Promise.allSettled(this.#calls.values());
    await Promise.allSettled([this.#kept]);
  }

  #outcome(step: Extract<Step, { kind: 'end' | 'wait' }>): AgentOutcome {
    const messages = messagesOf(this.#state, this.#rules);
    const stopped = step.kind === 'wait' ? 'held' : step.stopped;
    return {
      stopped,
      rounds: this.#state.rounds.length,
      messages: stopped === 'limit' ? endedByLimit(messages) : messages,
      state: this.#state,
    };
  }

  async #take(step: Exclude<Step, { kind: 'end' | 'wait' }>): Promise<void> {
    switch (step.kind) {
      case 'ask':
        return this.#ask(step.round, messagesOf(this.#state, this.#rules), (turn) => ({ kind: 'replied', turn }));
      case 'explain':
        return this.#ask(step.round, messagesOf(explaining(this.#state), this.#rules), (turn) => ({
          kind: 'explained',
          round: step.round,
          turn,
        }));
      case 'compact':
        return this.#ask(
          this.#state.rounds.length,
          messagesUntil(this.#state, step.until, this.#rules),
          ({ text, usage }) => ({
            kind: 'compacted',
            until: step.until,
            summary: text,
            ...(usage === undefined ? {} : { usage }),
          }),
        );
      case 'call':
        for (const index of step.indexes) this.#start({ round: step.round, index });
        return;
      case 'busy':
        await Promise.race(this.#calls.values());
    }
  }

  /** Asks the model until it replies or asking again is no use. */
  async #ask(round: number, messages: readonly Message[], eventOf: (turn: ModelTurn) => RunEvent): Promise<void> {
    for (let failures = 1; ; failures++) {
      const got = await this.#reply(round, messages).catch((error: unknown) => this.#failed(error));
      if (!(got instanceof ModelError)) return this.#keep(eventOf(got));
      const delay_ms = retryDelayMs(got, failures, this.#run.chance(), this.#run.retry ?? RETRY_RULES);
      if (delay_ms === null) return this.#keep({ kind: 'model_failed', fault: got.fault, message: got.message });
      this.#run.onNote?.({ kind: 'retry', round, failures, delay_ms, error: got });
      await this.#run.wait(delay_ms, this.#signal);
    }
  }

  async #reply(round: number, messages: readonly Message[]): Promise<ModelTurn> {
    const { model, system, tools } = this.#run;
    const stream = model.reply({ system, messages, tools }, this.#signal);
    for (;;) {
      const next = await stream.next();
      if (next.done) return next.value;
      // A watcher hears of an answer before what the model says of it.
      await this.#kept;
      this.#run.onNote?.({ kind: 'delta', round, delta: next.value });
    }
  }

  #failed(error: unknown): ModelError {
    this.#signal.throwIfAborted();
    if (error instanceof ModelError) return error;
    throw error;
  }

  #start(place: CallPlace): void {
    const call = this.#callAt(place);
    const ended = this.#answered(call, place).then((event) => {
      this.#calls.delete(place.index);
      void this.#keep(event);
    });
    this.#calls.set(
      place.index,
      ended.catch((error: unknown) => this.#turn.abort(error)),
    );
  }

  #callAt({ round, index }: CallPlace): ModelCall {
    const call = this.#state.rounds[round - 1]?.calls[index]?.call;
    if (call === undefined) throw new Error(`there is no call ${index} in round ${round}`);
    return call;
  }

  async #answered(call: ModelCall, place: CallPlace): Promise<RunEvent> {
    try {
      const answer = await this.#run.callTool(call, place, this.#signal);
      return 'held' in answer ? { kind: 'held', ...place, held: answer.held } : { kind: 'answered', ...place, answer };
    } catch (error) {
      this.#signal.throwIfAborted();
      return {
        kind: 'answered',
        ...place,
        answer: { text: error instanceof Error ? error.message : String(error), standing: 'failed', is_error: true },
      };
    }
  }

  #keep(event: RunEvent): Promise<void> {
    const state = applyEvent(this.#state, event);
    const kept = this.#kept.then(async () => {
      await this.#run.keep?.(event);
      this.#run.onNote?.({ kind: 'event', event, state });
    });
    kept.catch((error: unknown) => this.#turn.abort(error));
    [this.#state, this.#kept] = [state, kept];
    return kept;
  }
}

/** A question to the model costs, and changes nothing: what it follows from may be on its way to where it is kept. */
const changesNothing = ({ kind }: Step): boolean =>
  kind === 'ask' || kind === 'explain' || kind === 'compact' || kind === 'busy';

/**
 * The state as the model is to see it before its explaining reply: what is held and what waits is told, though nothing
 * is settled.
 */
function explaining(state: RunState): RunState {
  return applyEvent(state, {
    kind: 'explained',
    round: state.rounds.length,
    turn: { text: '', calls: [], stop: 'end' },
  });
}
