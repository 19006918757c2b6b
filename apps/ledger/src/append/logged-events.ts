// SPDX-License-Identifier: Apache-2.0

/**
 * How long news gather after some were told: whoever tails a log reads it at most this much later, and a busy log costs
 * ten events a second in the place of one for each batch, which the bus and every orchestrator would otherwise pay for.
 */
const GATHER_MS = 100;

/**
 * Tells that logs grew: at once where nothing was told lately, else each log once when the time is over. Nobody waits
 * for it, and what is lost on the way costs a poll.
 */
export class LoggedEvents {
  readonly #publish: (tenantId: string) => void;
  readonly #onError: (error: unknown) => void;
  readonly #gathered = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  /** @param onError told of what could not be published, once for all that were to be told together */
  constructor(publish: (tenantId: string) => void, onError: (error: unknown) => void) {
    this.#publish = publish;
    this.#onError = onError;
  }

  tell(tenantIds: Iterable<string>): void {
    for (const tenantId of tenantIds) this.#gathered.add(tenantId);
    if (this.#timer === undefined) this.#flush();
  }

  /** Tells what is left. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#flush();
    clearTimeout(this.#timer);
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#gathered.size === 0) return;
    const tenants = [...this.#gathered];
    this.#gathered.clear();
    // Unref'd: news keep no process up.
    this.#timer = setTimeout(() => {
      this.#flush();
    }, GATHER_MS).unref();
    try {
      for (const tenantId of tenants) this.#publish(tenantId);
    } catch (error) {
      this.#onError(error);
    }
  }
}
