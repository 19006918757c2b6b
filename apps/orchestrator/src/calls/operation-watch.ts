// SPDX-License-Identifier: Apache-2.0
import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { isFinal } from '@writ/contract';

/** Passes events of operations to subscribers. A lost event costs one polling interval. */
export class OperationWatch {
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  readonly #closing = new AbortController();
  readonly #subscribers = new Set<(operationId: string, state: string) => void>();

  /** Notifies the subscribers of an event `operation`. */
  publish(operationId: string, state: string): void {
    this.#emitter.emit(operationId, state);
    for (const listener of this.#subscribers) listener(operationId, state);
  }

  /** Subscribes to the events of all operations until the process ends. A listener MUST NOT throw. */
  subscribeToAll(listener: (operationId: string, state: string) => void): void {
    this.#subscribers.add(listener);
  }

  /**
   * Subscribes to one operation from now on, so that no event is lost between a read and a wait with `next`. Callers
   * MUST call `stop`.
   */
  subscribe(operationId: string): OperationSubscription {
    return new OperationSubscription(this.#emitter, operationId, this.#closing.signal);
  }

  /** Resolves after `ms`. False when waiting makes no sense any more: nobody waits, or the process stops. */
  async pause(ms: number, gone: AbortSignal): Promise<boolean> {
    const signal = AbortSignal.any([gone, this.#closing.signal]);
    await delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
    return !signal.aborted;
  }

  /** Ends all waits at once, because the process stops. */
  close(): void {
    this.#closing.abort();
  }
}

/**
 * A subscription to the events of one operation. Only final states and holds wake it, because other states are of no
 * use to a waiting client.
 */
export class OperationSubscription {
  readonly #emitter: EventEmitter;
  readonly #name: string;
  readonly #closing: AbortSignal;
  readonly #wake = new EventEmitter();
  #isWoken = false;
  #hasLeftHold = false;

  constructor(emitter: EventEmitter, name: string, closing: AbortSignal) {
    this.#emitter = emitter;
    this.#name = name;
    this.#closing = closing;
    emitter.on(name, this.#onState);
  }

  /** Resolves after an event since the last call, or after `ms`. False when waiting makes no sense any more. */
  async next(ms: number, gone: AbortSignal): Promise<boolean> {
    if (this.#isStopped(gone)) return false;
    if (!this.#isWoken) {
      const signal = AbortSignal.any([AbortSignal.timeout(Math.ceil(ms)), gone, this.#closing]);
      await once(this.#wake, 'woken', { signal }).catch(() => undefined);
    }
    this.#isWoken = false;
    return !this.#isStopped(gone);
  }

  /** Whether an event showed that the operation left the state `held`. */
  get hasLeftHold(): boolean {
    return this.#hasLeftHold;
  }

  stop(): void {
    this.#emitter.off(this.#name, this.#onState);
  }

  #isStopped(gone: AbortSignal): boolean {
    return gone.aborted || this.#closing.aborted;
  }

  readonly #onState = (state: string): void => {
    if (state !== 'held') this.#hasLeftHold = true;
    if (state !== 'held' && !isFinal(state)) return;
    this.#isWoken = true;
    this.#wake.emit('woken');
  };
}
