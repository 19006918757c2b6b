// SPDX-License-Identifier: Apache-2.0
import { LRUCache } from 'lru-cache';
import type { AttemptFacts } from './attempt-facts.ts';

/** Attempts in memory: many times as many as one replica has under way, and a few MB. */
const REMEMBERED_MAX = 2_000;

interface CachedAttempt {
  readonly facts: AttemptFacts;
  /** when they were read, by this process's monotonic clock */
  readonly at: number;
}

/**
 * Caches the facts that a redemption read, for the report that mostly follows within milliseconds. They may be stale.
 * They suffice for a first try to end the call: `kernel.finish` asserts all of them under locks, and replies `again`
 * where one has changed. Then the facts are read.
 */
export class AttemptMemory {
  readonly #attempts = new LRUCache<string, CachedAttempt>({ max: REMEMBERED_MAX });
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  remember(facts: AttemptFacts): void {
    this.#attempts.set(facts.operation.operation_id, { facts, at: this.#monotonic() });
  }

  /**
   * The cached facts of the operation, with `now` moved on; null where there are none, or where the lease may have been
   * renewed since. They are returned once.
   */
  consume(operationId: string): AttemptFacts | null {
    const entry = this.#attempts.get(operationId);
    if (entry === undefined) return null;
    this.#attempts.delete(operationId);
    const now = entry.facts.now + Math.round(this.#monotonic() - entry.at);
    const { lease_until } = entry.facts.operation;
    return lease_until !== null && now < lease_until ? { ...entry.facts, now } : null;
  }
}
