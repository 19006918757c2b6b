// SPDX-License-Identifier: Apache-2.0
import { LRUCache } from 'lru-cache';

/** The pause after a process died at its start, in milliseconds; it doubles up to the most. */
const FIRST_MS = 1_000;
const MOST_MS = 60_000;
const KEYS_MAX = 1_000;

interface Failing {
  readonly failures: number;
  readonly until: number;
  /** what the last one failed with, without words of its own */
  readonly message: string;
}

/**
 * Processes that die as they start: one of the same key is started again after a pause alone. Another owner's may well
 * start, since its token, its secrets or its image are others.
 */
export class StartBackoff {
  readonly #now: () => number;
  readonly #failing = new LRUCache<string, Failing>({ max: KEYS_MAX });

  /** @param now a monotonic clock, in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Why no process of the key is started now; null where one may be. */
  refusal(key: string): string | null {
    const failing = this.#failing.get(key);
    if (failing === undefined || this.#now() >= failing.until) return null;
    const times = failing.failures === 1 ? 'once' : `${String(failing.failures)} times`;
    return `${failing.message} (it ended ${times} in a row, and is started again in a moment)`;
  }

  failed(key: string, message: string): void {
    const failures = (this.#failing.get(key)?.failures ?? 0) + 1;
    const pause = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10));
    this.#failing.set(key, { failures, until: this.#now() + pause, message });
  }

  succeeded(key: string): void {
    this.#failing.delete(key);
  }
}
