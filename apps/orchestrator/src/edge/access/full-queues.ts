// SPDX-License-Identifier: Apache-2.0
import { Fault, type SchedulingClass } from '@writ/contract';
import { LRUCache } from 'lru-cache';

/**
 * How long this replica rejects a tenant's calls after the kernel has reported a full queue, in milliseconds: a full
 * queue has work for longer.
 */
const FULL_MS = 100;
/** Remembered tenants: more than can fill a queue within that time. */
const TENANTS_MAX = 10_000;

/**
 * Remembers which tenants' queues are full, so that a flood is rejected before it is sent to the kernel, and before its
 * bodies are read where the queue is full for every class.
 */
export class FullQueues {
  readonly #full: LRUCache<string, true>;

  /** @param monotonic milliseconds */
  constructor(monotonic: () => number) {
    this.#full = new LRUCache({ max: TENANTS_MAX, ttl: FULL_MS, ttlResolution: 0, perf: { now: monotonic } });
  }

  /**
   * Records that the kernel has refused a call of the tenant with `queue.full`. A queue that is full for interactive
   * calls is full for all. One that is full for others may still have room for interactive calls.
   */
  markFull(tenantId: string, schedulingClass: SchedulingClass): void {
    this.#full.set(keyOf(tenantId, schedulingClass), true);
  }

  /**
   * Returns unless the tenant's queue was full a moment ago for calls of the class. The class of a call is known once
   * its body is read; `interactive` asks for calls of any class. @throws Fault `queue.full`
   */
  verifyNotFull(tenantId: string, schedulingClass: SchedulingClass = 'interactive'): void {
    if (this.#full.has(keyOf(tenantId, schedulingClass)))
      throw new Fault('queue.full', 'as many calls of the tenant wait as may; wait for answers before you send more');
  }
}

const keyOf = (tenantId: string, schedulingClass: SchedulingClass): string =>
  schedulingClass === 'interactive' ? tenantId : `${tenantId} background`;
