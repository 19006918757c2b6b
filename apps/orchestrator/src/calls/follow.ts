// SPDX-License-Identifier: Apache-2.0
import { Fault, isFinal, type Caller, type OperationView } from '@writ/contract';
import type { KernelClient } from './kernel/kernel-client.ts';
import type { OperationSubscription, OperationWatch } from './operation-watch.ts';

/** How often a waiting request polls the kernel: the delay if an event is lost. */
const POLL_MS = 500;
/**
 * Later it polls less often: thousands of requests may wait for a person's decision, and each poll is a message to the
 * kernel.
 */
const POLL_LATER_MS = 2_500;
const SOON_MS = 5_000;

/**
 * Waits for the end of an operation. It holds no resource but this request: the operation continues whether anybody
 * waits or not.
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

  /** Subscribes before the operation may exist. The caller ends the subscription (`OperationSubscription`). */
  subscribe(operationId: string): OperationSubscription {
    return this.#watch.subscribe(operationId);
  }

  /** Resolves after `ms`. False when waiting makes no sense any more: nobody waits, or the process stops. */
  async pause(ms: number, gone: AbortSignal): Promise<boolean> {
    return await this.#watch.pause(ms, gone);
  }

  /**
   * Returns the operation once it has ended, once it is newly held, or after `waitMs`, whichever comes first.
   * @param gone aborts when no client waits for the response any more
   */
  async untilSettled(
    caller: Caller,
    seen: OperationView,
    subscription: OperationSubscription,
    waitMs: number,
    gone: AbortSignal,
  ): Promise<OperationView> {
    const started = this.#monotonic();
    let view = seen;
    // A client that asks about a held call knows that it is held, and waits for the next change.
    let wasHeld = seen.state === 'held';
    for (;;) {
      const waited = this.#monotonic() - started;
      const left = waitMs - waited;
      // A call that its proposer is to run ends only after the answer.
      const isOver = isFinal(view.state) || (view.state === 'held' && !wasHeld) || view.awaits !== undefined;
      if (isOver || left <= 0) return view;
      if (!(await subscription.next(Math.min(waited < SOON_MS ? POLL_MS : POLL_LATER_MS, left), gone))) return view;
      view = await this.#refresh(caller, view);
      wasHeld &&= view.state === 'held' && !subscription.hasLeftHold;
    }
  }

  /** Reads the operation again. A temporary failure returns the last view, since the next poll will retry. */
  async #refresh(caller: Caller, seen: OperationView): Promise<OperationView> {
    try {
      const view = await this.#kernel.ask('operation.read', caller, { operation_id: seen.operation_id });
      return { ...view, replayed: seen.replayed };
    } catch (error) {
      if (error instanceof Fault && error.retryable) return seen;
      throw error;
    }
  }
}
