// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { FairLimiter, type PlaceBounds } from '@writ/fairness';

/**
 * Calls of one tenant that may wait for a place. It is more than an honest program has open at once, and what a replica
 * decides in about a second.
 */
const WAITING_MAX = 128;
/** Longest that a call waits for a place, in milliseconds: far below what the API waits for its answer. */
const WAIT_MS = 2_000;
/**
 * Longest that an inline call keeps its place, in milliseconds. It keeps the place while it runs, since the run is most
 * of its cost. After that time a slow or dead executor delays no other call.
 */
const HELD_MS = 100;

export interface ConcurrencyLimiterOptions extends Omit<PlaceBounds, 'waitingMax'> {
  /** monotonic milliseconds */
  readonly now: () => number;
  /** the tenant's part beside others; 1 is the usual one */
  readonly weightOf: (tenantId: string) => number;
}

/** Gives a place back. Further calls of it do nothing. */
export type Leave = () => void;

/** Limits how many calls are decided at once, fairly by tenant. A call that waits here holds no database connection. */
export class ConcurrencyLimiter {
  readonly #fair: FairLimiter<Leave>;
  readonly #options: ConcurrencyLimiterOptions;

  constructor(options: ConcurrencyLimiterOptions) {
    this.#fair = new FairLimiter({ ...options, waitingMax: WAITING_MAX });
    this.#options = options;
  }

  /**
   * Resolves when the call has a place. The caller MUST give it back with the returned function.
   * @throws Fault `queue.full` where as many calls of the tenant wait as may, or no place was free in time
   */
  async take(tenantId: string): Promise<Leave> {
    const { now, weightOf } = this.#options;
    return await new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve(this.#leaveOnce(tenantId));
      };
      const timer = setTimeout(() => {
        if (this.#fair.withdraw(tenantId, begin))
          reject(new Fault('queue.full', `the call waited for ${WAIT_MS} ms behind others of the tenant`));
      }, WAIT_MS);
      const offered = this.#fair.offer(tenantId, weightOf(tenantId), begin, now());
      if (offered === 'starts') begin();
      if (offered === 'full') {
        clearTimeout(timer);
        reject(new Fault('queue.full', `${WAITING_MAX} calls of the tenant wait to be decided`));
      }
    });
  }

  #leaveOnce(tenantId: string): Leave {
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      for (const begin of this.#fair.ended(tenantId, this.#options.now())) begin();
    };
  }
}

/** Gives the place back when `end` resolves, or after `HELD_MS`. With `null` it does so at once. */
export function releaseWhenDone(end: Promise<unknown> | null, leave: Leave): void {
  if (end === null) return leave();
  const timer = setTimeout(leave, HELD_MS);
  void end.finally(() => {
    clearTimeout(timer);
    leave();
  });
}
