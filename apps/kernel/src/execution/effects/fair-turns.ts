// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { FairLimiter } from '@writ/fairness';

/** Bounds of work that takes much of the process. */
export interface FairBounds {
  /** how much of it is under way at once, at least 2: one tenant never has all of it */
  readonly atOnce: number;
  /** how much of it waits for one tenant */
  readonly waitingMax: number;
  /** what waits, in words: "effects of the tenant wait to be examined" */
  readonly what: string;
}

/** Readings of much of a workspace: each holds `GIT_BYTES_MAX` twice at most, in the main thread and in a worker. */
export const LARGE_READINGS: FairBounds = {
  atOnce: 2,
  // Some minutes at the longest that a reading takes.
  waitingMax: 16,
  what: 'effects of the tenant wait to be examined',
};

/** Lets so much work of a kind be under way at once, tenant by tenant, so that what it uses together is bounded. */
export class FairTurns {
  readonly #fair: FairLimiter<() => void>;
  readonly #bounds: FairBounds;
  readonly #now: () => number;

  /** @param now monotonic milliseconds */
  constructor(bounds: FairBounds, now: () => number) {
    const { atOnce, waitingMax } = bounds;
    this.#bounds = bounds;
    this.#now = now;
    this.#fair = new FairLimiter({ places: atOnce, shared: atOnce, waitingMax, perTenantMax: atOnce - 1 });
  }

  /** Runs when it is the tenant's turn. @throws Fault `overloaded` where too much of the tenant waits */
  async run<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve, reject) => {
      const offered = this.#fair.offer(tenantId, 1, resolve, this.#now());
      if (offered === 'starts') resolve();
      const { waitingMax, what } = this.#bounds;
      if (offered === 'full') reject(new Fault('overloaded', `${waitingMax} ${what}: try again later`));
    });
    try {
      return await work();
    } finally {
      for (const begin of this.#fair.ended(tenantId, this.#now())) begin();
    }
  }
}
