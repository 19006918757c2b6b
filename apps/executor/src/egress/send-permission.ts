// SPDX-License-Identifier: Apache-2.0
import { repeatWhilePassing } from './repeat-while-passing.ts';

/** How old the kernel's last confirmation may be when a request leaves. */
export const FRESH_MS = 1_000;
/** Age at which the next confirmation is requested while a connection is open: the other half is for the answer. */
const REFRESH_MS = FRESH_MS / 2;

export interface SendPermissionOptions {
  /** asks the kernel; rejects when the call has to stop, or no answer arrives */
  readonly confirm: () => Promise<void>;
  /** monotonic milliseconds */
  readonly now: () => number;
  /** aborts when the call has to stop, and ends every wait */
  readonly signal: AbortSignal;
  /** called when the kernel refuses, or when no confirmation came for as long as a call waits */
  readonly refused: (cause: unknown) => void;
}

/**
 * Whether the call may still send: its token is not revoked, and nothing has stopped the call or its session.
 *
 * INVARIANT (fresh or closed): the call may send only if the kernel confirmed it at most a second ago, counted from the
 * request. INVARIANT (late is no refusal): a confirmation that is slow, lost or rejected by a busy kernel makes the
 * call wait. A refusal, and an error that the executor doesn't know, ends the wait at once.
 */
export class SendPermission {
  readonly #options: SendPermissionOptions;
  #confirmedAt = -Infinity;
  #pending: Promise<void> | null = null;
  #refreshTimer: NodeJS.Timeout | undefined;
  #isKeptFresh = false;

  constructor(options: SendPermissionOptions) {
    this.#options = options;
  }

  get isFresh(): boolean {
    return this.#ageMs <= FRESH_MS;
  }

  /**
   * Resolves while the call may send. Rejects with what stopped it, or with why the kernel could not be reached. Time
   * passes before the caller continues, so it MUST check `isFresh` where bytes pass.
   */
  async verify(): Promise<void> {
    if (!this.isFresh) await this.#refresh();
  }

  /** Requests confirmations by the age of the last one, until `stopRefreshing` or a refusal. */
  keepFresh(): void {
    if (this.#isKeptFresh || this.#options.signal.aborted) return;
    this.#isKeptFresh = true;
    this.#schedule();
  }

  stopRefreshing(): void {
    this.#isKeptFresh = false;
    clearTimeout(this.#refreshTimer);
  }

  /** Whether bytes wait for the kernel's answer. */
  get isWaiting(): boolean {
    return this.#pending !== null && !this.isFresh;
  }

  get #ageMs(): number {
    return this.#options.now() - this.#confirmedAt;
  }

  #schedule(): void {
    const waitMs = Math.max(0, Math.ceil(REFRESH_MS - this.#ageMs));
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = setTimeout(() => void this.#refreshWhenDue(), waitMs).unref();
  }

  async #refreshWhenDue(): Promise<void> {
    try {
      if (this.#ageMs >= REFRESH_MS) await this.#refresh();
    } catch {
      // `refused` has received the cause.
      this.stopRefreshing();
    }
    if (this.#isKeptFresh) this.#schedule();
  }

  /** Asks the kernel again. Concurrent callers share one answer. */
  async #refresh(): Promise<void> {
    this.#pending ??= this.#confirmOrRefuse().finally(() => {
      this.#pending = null;
    });
    await this.#pending;
  }

  async #confirmOrRefuse(): Promise<void> {
    const { now, signal, refused } = this.#options;
    try {
      await repeatWhilePassing(() => this.#requestConfirmation(), now, signal);
    } catch (error) {
      // What the kernel confirmed before its refusal counts no more.
      this.#confirmedAt = -Infinity;
      refused(error);
      throw error;
    }
  }

  /** Resolves with whether the confirmation is fresh when it arrives. */
  async #requestConfirmation(): Promise<boolean> {
    const requestedAt = this.#options.now();
    await this.#options.confirm();
    this.#confirmedAt = requestedAt;
    return this.isFresh;
  }
}
