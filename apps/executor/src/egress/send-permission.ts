// SPDX-License-Identifier: Apache-2.0

/** How old the kernel's last confirmation may be when a request leaves. */
export const FRESH_MS = 1_000;

/**
 * Whether the call may still send: its token is not revoked, and nothing has stopped the call or its session. INVARIANT
 * (fresh or closed): the call may send only if the kernel confirmed it at most a second ago, counted from the request.
 */
export class SendPermission {
  readonly #confirm: () => Promise<void>;
  readonly #now: () => number;
  #confirmedAt = -Infinity;
  #pending: Promise<void> | null = null;

  /**
   * @param confirm asks the kernel; rejects when the call has to stop, or no answer arrives
   * @param now monotonic milliseconds
   */
  constructor(confirm: () => Promise<void>, now: () => number) {
    this.#confirm = confirm;
    this.#now = now;
  }

  get isFresh(): boolean {
    return this.#now() - this.#confirmedAt <= FRESH_MS;
  }

  /** Resolves while the call may send. Rejects with what stopped it, or with why the kernel could not be reached. */
  async verify(): Promise<void> {
    if (!this.isFresh) await this.refresh();
  }

  /** Asks the kernel again. Concurrent callers share one answer. */
  async refresh(): Promise<void> {
    this.#pending ??= this.#requestConfirmation().finally(() => {
      this.#pending = null;
    });
    await this.#pending;
  }

  async #requestConfirmation(): Promise<void> {
    const requestedAt = this.#now();
    await this.#confirm();
    this.#confirmedAt = requestedAt;
  }
}
