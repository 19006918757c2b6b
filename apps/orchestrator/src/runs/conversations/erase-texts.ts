// SPDX-License-Identifier: Apache-2.0
import type { ErasureView, TextErasureOrder } from '@writ/contract';
import type { SessionTexts } from '../../store/session-rows/session-texts.ts';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';

/** Orders fetched at once. */
const ORDERS_MAX = 100;
/** Rounds that a request waits for: a second or two. */
const ROUNDS_NOW = 4;

/**
 * Deletes texts of sessions, as the kernel's erasures order it. INVARIANT (told first): the texts of a round are fixed
 * in this database and recorded by the kernel before any of them is deleted. Each step is idempotent, so another
 * replica can continue after a crash.
 */
export class EraseTexts {
  readonly #kernel: KernelClient;
  readonly #texts: SessionTexts;
  readonly failed: (error: unknown) => void;

  constructor(kernel: KernelClient, texts: SessionTexts, failed: (error: unknown) => void) {
    this.#kernel = kernel;
    this.#texts = texts;
    this.failed = failed;
  }

  /** Continues every open order. Replicas may do so at once. A failing order does not stop the others. */
  async run(): Promise<void> {
    for (const order of await this.#kernel.textOrders(ORDERS_MAX)) await this.erase(order).catch(this.failed);
  }

  /**
   * Executes the first rounds of an erasure that was just ordered, while the request waits. Failures are retried later,
   * because the order is stored.
   */
  async eraseNow(erasure: ErasureView): Promise<ErasureView> {
    try {
      const order = (await this.#kernel.textOrders(ORDERS_MAX)).find(
        ({ erasure_id }) => erasure_id === erasure.erasure_id,
      );
      return (order === undefined ? null : await this.erase(order, ROUNDS_NOW)) ?? erasure;
    } catch (error) {
      this.failed(error);
      return erasure;
    }
  }

  /** Executes an order to its end. Null where more rounds are left, or a run has to end first. */
  async erase(order: TextErasureOrder, roundsMax = Infinity): Promise<ErasureView | null> {
    for (let rounds = 0; rounds < roundsMax; rounds += 1) {
      const marked = await this.#texts.mark(order);
      if (marked === null) return await this.#kernel.completeTextOrder(order);
      await this.#kernel.reportTextRound(order, marked);
      if (!(await this.#texts.erase(order, marked.round))) return null;
    }
    return null;
  }
}
