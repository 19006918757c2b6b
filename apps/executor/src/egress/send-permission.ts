// SPDX-License-Identifier: Apache-2.0

/** How old the kernel's last confirmation may be when a request leaves. */
export const FRESH_MS = 1_000;

/**
 * Whether the call may still send: its token is not revoked, and nothing has stopped the call or what it belongs to.
 * INVARIANT (fresh or closed): it says yes only if the kernel confirmed that at most a second ago, counted from the
 * moment of asking.
 */
export class SendPermission {
  readonly #confirm: () => Promise<void>;
  readonly #now: () => number;
  #confirmedAt = -Infinity;
  #asking: Promise<void> | null = null;

  /**
   * @param confirm asks the kernel; rejects when the call has to stop, or nobody answers.
   * @param now monotonic milliseconds
   */
  constructor(confirm: () => Promise<void>, now: () => number) {
    this.#confirm = confirm;
    this.#now = now;
  }

  get isFresh(): boolean {
    return this.#now() - this.#confirmedAt <= FRESH_MS;
  }

  /** Resolves while the call may send. Rejects with what stopped it, or with why the kernel can't be asked. */
  async verify(): Promise<void> {
    if (!this.isFresh) await this.refresh();
  }

  /** Asks the kernel again. Concurrent callers share one answer. */
  async refresh(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    await this.#asking;
  }

  async #ask(): Promise<void> {
    const askedAt = this.#now();
    await this.#confirm();
    this.#confirmedAt = askedAt;
  }
}
