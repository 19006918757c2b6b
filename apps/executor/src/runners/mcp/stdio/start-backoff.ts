// SPDX-License-Identifier: Apache-2.0
import { LRUCache } from 'lru-cache';

/** The pause after a process died at its start, in milliseconds; it doubles up to the most. */
const FIRST_MS = 1_000;
const MOST_MS = 60_000;
const SERVERS_MAX = 1_000;

interface Failing {
  readonly failures: number;
  readonly until: number;
  /** what the last one failed with */
  readonly message: string;
}

/** Servers whose processes die as they start: each is started again after a pause alone. */
export class StartBackoff {
  readonly #now: () => number;
  readonly #failing = new LRUCache<string, Failing>({ max: SERVERS_MAX });

  /** @param now a monotonic clock, in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Why the server isn't started now; null where it may be. */
  refusal(server: string): string | null {
    const failing = this.#failing.get(server);
    if (failing === undefined || this.#now() >= failing.until) return null;
    const times = failing.failures === 1 ? 'once' : `${String(failing.failures)} times`;
    return `${failing.message} (it ended ${times} in a row, and is started again in a moment)`;
  }

  failed(server: string, message: string): void {
    const failures = (this.#failing.get(server)?.failures ?? 0) + 1;
    const pause = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10));
    this.#failing.set(server, { failures, until: this.#now() + pause, message });
  }

  succeeded(server: string): void {
    this.#failing.delete(server);
  }
}
