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

/** The position of a call in its run. With the run's id it makes the idempotency key. */
export interface CallPosition {
  readonly round: number;
  readonly index: number;
}

/** Notifications for an observer, beside the events. After `retry`, the streamed part of this reply is void. */
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
  /** `newRun(conversation)` for a new run; the fold of its events for one that continues. */
  readonly state: RunState;
  readonly rules?: Partial<RunRules>;
  readonly retry?: RetryRules;
  /**
   * Runs one call, or reports that it waits for a person. A run that continues may request the same call again: this
   * MUST then return the outcome of the first. An error becomes the call's answer, so the model may try another way.
   */
  readonly callTool: (
    call: ModelCall,
    position: CallPosition,
    signal: AbortSignal,
  ) => Promise<ToolAnswer | { readonly held: HeldCall }>;
  readonly touchesOf?: (call: ModelCall) => readonly Touch[] | null;
  /**
   * Makes an event durable; one at a time, in order. Until it resolves, the event may only lead to a request to the
   * model, and that reply is neither shown, stored nor run. If it rejects, the turn ends here.
   */
  readonly keep?: (event: RunEvent) => Promise<void>;
  readonly onNote?: (note: AgentNote) => void;
  /** Resolves after that many milliseconds, rejects with the signal's reason. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** In [0, 1). */
  readonly chance: () => number;
  readonly signal: AbortSignal;
}

/** `held`: a person has to decide; after a `resumed` the run continues from its events. */
export interface AgentOutcome {
  readonly stopped: Stopped | 'held';
  readonly rounds: number;
  readonly messages: readonly Message[];
  readonly state: RunState;
}

/**
 * Continues a run until it ends or a person has to decide: requests a reply from the model, runs its calls, returns
 * their answers to the model, and so on.
 *
 * Rejects with the signal's reason when that aborts. This ends nothing: the run continues from its events, here or
 * elsewhere. Rejects with `keep`'s error when an event can't be stored. A model that keeps failing ends the run as
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
  readonly #running = new Map<number, Promise<unknown>>();
  /**
   * Aborted when the turn can't continue: an event wasn't stored, or the turn is over. Everything that was started ends
   * too.
   */
  readonly #turn = new AbortController();
  readonly #signal: AbortSignal;
  /** Includes events that are still being stored. */
  #state: RunState;
  /** Resolves when every event of the state is stored: one after another, though calls may end at once. */
  #stored: Promise<void> = Promise.resolve();

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
        running: new Set(this.#running.keys()),
        touchesOf: this.#run.touchesOf ?? (() => null),
      });
      if (!isWithoutEffect(step)) {
        await this.#stored;
        // A call that ended meanwhile may require another step.
        if (this.#state !== state) continue;
      }
      if (step.kind === 'end' || step.kind === 'wait') return this.#outcome(step);
      await this.#perform(step);
    }
  }

  /** Waits until nothing that was started still runs. */
  async settle(): Promise<void> {
    this.#turn.abort(new Error('the turn ended'));
    await Promise.allSettled(this.#running.values());
    await Promise.allSettled([this.#stored]);
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

  async #perform(step: Exclude<Step, { kind: 'end' | 'wait' }>): Promise<void> {
    switch (step.kind) {
      case 'ask':
        return this.#requestReply(step.round, messagesOf(this.#state, this.#rules), (turn) => ({
          kind: 'replied',
          turn,
        }));
      case 'explain':
        return this.#requestReply(step.round, messagesOf(withExplanationPending(this.#state), this.#rules), (turn) => ({
          kind: 'explained',
          round: step.round,
          turn,
        }));
      case 'compact':
        return this.#requestReply(
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
        await Promise.race(this.#running.values());
    }
  }

  /** Requests a reply, with retries while they may help. */
  async #requestReply(
    round: number,
    messages: readonly Message[],
    eventOf: (turn: ModelTurn) => RunEvent,
  ): Promise<void> {
    for (let failures = 1; ; failures++) {
      const reply = await this.#reply(round, messages).catch((error: unknown) => this.#failed(error));
      if (!(reply instanceof ModelError)) return this.#store(eventOf(reply));
      const delay_ms = retryDelayMs(reply, failures, this.#run.chance(), this.#run.retry ?? RETRY_RULES);
      if (delay_ms === null) return this.#store({ kind: 'model_failed', fault: reply.fault, message: reply.message });
      this.#run.onNote?.({ kind: 'retry', round, failures, delay_ms, error: reply });
      await this.#run.wait(delay_ms, this.#signal);
    }
  }

  async #reply(round: number, messages: readonly Message[]): Promise<ModelTurn> {
    const { model, system, tools } = this.#run;
    const stream = model.reply({ system, messages, tools }, this.#signal);
    for (;;) {
      const next = await stream.next();
      if (next.done) return next.value;
      // An observer receives an answer before the model's text about it.
      await this.#stored;
      this.#run.onNote?.({ kind: 'delta', round, delta: next.value });
    }
  }

  #failed(error: unknown): ModelError {
    this.#signal.throwIfAborted();
    if (error instanceof ModelError) return error;
    throw error;
  }

  #start(position: CallPosition): void {
    const call = this.#callAt(position);
    const ended = this.#answered(call, position).then((event) => {
      this.#running.delete(position.index);
      void this.#store(event);
    });
    this.#running.set(
      position.index,
      ended.catch((error: unknown) => this.#turn.abort(error)),
    );
  }

  #callAt({ round, index }: CallPosition): ModelCall {
    const call = this.#state.rounds[round - 1]?.calls[index]?.call;
    if (call === undefined) throw new Error(`there is no call ${index} in round ${round}`);
    return call;
  }

  async #answered(call: ModelCall, position: CallPosition): Promise<RunEvent> {
    try {
      const answer = await this.#run.callTool(call, position, this.#signal);
      return 'held' in answer
        ? { kind: 'held', ...position, held: answer.held }
        : { kind: 'answered', ...position, answer };
    } catch (error) {
      this.#signal.throwIfAborted();
      return {
        kind: 'answered',
        ...position,
        answer: { text: error instanceof Error ? error.message : String(error), standing: 'failed', is_error: true },
      };
    }
  }

  #store(event: RunEvent): Promise<void> {
    const state = applyEvent(this.#state, event);
    const kept = this.#stored.then(async () => {
      await this.#run.keep?.(event);
      this.#run.onNote?.({ kind: 'event', event, state });
    });
    kept.catch((error: unknown) => this.#turn.abort(error));
    [this.#state, this.#stored] = [state, kept];
    return kept;
  }
}

/**
 * A request to the model changes nothing, so the events that it depends on may still be in the process of being stored.
 */
const isWithoutEffect = ({ kind }: Step): boolean =>
  kind === 'ask' || kind === 'explain' || kind === 'compact' || kind === 'busy';

/** The state for the model's explaining reply: held and waiting calls are shown, though none is settled. */
function withExplanationPending(state: RunState): RunState {
  return applyEvent(state, {
    kind: 'explained',
    round: state.rounds.length,
    turn: { text: '', calls: [], stop: 'end' },
  });
}
