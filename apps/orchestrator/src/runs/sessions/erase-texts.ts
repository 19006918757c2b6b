// SPDX-License-Identifier: Apache-2.0
import type { ErasureView, TextOrder } from '@writ/contract';
import type { SaidTexts } from '../../store/sessions/said-texts.ts';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';

/** Orders taken at once. */
const ORDERS_MAX = 100;
/** Rounds that somebody waits for: a second or two. */
const ROUNDS_NOW = 4;

/**
 * Takes away what was said, as the kernel's erasures order it. INVARIANT (told first): what goes is settled here and on
 * the kernel's record before any of it goes. Each step is the same one however often it is made, so whoever dies in
 * between leaves an order that another goes on with.
 */
export class EraseTexts {
  readonly #kernel: KernelClient;
  readonly #texts: SaidTexts;
  readonly failed: (error: unknown) => void;

  constructor(kernel: KernelClient, texts: SaidTexts, failed: (error: unknown) => void) {
    this.#kernel = kernel;
    this.#texts = texts;
    this.failed = failed;
  }

  /**
   * Goes on with every order there is. Replicas may do so at once. One that can't go on keeps none of the others from
   * their end.
   */
  async run(): Promise<void> {
    for (const order of await this.#kernel.textOrders(ORDERS_MAX)) await this.erase(order).catch(this.failed);
  }

  /**
   * What was begun just now, as far as it comes while somebody waits. It is ordered, so what fails here is gone on
   * with.
   */
  async now(erasure: ErasureView): Promise<ErasureView> {
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

  /** To its end; null where more rounds are to go, or a run has to end first. */
  async erase(order: TextOrder, roundsMax = Infinity): Promise<ErasureView | null> {
    for (let rounds = 0; rounds < roundsMax; rounds += 1) {
      const marked = await this.#texts.mark(order);
      if (marked === null) return await this.#kernel.textsGone(order);
      await this.#kernel.tellTexts(order, marked);
      if (!(await this.#texts.take(order, marked.round))) return null;
    }
    return null;
  }
}
