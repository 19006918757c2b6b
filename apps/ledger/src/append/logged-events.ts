// SPDX-License-Identifier: Apache-2.0

/**
 * How long growth is collected after a publication. Subscribers of a log read it at most this much later. A busy log
 * publishes ten events a second instead of one per batch, which would load the bus and every orchestrator.
 */
const COLLECT_MS = 100;

/**
 * Publishes that logs grew: at once where nothing was published lately, else each log once when the interval is over.
 * Nothing waits for the publication, and a lost event only costs its subscribers a poll.
 */
export class LoggedEvents {
  readonly #publish: (tenantId: string) => void;
  readonly #onError: (error: unknown) => void;
  readonly #pending = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  /** @param onError receives the error of a failed publication, once for all events that were published together */
  constructor(publish: (tenantId: string) => void, onError: (error: unknown) => void) {
    this.#publish = publish;
    this.#onError = onError;
  }

  notify(tenantIds: Iterable<string>): void {
    for (const tenantId of tenantIds) this.#pending.add(tenantId);
    if (this.#timer === undefined) this.#flush();
  }

  /** Publishes pending growth. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#flush();
    clearTimeout(this.#timer);
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#pending.size === 0) return;
    const tenants = [...this.#pending];
    this.#pending.clear();
    // Unref'd: pending events keep no process alive.
    this.#timer = setTimeout(() => {
      this.#flush();
    }, COLLECT_MS).unref();
    try {
      for (const tenantId of tenants) this.#publish(tenantId);
    } catch (error) {
      this.#onError(error);
    }
  }
}
