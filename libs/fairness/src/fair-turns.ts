// SPDX-License-Identifier: Apache-2.0
import { FairLimiter } from './fair-limiter.ts';

/** Bounds of work that needs much of a process. */
export interface FairTurnsBounds {
  /** how much of it runs at once */
  readonly atOnce: number;
  /** how much of it one tenant runs at once; all of it by default */
  readonly perTenantMax?: number;
  /** how much of it waits for one tenant */
  readonly waitingMax: number;
  /** the error for work beyond that */
  readonly refusal: () => Error;
}

/**
 * Limits how much work of a kind runs at once, with fair turns between tenants, so that what it needs of the process is
 * bounded.
 */
export class FairTurns {
  readonly #limiter: FairLimiter<() => void>;
  readonly #refusal: () => Error;
  readonly #now: () => number;

  /** @param now monotonic milliseconds */
  constructor({ atOnce, waitingMax, perTenantMax, refusal }: FairTurnsBounds, now: () => number) {
    this.#refusal = refusal;
    this.#now = now;
    this.#limiter = new FairLimiter({
      places: atOnce,
      shared: atOnce,
      waitingMax,
      ...(perTenantMax === undefined ? {} : { perTenantMax }),
    });
  }

  /**
   * Runs the work when it is the tenant's turn.
   * @throws the refusal where too much of the tenant waits; the reason of the signal if it aborts before
   */
  async run<T>(tenantId: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#turnOf(tenantId, signal);
    try {
      return await work();
    } finally {
      for (const begin of this.#limiter.release(tenantId, this.#now())) begin();
    }
  }

  #turnOf(tenantId: string, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#limiter.withdraw(tenantId, begin);
        reject(signal?.reason as Error);
      };
      const begin = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const offered = this.#limiter.offer(tenantId, 1, begin, this.#now());
      if (offered === 'starts') resolve();
      else if (offered === 'full') reject(this.#refusal());
      else signal?.addEventListener('abort', onAbort, { once: true });
    });
  }
}
