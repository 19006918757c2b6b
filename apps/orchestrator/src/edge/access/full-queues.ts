// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { LRUCache } from 'lru-cache';

/**
 * For how long a tenant's calls are turned away here once the kernel has said that no more of them may wait, in
 * milliseconds: a queue that is full has work for longer.
 */
const BELIEVED_MS = 100;
/** Tenants kept in mind: more than can fill a queue within that time. */
const TENANTS_MAX = 10_000;

/**
 * Remembers whose queue is full, so that a flood is turned away before its bodies are read and the kernel is asked
 * about each.
 */
export class FullQueues {
  readonly #full: LRUCache<string, true>;

  /** @param monotonic milliseconds */
  constructor(monotonic: () => number) {
    this.#full = new LRUCache({ max: TENANTS_MAX, ttl: BELIEVED_MS, ttlResolution: 0, perf: { now: monotonic } });
  }

  /** The kernel has refused a call of the tenant's with `queue.full`. */
  note(tenantId: string): void {
    this.#full.set(tenantId, true);
  }

  /** Lets a call through unless the tenant's queue was full a moment ago. @throws Fault `queue.full` */
  pass(tenantId: string): void {
    if (this.#full.has(tenantId))
      throw new Fault('queue.full', 'as many calls of the tenant wait as may; wait for answers before you send more');
  }
}
