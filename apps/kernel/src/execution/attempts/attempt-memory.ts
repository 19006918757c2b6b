// SPDX-License-Identifier: Apache-2.0
import { LRUCache } from 'lru-cache';
import type { AttemptFacts } from './attempt-facts.ts';

/** Attempts remembered: many times what one replica has under way, and a few MB. */
const REMEMBERED_MAX = 2_000;

interface Remembered {
  readonly facts: AttemptFacts;
  /** when they were read, by this process's monotonic clock */
  readonly at: number;
}

/**
 * Keeps what a redemption read, for the report that mostly follows within milliseconds. What is remembered may be old:
 * it is good for a first try of an ending, since `kernel.finish` asserts all of it under locks and answers `again`
 * where something moved; then the facts are read.
 */
export class AttemptMemory {
  readonly #attempts = new LRUCache<string, Remembered>({ max: REMEMBERED_MAX });
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  keep(facts: AttemptFacts): void {
    this.#attempts.set(facts.operation.operation_id, { facts, at: this.#monotonic() });
  }

  /**
   * What was kept of the operation, with `now` moved on; null where nothing was, or where its lease may have been
   * renewed since. Given once.
   */
  take(operationId: string): AttemptFacts | null {
    const kept = this.#attempts.get(operationId);
    if (kept === undefined) return null;
    this.#attempts.delete(operationId);
    const now = kept.facts.now + Math.round(this.#monotonic() - kept.at);
    const { lease_until } = kept.facts.operation;
    return lease_until !== null && now < lease_until ? { ...kept.facts, now } : null;
  }
}
