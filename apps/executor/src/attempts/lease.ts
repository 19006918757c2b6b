// SPDX-License-Identifier: Apache-2.0
import { Fault, type RenewReply } from '@writ/contract';

/**
 * The time for which this executor owns an attempt. INVARIANT (own clock): the lease is measured on this process's
 * monotonic clock, from the moment when the request for it was *sent*. So a process that was frozen finds the lease
 * expired before it writes or sends anything.
 */
export class Lease {
  readonly #now: () => number;
  readonly #leaseMs: number;
  readonly #abort = new AbortController();
  #until: number;
  #releaseReason: 'stopping' | 'stopped' | null = null;

  constructor(now: () => number, requestedAt: number, leaseMs: number) {
    this.#now = now;
    this.#leaseMs = leaseMs;
    this.#until = requestedAt + leaseMs;
  }

  /** aborts when the attempt must stop: lease expired, fenced, cancelled or revoked */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get leaseMs(): number {
    return this.#leaseMs;
  }

  /** Milliseconds left; at 0 or below, nothing of the attempt may leave this process. */
  get left(): number {
    return this.#abort.signal.aborted ? 0 : this.#until - this.#now();
  }

  /** Throws Fault `attempt.fenced` once the lease has expired. Call it before anything leaves the process. */
  verifyHeld(): void {
    if (this.left <= 0) {
      this.stop('the lease is gone');
      throw new Fault('attempt.fenced', 'the lease is gone');
    }
  }

  /**
   * `stopping`: this executor shuts down; `stopped`: the kernel stopped the attempt. In both cases the executor can
   * release the lease. Without a reason the lease is lost.
   */
  stop(why: string, releaseReason: 'stopping' | 'stopped' | null = null): void {
    if (this.#abort.signal.aborted) return;
    this.#releaseReason = releaseReason;
    this.#abort.abort(new Fault('attempt.fenced', why));
  }

  /**
   * Whether a stopped attempt can be released: the reason, and the milliseconds left to report it. Null while it runs,
   * and where it can't be released.
   */
  get releasable(): { readonly stopping: boolean; readonly leftMs: number } | null {
    const leftMs = this.#until - this.#now();
    return this.#releaseReason === null || leftMs <= 0
      ? null
      : { stopping: this.#releaseReason === 'stopping', leftMs };
  }

  /** Applies the kernel's answer to a renewal that was sent at `requestedAt`. */
  renewed(requestedAt: number, reply: RenewReply): void {
    if (reply.stop) this.stop('the call was cancelled or its token revoked', 'stopped');
    else this.#until = Math.max(this.#until, requestedAt + this.#leaseMs);
  }
}
