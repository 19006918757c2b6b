// SPDX-License-Identifier: Apache-2.0
import { Fault, type SchedulingClass } from '@writ/contract';
import { FairLimiter, type LimiterBounds, type WaitingOrder } from '@writ/fairness';

/**
 * Calls of one tenant that may wait for a slot. The number is more than a well-behaved program has open at once, and it
 * is what a replica decides in about a second.
 */
const WAITING_MAX = 128;
/**
 * Longest time that a call waits for a slot, in milliseconds. It is far below the time that the API waits for the
 * answer.
 */
const WAIT_MAX_MS = 2_000;
/**
 * Longest time that an inline call keeps its slot, in milliseconds. It keeps the slot while it runs, since the run is
 * most of its cost. After that time a slow or dead executor delays no other call.
 */
const HELD_MAX_MS = 100;
/**
 * How calls of a class wait to be decided. They age faster than in their lanes (`AGES_AFTER_MS`), because nothing waits
 * here for more than two seconds. Work that nobody waits for leaves a quarter of the queue to interactive calls.
 */
const ORDERS: Readonly<Record<SchedulingClass, WaitingOrder>> = {
  interactive: {},
  background: { agesAfterMs: 1_500, waitingMax: 96 },
  maintenance: { agesAfterMs: 1_750, waitingMax: 96 },
};

export interface ConcurrencyLimiterOptions extends Omit<LimiterBounds, 'waitingMax'> {
  /** monotonic milliseconds */
  readonly now: () => number;
  /** the share of the tenant among the others; 1 is the default */
  readonly weightOf: (tenantId: string) => number;
}

/** Releases a slot. Further calls do nothing. */
export type ReleaseSlot = () => void;

/**
 * Limits how many calls are decided at once, and shares the slots fairly among tenants. A call that waits here holds no
 * database connection.
 */
export class ConcurrencyLimiter {
  readonly #fair: FairLimiter<ReleaseSlot>;
  readonly #options: ConcurrencyLimiterOptions;

  constructor(options: ConcurrencyLimiterOptions) {
    this.#fair = new FairLimiter({ ...options, waitingMax: WAITING_MAX });
    this.#options = options;
  }

  /**
   * Resolves when the call has a slot. The caller MUST release it with the returned function.
   * @throws Fault `queue.full` where the tenant's queue is full, or no slot was free in time
   */
  async acquire(tenantId: string, schedulingClass: SchedulingClass = 'interactive'): Promise<ReleaseSlot> {
    const { now, weightOf } = this.#options;
    return await new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve(this.#releaseOnce(tenantId));
      };
      const timer = setTimeout(() => {
        if (this.#fair.withdraw(tenantId, begin))
          reject(new Fault('queue.full', `the call waited ${WAIT_MAX_MS} ms for a slot`));
      }, WAIT_MAX_MS);
      const offered = this.#fair.offer(tenantId, weightOf(tenantId), begin, now(), ORDERS[schedulingClass]);
      if (offered === 'starts') begin();
      if (offered === 'full') {
        clearTimeout(timer);
        reject(new Fault('queue.full', 'too many calls of the tenant wait to be decided'));
      }
    });
  }

  #releaseOnce(tenantId: string): ReleaseSlot {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      for (const begin of this.#fair.release(tenantId, this.#options.now())) begin();
    };
  }
}

/** Releases the slot when `end` resolves, or after a tenth of a second. With `null` it releases the slot at once. */
export function releaseWhenDone(end: Promise<unknown> | null, release: ReleaseSlot): void {
  if (end === null) return release();
  const timer = setTimeout(release, HELD_MAX_MS);
  void end.finally(() => {
    clearTimeout(timer);
    release();
  });
}
