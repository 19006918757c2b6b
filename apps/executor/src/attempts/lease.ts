// SPDX-License-Identifier: Apache-2.0
import { Fault, type RenewReply } from '@writ/contract';

/**
 * The time for which an attempt is ours. INVARIANT (own clock): it is measured on this process's monotonic clock from
 * the moment the request for it was *sent*, so that a process that was frozen sees it gone before it writes or says
 * anything.
 */
export class Lease {
  readonly #now: () => number;
  readonly #leaseMs: number;
  readonly #abort = new AbortController();
  #until: number;
  #givesBack: 'stopping' | 'stopped' | null = null;

  constructor(now: () => number, requestedAt: number, leaseMs: number) {
    this.#now = now;
    this.#leaseMs = leaseMs;
    this.#until = requestedAt + leaseMs;
  }

  /** aborts when the attempt must stop: lease gone, fenced, cancelled or revoked */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get leaseMs(): number {
    return this.#leaseMs;
  }

  /** Milliseconds left; from 0 downwards nothing of the attempt may leave this process. */
  get left(): number {
    return this.#abort.signal.aborted ? 0 : this.#until - this.#now();
  }

  /** Throws Fault `attempt.fenced` once the lease is gone; ask before everything that leaves the process. */
  verifyHeld(): void {
    if (this.left <= 0) {
      this.stop('the lease is gone');
      throw new Fault('attempt.fenced', 'the lease is gone');
    }
  }

  /**
   * `stopping`: this executor ends; `stopped`: the kernel said so. Both leave a lease that can be given back; without
   * either it is lost.
   */
  stop(why: string, givesBack: 'stopping' | 'stopped' | null = null): void {
    if (this.#abort.signal.aborted) return;
    this.#givesBack = givesBack;
    this.#abort.abort(new Fault('attempt.fenced', why));
  }

  /** Why an attempt that was stopped can be given back, and milliseconds to say so; null where it can't, or runs. */
  get givenBack(): { readonly stopping: boolean; readonly leftMs: number } | null {
    const leftMs = this.#until - this.#now();
    return this.#givesBack === null || leftMs <= 0 ? null : { stopping: this.#givesBack === 'stopping', leftMs };
  }

  /** Takes the kernel's answer to a renewal that was sent at `requestedAt`. */
  renewed(requestedAt: number, reply: RenewReply): void {
    if (reply.stop) this.stop('the call was cancelled or its token revoked', 'stopped');
    else this.#until = Math.max(this.#until, requestedAt + this.#leaseMs);
  }
}
