// SPDX-License-Identifier: Apache-2.0
import { EventEmitter, once } from 'node:events';
import { isFinal } from '@writ/contract';

/** Listens for what happens to operations. A lost event costs one polling interval. */
export class OperationWatch {
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  readonly #closing = new AbortController();
  readonly #every = new Set<(operationId: string, state: string) => void>();

  /** Called for each event `operation`. */
  heard(operationId: string, state: string): void {
    this.#emitter.emit(operationId, state);
    for (const listener of this.#every) listener(operationId, state);
  }

  /** Tells of every operation that is heard of, for as long as the process lives. A listener MUST NOT throw. */
  onEvery(listener: (operationId: string, state: string) => void): void {
    this.#every.add(listener);
  }

  /**
   * Begins to listen now; `next` waits from then on, so that nothing falls between a look and the wait. `stop` MUST be
   * called.
   */
  listen(operationId: string): OperationEar {
    return new OperationEar(this.#emitter, operationId, this.#closing.signal);
  }

  /** Lets everybody who waits go on at once: the process stops. */
  close(): void {
    this.#closing.abort();
  }
}

/**
 * What one listener heard since it began to listen. Only ends and holds wake it: whoever waits can do nothing with the
 * states between.
 */
export class OperationEar {
  readonly #emitter: EventEmitter;
  readonly #name: string;
  readonly #closing: AbortSignal;
  readonly #wake = new EventEmitter();
  #isRung = false;
  #hasLeftHold = false;

  constructor(emitter: EventEmitter, name: string, closing: AbortSignal) {
    this.#emitter = emitter;
    this.#name = name;
    this.#closing = closing;
    emitter.on(name, this.#ring);
  }

  /**
   * Resolves when something happened since the last call, or after `ms`. False when waiting makes no sense any more.
   */
  async next(ms: number, gone: AbortSignal): Promise<boolean> {
    if (this.#isStopped(gone)) return false;
    if (!this.#isRung) {
      const signal = AbortSignal.any([AbortSignal.timeout(Math.ceil(ms)), gone, this.#closing]);
      await once(this.#wake, 'rung', { signal }).catch(() => undefined);
    }
    this.#isRung = false;
    return !this.#isStopped(gone);
  }

  /** Whether the operation was heard to go on after it was held. */
  get hasLeftHold(): boolean {
    return this.#hasLeftHold;
  }

  stop(): void {
    this.#emitter.off(this.#name, this.#ring);
  }

  #isStopped(gone: AbortSignal): boolean {
    return gone.aborted || this.#closing.aborted;
  }

  readonly #ring = (state: string): void => {
    if (state !== 'held') this.#hasLeftHold = true;
    if (state !== 'held' && !isFinal(state)) return;
    this.#isRung = true;
    this.#wake.emit('rung');
  };
}
