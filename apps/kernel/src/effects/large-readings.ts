// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { FairPlaces } from '@writ/fairness';

/** Readings of this process at once: each holds `GIT_BYTES_MAX` twice at most, here and in a thread. */
const AT_ONCE = 2;
/** Of one tenant that wait: some minutes at the longest that a reading takes. */
const WAITING_MAX = 16;

/**
 * Lets so many readings of much of a workspace be under way at once, tenant by tenant, so that together they hold no
 * more memory than is known.
 */
export class LargeReadings {
  readonly #fair: FairPlaces<() => void>;
  readonly #now: () => number;

  /** @param now monotonic milliseconds */
  constructor(now: () => number) {
    this.#now = now;
    this.#fair = new FairPlaces({
      places: AT_ONCE,
      shared: AT_ONCE,
      waitingMax: WAITING_MAX,
      perTenantMax: AT_ONCE - 1,
    });
  }

  /** Runs when it is the tenant's turn. @throws Fault `overloaded` where too many of the tenant wait */
  async run<T>(tenantId: string, read: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve, reject) => {
      const offered = this.#fair.offer(tenantId, 1, resolve, this.#now());
      if (offered === 'starts') resolve();
      if (offered === 'full')
        reject(new Fault('overloaded', `${WAITING_MAX} effects of the tenant wait to be examined: try again later`));
    });
    try {
      return await read();
    } finally {
      for (const begin of this.#fair.ended(tenantId, this.#now())) begin();
    }
  }
}
