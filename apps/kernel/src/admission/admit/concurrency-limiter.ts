// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { FairLimiter, type PlaceBounds } from '@writ/fairness';

/**
 * Of one tenant that wait for a place: more than an honest program has open at once, and what a replica decides in
 * about a second.
 */
const WAITING_MAX = 128;
/** Longest that a call waits for a place, in milliseconds: far below what the API waits for its answer. */
const WAIT_MS = 2_000;
/**
 * Longest that a call that runs inline keeps its place, in milliseconds. It keeps it while it runs, since that is most
 * of what it costs; an executor that is slow or gone is not to stop the others.
 */
const HELD_MS = 100;

export interface ConcurrencyLimiterOptions extends Omit<PlaceBounds, 'waitingMax'> {
  /** monotonic milliseconds */
  readonly now: () => number;
  /** the tenant's part beside others; 1 is the usual one */
  readonly weightOf: (tenantId: string) => number;
}

/** Gives a place back; more than once is once. */
export type Leave = () => void;

/**
 * Lets so many calls in at once, tenant by tenant: who waits here holds no connection, and costs the others nothing.
 */
export class ConcurrencyLimiter {
  readonly #fair: FairLimiter<Leave>;
  readonly #options: ConcurrencyLimiterOptions;

  constructor(options: ConcurrencyLimiterOptions) {
    this.#fair = new FairLimiter({ ...options, waitingMax: WAITING_MAX });
    this.#options = options;
  }

  /**
   * Resolves when there is a place, which MUST be left.
   * @throws Fault `queue.full` where as many calls of the tenant wait as may, or none left in time
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

/** Leaves the place when the call has ended, `null` being now, or has kept it for as long as it may. */
export function releaseWhenDone(end: Promise<unknown> | null, leave: Leave): void {
  if (end === null) return leave();
  const timer = setTimeout(leave, HELD_MS);
  void end.finally(() => {
    clearTimeout(timer);
    leave();
  });
}
