// SPDX-License-Identifier: Apache-2.0
import { Fault, isFinal, type Caller, type OperationView } from '@writ/contract';
import type { KernelClient } from './kernel/kernel-client.ts';
import type { OperationEar, OperationWatch } from './operation-watch.ts';

/** How often a waiting request looks by itself: what a lost event costs at most. */
const POLL_MS = 500;
/** Later it looks less often: thousands may wait for a person's decision, and each look is a question to the kernel. */
const POLL_LATER_MS = 2_500;
const SOON_MS = 5_000;

/**
 * Waits for what becomes of an operation. Holds nothing but this request: the operation goes on whether anybody waits
 * or not.
 */
export class Follow {
  readonly #kernel: KernelClient;
  readonly #watch: OperationWatch;
  readonly #monotonic: () => number;

  constructor(kernel: KernelClient, watch: OperationWatch, monotonic: () => number) {
    this.#kernel = kernel;
    this.#watch = watch;
    this.#monotonic = monotonic;
  }

  /** Subscribes before the operation may exist. The caller ends the subscription (`OperationEar`). */
  listen(operationId: string): OperationEar {
    return this.#watch.listen(operationId);
  }

  /**
   * The operation once it has ended, was newly held, or after `waitMs`, whichever comes first.
   * @param gone aborts when nobody waits for the answer any more
   */
  async untilSettled(
    caller: Caller,
    seen: OperationView,
    ear: OperationEar,
    waitMs: number,
    gone: AbortSignal,
  ): Promise<OperationView> {
    const started = this.#monotonic();
    let view = seen;
    // Whoever asks about a held call knows that it is held, and waits for what comes then.
    let wasHeld = seen.state === 'held';
    for (;;) {
      const waited = this.#monotonic() - started;
      const left = waitMs - waited;
      if (isFinal(view.state) || (view.state === 'held' && !wasHeld) || left <= 0) return view;
      if (!(await ear.next(Math.min(waited < SOON_MS ? POLL_MS : POLL_LATER_MS, left), gone))) return view;
      view = await this.#look(caller, view);
      wasHeld &&= view.state === 'held' && !ear.hasLeftHold;
    }
  }

  /** The caller has an answer already; what can't be asked now is asked at the next turn. */
  async #look(caller: Caller, seen: OperationView): Promise<OperationView> {
    try {
      const view = await this.#kernel.ask('operation.read', caller, { operation_id: seen.operation_id });
      return { ...view, replayed: seen.replayed };
    } catch (error) {
      if (error instanceof Fault && error.retryable) return seen;
      throw error;
    }
  }
}
