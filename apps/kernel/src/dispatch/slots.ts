// SPDX-License-Identifier: Apache-2.0
import { LANES, type Lane, type SlotsEvent } from '@writ/contract';

/** How long an executor's word counts, in milliseconds. Executors speak several times a second; three seconds forgive a stall, not a death. */
const HEARD_MS = 3_000;

/** What one executor may say: far more than a machine runs, and small enough that the sum of all is a number for the database. */
const SLOTS_MAX = 1_000;
/** Executors remembered at a time. Their ids are their own word, so they must not fill the memory. */
const EXECUTORS_MAX = 1_000;

interface Heard {
  readonly free: Readonly<Record<Lane, number>>;
  readonly at: number;
}

/** What executors have said of their free slots. `now` is a monotonic clock of this process, in milliseconds. */
export class Slots {
  readonly #heard = new Map<string, Heard>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  note(event: SlotsEvent): void {
    const { executor_id } = event;
    if (!this.#heard.has(executor_id) && this.#heard.size >= EXECUTORS_MAX) return;
    const free = Object.fromEntries(LANES.map((lane) => [lane, Math.min(event[lane] ?? 0, SLOTS_MAX)])) as Record<Lane, number>;
    this.#heard.set(executor_id, { free, at: this.#now() });
  }

  /** Free slots of the lane over all executors heard lately; the others are forgotten. */
  free(lane: Lane): number {
    const oldest = this.#now() - HEARD_MS;
    let free = 0;
    for (const [executor, { free: slots, at }] of this.#heard) {
      if (at < oldest) this.#heard.delete(executor);
      else free += slots[lane];
    }
    return free;
  }
}
